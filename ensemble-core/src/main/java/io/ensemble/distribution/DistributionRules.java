package io.ensemble.distribution;

import io.ensemble.CacheDefinition;
import io.ensemble.CyclicCacheException;
import io.ensemble.DistributedDefinition;
import io.ensemble.cache.adapter.CacheInstance;
import io.ensemble.cache.distributed.PartitionTable;
import io.ensemble.cache.distributed.PartitionTable.PendingRepartition;
import io.ensemble.cache.distributed.PartitionTable.Side;
import io.ensemble.catalog.definition.StoredDistribution;
import io.ensemble.partition.InstalledPartitioners;
import io.ensemble.partition.Partitioner;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.function.Function;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/**
 * The rules for the parts of distributed caches, and the partition tables of this process.
 * Thread-safe.
 */
final class DistributionRules {

  /** The deepest nesting of distributed caches. */
  static final int DEEPEST = 8;

  // Guarded by this object's lock.
  private @Nullable InstalledPartitioners installed;

  /** The partitioner of {@code definition}; fails unless it is installed and its settings fit. */
  Partitioner partitioner(DistributedDefinition definition) {
    return installed().partitioner(definition.partitioner(), definition.parts());
  }

  private synchronized InstalledPartitioners installed() {
    InstalledPartitioners known = installed;
    if (known == null) {
      ClassLoader context = Thread.currentThread().getContextClassLoader();
      known =
          InstalledPartitioners.on(
              context == null ? DistributionRules.class.getClassLoader() : context);
      installed = known;
    }
    return known;
  }

  /** The names of all parts in a record, present and future. */
  static Set<String> parts(StoredDistribution stored) {
    Set<String> parts = new LinkedHashSet<>(stored.definition().parts());
    stored.growth().ifPresent(growth -> parts.addAll(growth.to().parts()));
    return parts;
  }

  /** The partition table of a record, over parts that are open. */
  PartitionTable dealt(StoredDistribution stored, Map<String, CacheInstance> open) {
    return new PartitionTable(
        stored.revision(),
        stored.generation(),
        side(stored.definition(), open),
        stored
            .growth()
            .map(growth -> new PendingRepartition(growth, side(growth.to(), open)))
            .orElse(null));
  }

  private Side side(DistributedDefinition definition, Map<String, CacheInstance> open) {
    List<CacheInstance> parts = new ArrayList<>();
    for (String part : definition.parts()) {
      CacheInstance faces = open.get(part);
      if (faces == null) {
        throw missing(definition.name(), part);
      }
      checkPublic(definition.name(), faces.definition());
      parts.add(faces);
    }
    return new Side(definition, parts, partitioner(definition));
  }

  /** Fails for a private part, because its entries could not move to another part. */
  static void checkPublic(String whole, CacheDefinition part) {
    if (part.privacy().isPrivate()) {
      throw new IllegalArgumentException(
          "a private cache cannot be a part: its entries are bound to it; cache=%s part=%s"
              .formatted(whole, part.name()));
    }
  }

  /**
   * Fails if a path down from {@code definition} returns to a cache on it, is too long, or ends at
   * a missing cache.
   *
   * @param isPlain whether a cache of that name exists that is not distributed
   * @param distributed the distributed cache of that name
   */
  static void checkPaths(
      String root,
      DistributedDefinition definition,
      List<String> path,
      Set<String> seen,
      Predicate<String> isPlain,
      Function<String, Optional<DistributedDefinition>> distributed) {
    List<String> longer = longer(path, definition.name());
    for (String part : definition.parts()) {
      if (part.equals(root)) {
        throw new CyclicCacheException(longer(longer, part));
      }
      if (seen.add(part) && !isPlain.test(part)) {
        DistributedDefinition next = distributed.apply(part).orElseThrow(() -> missing(root, part));
        checkPaths(root, next, longer, seen, isPlain, distributed);
      }
    }
  }

  /**
   * The path with one more name; fails if that name is on the path already, or if the path becomes
   * too long.
   */
  static List<String> longer(List<String> path, String name) {
    List<String> longer = new ArrayList<>(path);
    longer.add(name);
    if (path.contains(name)) {
      throw new CyclicCacheException(longer.subList(path.indexOf(name), longer.size()));
    }
    if (longer.size() > DEEPEST) {
      throw new IllegalArgumentException(
          "distributed caches can be nested at most %d deep; path=%s"
              .formatted(DEEPEST, String.join(" -> ", longer)));
    }
    return longer;
  }

  static IllegalArgumentException missing(String whole, String part) {
    return new IllegalArgumentException(
        "a part of a distributed cache must be an existing cache; cache=%s part=%s"
            .formatted(whole, part));
  }
}
