package io.ensemble.distribution;

import io.ensemble.CacheDefinition;
import io.ensemble.DistributedDefinition;
import io.ensemble.cache.adapter.CacheInstance;
import io.ensemble.catalog.Catalog;
import io.ensemble.catalog.definition.CacheExistsException;
import io.ensemble.catalog.definition.StoredDistribution;
import io.ensemble.catalog.record.CatalogException;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.function.Consumer;

/**
 * Creates and deletes distributed caches together with their shards. Methods block, as those of the
 * manager do. Thread-safe.
 */
public final class ShardedCaches {

  private static final int MOST_TRIES = 8;

  private final DistributedCaches distributed;
  private final CacheParts parts;
  private final Consumer<CacheDefinition> creation;
  private final Consumer<String> deletion;

  /**
   * @param creation creates a cache that is not distributed
   * @param deletion deletes such a cache, if it exists
   */
  public ShardedCaches(
      DistributedCaches distributed,
      CacheParts parts,
      Consumer<CacheDefinition> creation,
      Consumer<String> deletion) {
    this.distributed = distributed;
    this.parts = parts;
    this.creation = creation;
    this.deletion = deletion;
  }

  /**
   * Creates the cache, or opens it if it exists with equal settings.
   *
   * @param settings of each shard, under the name of the whole cache
   */
  public CacheInstance create(CacheDefinition settings, int shards) {
    if (shards < 1 || shards > DistributedDefinition.MOST_PARTS) {
      throw new IllegalArgumentException(
          "shards must be 1 to %d; got %d; cache=%s"
              .formatted(DistributedDefinition.MOST_PARTS, shards, settings.name()));
    }
    DistributionRules.checkPublic(settings.name(), settings);
    Optional<StoredDistribution> existing = distributed.stored(settings.name());
    return existing.isPresent()
        ? open(existing.get(), settings, shards)
        : createNew(settings, shards);
  }

  private CacheInstance createNew(CacheDefinition settings, int count) {
    String birth = distributed.newBirth();
    List<String> shards = StoredDistribution.shardNames(settings.name(), birth, count);
    DistributedDefinition cache =
        new DistributedDefinition(settings.name(), shards, DistributedDefinition.DEFAULT, false);
    int begun = 0;
    try {
      parts.check(cache, Set.copyOf(shards));
      for (String shard : shards) {
        begun++;
        creation.accept(settings.named(shard));
      }
      return distributed.create(cache, birth);
    } catch (RuntimeException failure) {
      Optional<StoredDistribution> stored = Optional.empty();
      try {
        stored = distributed.stored(settings.name());
        if (stored.isEmpty() || !stored.get().birth().equals(birth)) {
          deleteEach(shards.subList(0, begun), failure);
        }
      } catch (RuntimeException unclear) {
        // In this case the shards stay, because the record may name them.
        failure.addSuppressed(unclear);
      }
      if (stored.isPresent() && isExisting(failure)) { // Another process was faster.
        return open(stored.get(), settings, count);
      }
      throw failure;
    }
  }

  private void deleteEach(List<String> shards, RuntimeException failure) {
    for (String shard : shards) {
      try {
        deletion.accept(shard);
      } catch (RuntimeException stays) {
        failure.addSuppressed(stays);
      }
    }
  }

  private static boolean isExisting(RuntimeException failure) {
    return failure instanceof CatalogException why
        && why.reason() == CatalogException.Reason.EXISTS;
  }

  /** Opens an existing cache; fails if it has other settings, or a shard is missing. */
  private CacheInstance open(StoredDistribution stored, CacheDefinition settings, int count) {
    List<String> shards = stored.shards();
    if (shards.size() != count) {
      throw new CatalogException(
          CatalogException.Reason.EXISTS,
          "the cache exists with another number of shards; cache=%s shards=%d requested=%d"
              .formatted(settings.name(), shards.size(), count));
    }
    for (String shard : shards) {
      CacheDefinition found =
          distributed
              .definitionOf(shard)
              .orElseThrow(
                  () ->
                      new CatalogException(
                          CatalogException.Reason.EXISTS,
                          "a shard is missing, because a deletion of the cache was interrupted:"
                              + " delete the cache again; cache=%s shard=%s"
                                  .formatted(settings.name(), shard)));
      CacheDefinition wanted = settings.named(shard);
      if (!Catalog.isSatisfiedBy(wanted, found)) {
        throw new CacheExistsException(found, wanted);
      }
    }
    return distributed.opened(stored).faces();
  }

  /**
   * Deletes the shards of a cache and then the cache. If the cache has no shards, nothing is done
   * and the result is false.
   */
  public boolean delete(String name) {
    Optional<StoredDistribution> stored = distributed.stored(name);
    if (stored.isEmpty() || stored.get().shards().isEmpty()) {
      return false;
    }
    List<String> shards = stored.get().shards();
    Set<String> all = new HashSet<>(shards);
    all.add(name);
    distributed.checkUnused(all, name);
    shards.forEach(deletion);
    for (int i = 0; i < MOST_TRIES; i++) { // A change of the parts writes the record meanwhile.
      Optional<StoredDistribution> now =
          distributed.stored(name).filter(one -> one.isSameBirth(stored.get()));
      if (now.isEmpty() || distributed.delete(now.get())) {
        return true;
      }
    }
    throw new CatalogException(
        CatalogException.Reason.CHANGED,
        "other processes changed the record at each attempt; delete the cache again; "
            + "cache="
            + name);
  }
}
