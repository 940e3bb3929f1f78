package io.ensemble.cache.distributed;

import io.ensemble.DistributedDefinition;
import io.ensemble.cache.adapter.CacheInstance;
import io.ensemble.partition.PartitionedKey;
import io.ensemble.partition.Partitioner;
import io.ensemble.repartition.KeyRoute;
import io.ensemble.repartition.Repartition;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** The present assignment of a cache's keys to parts, as its catalog record says. Immutable. */
public final class PartitionTable {

  private final long revision;
  private final long generation;
  private final Side present;
  private final @Nullable PendingRepartition coming;
  private final Map<String, CacheInstance> faces;

  /**
   * Parts, and the partitioner that finds the part of a key.
   *
   * @param parts the open caches, in the definition's order
   * @param partitioner made for the names of these parts
   */
  public record Side(
      DistributedDefinition definition, List<CacheInstance> parts, Partitioner partitioner) {

    public Side {
      parts = List.copyOf(parts);
    }

    /** The name of a key's part. */
    public String part(PartitionedKey key) {
      return definition.parts().get(partitioner.part(key));
    }
  }

  /** A repartition, and the parts after it. */
  public record PendingRepartition(Repartition growth, Side side) {}

  /**
   * @param revision of the catalog record
   * @param generation the present generation
   * @param present the parts of this generation
   * @param coming the repartition that is under way; null for none
   */
  public PartitionTable(
      long revision, long generation, Side present, @Nullable PendingRepartition coming) {
    this.revision = revision;
    this.generation = generation;
    this.present = present;
    this.coming = coming;
    Map<String, CacheInstance> all = new LinkedHashMap<>();
    add(all, present);
    if (coming != null) {
      add(all, coming.side);
    }
    faces = Collections.unmodifiableMap(all);
  }

  /** A table of parts that never change. */
  public static PartitionTable settled(Side side) {
    return new PartitionTable(1, 1, side, null);
  }

  private static void add(Map<String, CacheInstance> faces, Side side) {
    for (int i = 0; i < side.parts.size(); i++) {
      faces.put(side.definition.parts().get(i), side.parts.get(i));
    }
  }

  long revision() {
    return revision;
  }

  /** The present generation. */
  public long generation() {
    return generation;
  }

  /** The parts of the present generation. */
  public Side present() {
    return present;
  }

  /** The repartition that is under way. */
  public Optional<PendingRepartition> coming() {
    return Optional.ofNullable(coming);
  }

  /** The route of a key: its part, and whether calls on it wait. */
  KeyRoute place(PartitionedKey key) {
    String from = present.part(key);
    return coming == null
        ? KeyRoute.settled(from, generation)
        : KeyRoute.changing(from, coming.side.part(key), generation, coming.growth);
  }

  /** All parts by name, present and coming. */
  public Map<String, CacheInstance> faces() {
    return faces;
  }

  /**
   * Those of all parts that are open here; another cache may have the name of a part that is not
   * open.
   */
  public Map<String, CacheInstance> open() {
    Map<String, CacheInstance> open = new LinkedHashMap<>(faces);
    open.values().removeIf(part -> !part.isOpen());
    return open;
  }

  /** The part of that name, which must exist. */
  public CacheInstance face(String part) {
    CacheInstance found = faces.get(part);
    if (found == null) {
      throw new AssertionError("a partitioner must return an existing part; part=" + part);
    }
    return found;
  }
}
