package io.ensemble.migrate;

import io.ensemble.cache.CompletionCause;
import io.ensemble.cache.StoreHandle;
import io.ensemble.cache.quorum.AsyncLoop;
import io.ensemble.cache.quorum.VisitedKeys;
import io.ensemble.schedule.Deadline;
import io.ensemble.schedule.Scheduler;
import io.ensemble.site.Bytes;
import io.ensemble.site.SiteStore;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Deque;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.function.Function;
import java.util.function.Predicate;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * Settles every key once: keys of the cache, keys that only a new store still has, and keys of
 * which a write has an unknown outcome. One scan at a time.
 */
final class KeyspaceScan {

  private static final int BATCH = 64;
  private static final Duration REQUEST = Duration.ofSeconds(5);

  /**
   * A group of stores, of which some are scanned.
   *
   * @param sitesToScan how many of them must be scanned to find every key
   * @param mayLose whether another store may be scanned instead of the one at a site that has
   *     failed
   */
  record StoreGroup(List<StoreHandle> stores, int sitesToScan, Predicate<String> mayLose) {

    static StoreGroup of(MigrationSource source) {
      return new StoreGroup(source.stores(), source.sitesToScan(), source::mayLose);
    }
  }

  private final Deque<StoreGroup> stretches;
  private final Supplier<Collection<Bytes>> doubtfulKeys;
  private final Function<Bytes, CompletionStage<?>> keyHandler;
  private final CopyProgress copyProgress;
  private final CopyRateLimiter copyRateLimiter;
  private final Scheduler scheduler;
  private final VisitedKeys visitedKeys;
  private final Deque<Bytes> pendingKeys = new ArrayDeque<>();
  private final Deque<StoreHandle> remainingStores = new ArrayDeque<>();
  private final List<Throwable> failures = new ArrayList<>();
  private Predicate<String> mayLose = site -> false;
  private int sitesToScan;
  private long handledSteps;
  private boolean hasScannedDoubtful;
  private SiteStore.@Nullable Scan scan;
  private String currentSite = "";

  /**
   * @param stretches the groups of stores to scan, one after the other
   * @param doubtfulKeys keys to settle after all others
   * @param keyHandler settles a key
   * @param copyProgress counts keys
   * @param copyRateLimiter limits the keys a second
   */
  KeyspaceScan(
      List<StoreGroup> stretches,
      Supplier<Collection<Bytes>> doubtfulKeys,
      Function<Bytes, CompletionStage<?>> keyHandler,
      CopyProgress copyProgress,
      CopyRateLimiter copyRateLimiter,
      Scheduler scheduler,
      long seed) {
    this.stretches = new ArrayDeque<>(stretches);
    this.doubtfulKeys = doubtfulKeys;
    this.keyHandler = keyHandler;
    this.copyProgress = copyProgress;
    this.copyRateLimiter = copyRateLimiter;
    this.scheduler = scheduler;
    visitedKeys = new VisitedKeys(seed);
  }

  /**
   * Runs the scan; fails with the failure of a site or of the cache, and may then be repeated with
   * a new instance.
   */
  CompletionStage<Void> run() {
    return AsyncLoop.whileTrue(scheduler, this::scanStep)
        .whenComplete(
            (done, failure) -> {
              closeScan();
              if (failure == null) {
                copyProgress.finishScan();
              }
            });
  }

  private CompletionStage<Boolean> scanStep() {
    if (!pendingKeys.isEmpty()) {
      return handlePendingKeys();
    }
    SiteStore.Scan current = scan;
    if (current != null) {
      return current
          .next(requestDeadline())
          .handle(
              (items, failure) -> {
                if (failure != null) {
                  return recordFailure(failure);
                }
                copyProgress.recordStep(++handledSteps);
                if (items.isEmpty()) {
                  closeScan();
                  sitesToScan--;
                }
                addKeys(items.stream().map(SiteStore.Scan.Item::key).toList());
                return CompletableFuture.completedFuture(true);
              })
          .thenCompose(stage -> stage);
    }
    if (sitesToScan > 0) {
      return nextStore();
    }
    if (!stretches.isEmpty()) {
      beginStoreGroup(stretches.remove());
      return CompletableFuture.completedFuture(true);
    }
    boolean hasMore = !hasScannedDoubtful;
    hasScannedDoubtful = true;
    addKeys(doubtfulKeys.get());
    return CompletableFuture.completedFuture(hasMore);
  }

  private void beginStoreGroup(StoreGroup storeGroup) {
    remainingStores.clear();
    remainingStores.addAll(storeGroup.stores);
    failures.clear();
    mayLose = storeGroup.mayLose;
    sitesToScan = storeGroup.sitesToScan;
  }

  private CompletionStage<Boolean> nextStore() {
    if (remainingStores.isEmpty()) {
      Throwable cause =
          failures.isEmpty() ? new IllegalStateException("no store") : failures.get(0);
      return CompletableFuture.failedFuture(cause);
    }
    StoreHandle handle = remainingStores.remove();
    return handle
        .store(requestDeadline())
        .handle(
            (store, failure) -> {
              currentSite = handle.site();
              if (failure != null) {
                return recordFailure(failure);
              }
              scan = store.scan(BATCH);
              return CompletableFuture.completedFuture(true);
            })
        .thenCompose(stage -> stage);
  }

  /** Continues with another site where that is allowed, after a site has failed. */
  private CompletionStage<Boolean> recordFailure(Throwable failure) {
    closeScan();
    if (!mayLose.test(currentSite)) {
      return CompletableFuture.failedFuture(CompletionCause.of(failure));
    }
    failures.add(CompletionCause.of(failure));
    return CompletableFuture.completedFuture(true);
  }

  private void addKeys(Collection<Bytes> keys) {
    for (Bytes key : keys) {
      if (!visitedKeys.contains(key)) {
        visitedKeys.add(key);
        pendingKeys.add(key);
      }
    }
  }

  private CompletionStage<Boolean> handlePendingKeys() {
    List<Bytes> batch = new ArrayList<>();
    int maxKeys = copyRateLimiter.maxBatch();
    while (!pendingKeys.isEmpty() && batch.size() < maxKeys) {
      batch.add(pendingKeys.remove());
    }
    return copyRateLimiter
        .acquire(batch.size())
        .thenCompose(
            permitted ->
                CompletableFuture.allOf(
                    batch.stream()
                        .map(
                            key ->
                                keyHandler
                                    .apply(key)
                                    .thenRun(copyProgress::countKey)
                                    .toCompletableFuture())
                        .toArray(CompletableFuture<?>[]::new)))
        .thenApply(
            done -> {
              handledSteps += batch.size();
              copyProgress.recordStep(handledSteps);
              return true;
            });
  }

  private Deadline requestDeadline() {
    return Deadline.after(REQUEST, scheduler);
  }

  private void closeScan() {
    SiteStore.Scan openScan = scan;
    scan = null;
    if (openScan != null) {
      openScan.close();
    }
  }
}
