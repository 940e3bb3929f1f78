package io.ensemble.cache.quorum;

import io.ensemble.CacheDefinition;
import io.ensemble.cache.EngineContext;
import io.ensemble.cache.SiteRepair;
import io.ensemble.schedule.Deadline;
import io.ensemble.site.Bytes;
import io.ensemble.site.SiteStore.Scan.Item;
import io.ensemble.site.StoredEntry;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.BiPredicate;
import java.util.function.BooleanSupplier;
import java.util.function.Function;

/**
 * Repairs the sites of a strong cache, by a function of its mode that brings a key to all sites.
 */
public final class QuorumRepair implements SiteRepair {

  private static final int AT_ONCE = 64;

  private final EngineContext cache;
  private final MissedKeys missed;
  private final BooleanSupplier canRepair;
  private final BiPredicate<Item, Optional<StoredEntry>> isBehind;
  private final Function<Bytes, CompletionStage<Void>> keyRepair;

  /**
   * @param missed the keys that sites have missed, as recorded by this process; a site that misses
   *     a key while the key is levelled is recorded there
   * @param canRepair whether this process may bring keys to sites
   * @param isBehind whether a site's entry lacks something that another site's has
   * @param keyRepair brings a key to all sites that answer; fails when it cannot
   */
  public QuorumRepair(
      EngineContext cache,
      MissedKeys missed,
      BooleanSupplier canRepair,
      BiPredicate<Item, Optional<StoredEntry>> isBehind,
      Function<Bytes, CompletionStage<Void>> keyRepair) {
    this.cache = cache;
    this.missed = missed;
    this.canRepair = canRepair;
    this.isBehind = isBehind;
    this.keyRepair = keyRepair;
  }

  @Override
  public boolean canRepair() {
    return canRepair.getAsBoolean();
  }

  @Override
  public MissedKeyCount missed(String site) {
    return missed.of(index(site));
  }

  private int index(String site) {
    CacheDefinition definition = cache.definition();
    int index = definition.sites().indexOf(site);
    if (index < 0) {
      throw new IllegalArgumentException(
          "the cache has no replica at this site; expected one of %s, got '%s'"
              .formatted(definition.sites(), site));
    }
    return index;
  }

  /** Processes the keys recorded now; keys missed meanwhile are left to the next call. */
  @Override
  public CompletionStage<Long> repair(String site, Deadline deadline) {
    int index = index(site);
    int[] remainingKeys = {missed.of(index).keys()};
    AtomicLong repairedKeys = new AtomicLong();
    return AsyncLoop.whileTrue(
            cache.scheduler(),
            () -> {
              List<Bytes> keys = missed.take(index, Math.min(AT_ONCE, remainingKeys[0]));
              remainingKeys[0] -= keys.size();
              return keys.isEmpty()
                  ? CompletableFuture.completedFuture(false)
                  : repairKeys(index, keys, repairedKeys)
                      .thenApply(done -> !deadline.hasPassed(cache.scheduler()));
            })
        .thenApply(done -> repairedKeys.get());
  }

  private CompletionStage<Void> repairKeys(int site, List<Bytes> keys, AtomicLong repairedKeys) {
    CompletionStage<Void> all = CompletableFuture.completedFuture(null);
    for (Bytes key : keys) {
      CompletionStage<Void> repair =
          keyRepair
              .apply(key)
              .handle(
                  (done, failure) -> {
                    if (failure == null) {
                      repairedKeys.incrementAndGet();
                    } else {
                      missed.add(site, key);
                    }
                    return null;
                  });
      all = all.thenCombine(repair, (before, done) -> null);
    }
    return all;
  }

  @Override
  public CompletionStage<Long> compare(String site, int keysPerSecond, Deadline deadline) {
    int index = index(site);
    boolean hadMissedKeys = missed.forget(index);
    return new SiteComparison(cache, index, keysPerSecond, deadline, isBehind, keyRepair::apply)
        .run()
        .whenComplete(
            (keys, failure) -> {
              if (failure != null && hadMissedKeys) {
                missed.more(index);
              }
            });
  }
}
