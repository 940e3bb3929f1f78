package io.ensemble;

import io.ensemble.partition.PartitionerSpec;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;

/**
 * What a distributed cache is: the caches that it is made of, and how keys are dealt out to them.
 * Immutable; the constructor refuses settings that cannot work with {@link
 * IllegalArgumentException}.
 *
 * @param name as that of a {@link CacheDefinition}, and of no such cache
 * @param parts the names of caches, which may be distributed themselves; each once, 1 to {@value
 *     #MOST_PARTS}. Some partitioners depend on their order
 * @param partitioner what finds the part of a key
 * @param frontier whether a read finds only what is at the manager's local site (LEADS D2.6,
 *     section 4, "Frontier Mode")
 */
public record DistributedDefinition(
    String name, List<String> parts, PartitionerSpec partitioner, boolean frontier) {

  /** How many parts a cache may have. */
  public static final int MOST_PARTS = 256;

  /** The partitioner unless another one is given. */
  public static final PartitionerSpec DEFAULT = PartitionerSpec.of("rendezvous");

  public DistributedDefinition {
    NameRules.check("cache name", name);
    parts = List.copyOf(parts);
    parts.forEach(part -> NameRules.check("part's name", part));
    if (parts.isEmpty()
        || parts.size() > MOST_PARTS
        || new HashSet<>(parts).size() < parts.size()) {
      throw new IllegalArgumentException(
          "a distributed cache has 1 to %d parts, each once; cache=%s parts=%s"
              .formatted(MOST_PARTS, name, parts));
    }
  }

  /** A cache over these parts, by {@link #DEFAULT rendezvous}, not in frontier mode. */
  public static DistributedDefinition of(String name, String... parts) {
    return new DistributedDefinition(name, List.of(parts), DEFAULT, false);
  }

  /** A cache that is one site, to be a part of the cache {@code name}: {@code NAME.SITE}. */
  public static CacheDefinition partAt(String name, String site, Mode mode) {
    return CacheDefinition.of(name + "." + site, mode).sites(site).build();
  }

  /** The same by another partitioner. */
  public DistributedDefinition by(PartitionerSpec other) {
    return new DistributedDefinition(name, parts, other, frontier);
  }

  /** The same with one part more, the last. */
  public DistributedDefinition with(String part) {
    List<String> more = new ArrayList<>(parts);
    more.add(part);
    return new DistributedDefinition(name, more, partitioner, frontier);
  }

  /**
   * The same without that part.
   *
   * @throws IllegalArgumentException if it is none of them, or the only one
   */
  public DistributedDefinition without(String part) {
    List<String> fewer = new ArrayList<>(parts);
    if (!fewer.remove(part)) {
      throw new IllegalArgumentException(
          "a part that goes is one that is there; cache=%s part=%s parts=%s"
              .formatted(name, part, parts));
    }
    return new DistributedDefinition(name, fewer, partitioner, frontier);
  }

  /** The same in frontier mode. */
  public DistributedDefinition inFrontierMode() {
    return new DistributedDefinition(name, parts, partitioner, true);
  }

  /**
   * In which settings {@code other} differs, as {@code setting: ours, theirs}; empty when they are
   * equal.
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
