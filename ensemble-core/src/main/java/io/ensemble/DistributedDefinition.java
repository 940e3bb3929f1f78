package io.ensemble;

import io.ensemble.partition.PartitionerSpec;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.stream.IntStream;

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
 * @param sharded whether its parts are its shards, which are created and deleted together with it
 */
public record DistributedDefinition(
    String name,
    List<String> parts,
    PartitionerSpec partitioner,
    boolean frontier,
    boolean sharded) {

  /** How many parts a cache may have. */
  public static final int MOST_PARTS = 256;

  /** The partitioner unless another one is given. */
  public static final PartitionerSpec DEFAULT = PartitionerSpec.of("rendezvous");

  public DistributedDefinition {
    Names.check("cache name", name);
    parts = List.copyOf(parts);
    parts.forEach(part -> Names.check("part's name", part));
    if (parts.isEmpty()
        || parts.size() > MOST_PARTS
        || new HashSet<>(parts).size() < parts.size()) {
      throw new IllegalArgumentException(
          "a distributed cache has 1 to %d parts, each once; cache=%s parts=%s"
              .formatted(MOST_PARTS, name, parts));
    }
  }

  /** A cache over parts that are caches of their own, and stay when it is deleted. */
  public DistributedDefinition(
      String name, List<String> parts, PartitionerSpec partitioner, boolean frontier) {
    this(name, parts, partitioner, frontier, false);
  }

  /** A cache over these parts, by {@link #DEFAULT rendezvous}, not in frontier mode. */
  public static DistributedDefinition of(String name, String... parts) {
    return new DistributedDefinition(name, List.of(parts), DEFAULT, false);
  }

  /**
   * A cache over its own shards {@code NAME.1}, {@code NAME.2} and so on; {@link #DEFAULT
   * rendezvous hashing} finds the shard of a key.
   *
   * @param shards 1 to {@value #MOST_PARTS}
   */
  public static DistributedDefinition ofShards(String name, int shards) {
    return new DistributedDefinition(
        name,
        IntStream.rangeClosed(1, Math.min(shards, MOST_PARTS + 1))
            .mapToObj(number -> name + "." + number)
            .toList(),
        DEFAULT,
        false,
        true);
  }

  /** A cache that is one site, to be a part of the cache {@code name}: {@code NAME.SITE}. */
  public static CacheDefinition partAt(String name, String site, Mode mode) {
    return CacheDefinition.of(name + "." + site, mode).sites(site).build();
  }

  /** The same by another partitioner. */
  public DistributedDefinition by(PartitionerSpec other) {
    return new DistributedDefinition(name, parts, other, frontier, sharded);
  }

  /** The same with one part more, the last. */
  public DistributedDefinition with(String part) {
    List<String> more = new ArrayList<>(parts);
    more.add(part);
    return new DistributedDefinition(name, more, partitioner, frontier, sharded);
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
    return new DistributedDefinition(name, fewer, partitioner, frontier, sharded);
  }

  /** The same in frontier mode. */
  public DistributedDefinition inFrontierMode() {
    return new DistributedDefinition(name, parts, partitioner, true, sharded);
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
    CacheDefinition.differ(found, "sharded", sharded, other.sharded);
    return found;
  }
}
