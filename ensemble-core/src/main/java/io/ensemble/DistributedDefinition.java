package io.ensemble;

import io.ensemble.partition.PartitionerSpec;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;

/**
 * The definition of a distributed cache: its parts, and the partitioner that divides the keys among
 * them. Immutable. The constructor rejects settings that cannot work with {@link
 * IllegalArgumentException}.
 *
 * @param name as for a {@link CacheDefinition}; no such cache may have the same name
 * @param parts the names of caches, which may be distributed themselves; each once, 1 to {@value
 *     #MOST_PARTS}. Some partitioners depend on their order
 * @param partitioner the function that finds the part of a key
 * @param frontier whether a read finds only keys at the manager's local site (LEADS D2.6, section
 *     4, "Frontier Mode")
 */
public record DistributedDefinition(
    String name, List<String> parts, PartitionerSpec partitioner, boolean frontier) {

  /** The most parts of a cache. */
  public static final int MOST_PARTS = 256;

  /** The default partitioner. */
  public static final PartitionerSpec DEFAULT = PartitionerSpec.of("rendezvous");

  public DistributedDefinition {
    NameRules.check("cache name", name);
    parts = List.copyOf(parts);
    parts.forEach(part -> NameRules.check("part's name", part));
    if (parts.isEmpty()
        || parts.size() > MOST_PARTS
        || new HashSet<>(parts).size() < parts.size()) {
      throw new IllegalArgumentException(
          "a distributed cache must have 1 to %d parts, each listed once; cache=%s parts=%s"
              .formatted(MOST_PARTS, name, parts));
    }
  }

  /** A cache over these parts, by {@link #DEFAULT rendezvous hashing}, not in frontier mode. */
  public static DistributedDefinition of(String name, String... parts) {
    return new DistributedDefinition(name, List.of(parts), DEFAULT, false);
  }

  /**
   * A cache at one site, {@code NAME.SITE}, for use as a part of the distributed cache {@code
   * name}.
   */
  public static CacheDefinition partAt(String name, String site, Mode mode) {
    return CacheDefinition.of(name + "." + site, mode).sites(site).build();
  }

  /** The same definition with another partitioner. */
  public DistributedDefinition by(PartitionerSpec other) {
    return new DistributedDefinition(name, parts, other, frontier);
  }

  /** The same definition with one more part, at the end. */
  public DistributedDefinition with(String part) {
    List<String> more = new ArrayList<>(parts);
    more.add(part);
    return new DistributedDefinition(name, more, partitioner, frontier);
  }

  /**
   * The same definition without that part.
   *
   * @throws IllegalArgumentException if it is not a part, or the only part
   */
  public DistributedDefinition without(String part) {
    List<String> fewer = new ArrayList<>(parts);
    if (!fewer.remove(part)) {
      throw new IllegalArgumentException(
          "a part that is removed must be a part of the cache; cache=%s part=%s parts=%s"
              .formatted(name, part, parts));
    }
    return new DistributedDefinition(name, fewer, partitioner, frontier);
  }

  /** The same definition in frontier mode. */
  public DistributedDefinition inFrontierMode() {
    return new DistributedDefinition(name, parts, partitioner, true);
  }

  /**
   * The settings in which {@code other} differs, as {@code setting: value of this, value of other};
   * empty if both are equal.
   */
  public List<String> differences(DistributedDefinition other) {
    List<String> found = new ArrayList<>();
    CacheDefinition.differ(found, "name", name, other.name);
    CacheDefinition.differ(found, "parts", parts, other.parts);
    CacheDefinition.differ(found, "partitioner", partitioner, other.partitioner);
    CacheDefinition.differ(found, "frontier", frontier, other.frontier);
    return found;
  }
}
