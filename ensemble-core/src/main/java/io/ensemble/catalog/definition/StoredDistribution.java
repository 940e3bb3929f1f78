package io.ensemble.catalog.definition;

import io.ensemble.DistributedDefinition;
import io.ensemble.repartition.Repartition;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.regex.Pattern;
import java.util.stream.IntStream;

/**
 * A distributed cache as the catalog has it.
 *
 * @param definition the cache's definition
 * @param birth 16 random hexadecimal digits, drawn at its creation: a cache that was deleted and
 *     created again is another one
 * @param fenced whether its clients look for generation marks in its parts, so that these may be
 *     changed
 * @param generation the number of completed changes of its parts, plus 1
 * @param revision grows by one with every change of this record; 1 at first
 * @param growth the change of its parts that is in progress
 */
public record StoredDistribution(
    DistributedDefinition definition,
    String birth,
    boolean fenced,
    long generation,
    long revision,
    Optional<Repartition> growth) {

  /** How many digits of the birth the names of shards contain. */
  private static final int BIRTH_DIGITS = 8;

  private static final Pattern BIRTH = Pattern.compile("[0-9a-f]{16}");

  public StoredDistribution {
    if (!BIRTH.matcher(birth).matches()) {
      throw new IllegalArgumentException(
          "birth must be 16 hexadecimal digits; cache=%s birth=%s"
              .formatted(definition.name(), birth));
    }
    if (generation < 1 || revision < 1) {
      throw new IllegalArgumentException(
          "generation and revision must be 1 or more; cache=%s generation=%d revision=%d"
              .formatted(definition.name(), generation, revision));
    }
    if (growth.isPresent() && (!fenced || !growth.get().to().name().equals(definition.name()))) {
      throw new IllegalArgumentException(
          "a repartition requires a cache with generation marks and must keep its name; cache="
              + definition.name());
    }
  }

  /** The first record of a cache whose parts never change. */
  public StoredDistribution(DistributedDefinition definition, String birth) {
    this(definition, birth, false, 1, 1, Optional.empty());
  }

  /** The same record, with clients that look for generation marks. */
  public StoredDistribution withFence() {
    return new StoredDistribution(definition, birth, true, generation, revision, growth);
  }

  /**
   * The names for the shards of a cache that is created under {@code birth}. No earlier cache has
   * one of them.
   */
  public static List<String> shardNames(String cache, String birth, int shards) {
    return IntStream.rangeClosed(1, shards)
        .mapToObj(number -> shardPrefix(cache, birth) + number)
        .toList();
  }

  private static String shardPrefix(String cache, String birth) {
    return cache + "." + birth.substring(0, BIRTH_DIGITS) + ".";
  }

  /**
   * Those of its parts, present and future ones, that are its shards: they were created with it,
   * and are deleted with it. Empty for a cache without shards.
   */
  public List<String> shards() {
    Set<String> all = new LinkedHashSet<>(definition.parts());
    growth.ifPresent(change -> all.addAll(change.to().parts()));
    return all.stream().filter(this::hasNameOfShard).toList();
  }

  /** Whether a part of that name counts as a shard. */
  public boolean hasNameOfShard(String part) {
    return part.startsWith(shardPrefix(definition.name(), birth));
  }

  /** The next revision, with this change. */
  public StoredDistribution with(Repartition change) {
    return new StoredDistribution(
        definition, birth, fenced, generation, revision + 1, Optional.of(change));
  }

  /** The next revision, in which the change in progress has ended. */
  public StoredDistribution grown() {
    return new StoredDistribution(
        growth.orElseThrow().to(), birth, fenced, generation + 1, revision + 1, Optional.empty());
  }

  /** Whether {@code other} is of the same creation of the same cache, at any revision. */
  public boolean isSameBirth(StoredDistribution other) {
    return birth.equals(other.birth) && definition.name().equals(other.definition.name());
  }

  /** Whether {@code next} may replace this record: the same birth, the next revision. */
  boolean isBefore(StoredDistribution next) {
    return isSameBirth(next) && revision == next.revision - 1;
  }
}
