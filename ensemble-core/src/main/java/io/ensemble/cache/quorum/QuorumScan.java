package io.ensemble.cache.quorum;

import io.ensemble.QuorumUnavailableException;
import io.ensemble.cache.CacheEngine;
import io.ensemble.cache.CacheEngine.EntryScan;
import io.ensemble.cache.CompletionCause;
import io.ensemble.cache.EngineContext;
import io.ensemble.cache.Payload;
import io.ensemble.cache.StoreHandle;
import io.ensemble.schedule.Deadline;
import io.ensemble.site.Bytes;
import io.ensemble.site.SiteStore;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import org.jspecify.annotations.Nullable;

/**
 * A scan of a cache of a quorum engine. A written key is held by a majority. So a scan of enough
 * sites, such that the others are no majority, finds every key. Each key is then read by an
 * ordinary read, a few at a time. The scan remembers the {@link VisitedKeys fingerprints} of keys,
 * to return each key once. A failed site is replaced by another one. If a call finds too few sites,
 * the next call tries the failed sites again.
 */
public final class QuorumScan implements EntryScan {

  /** How many keys are read at a time, however large the batches. */
  private static final int READS_AT_ONCE = 64;

  private static final long REQUEST_NANOS = 2_000_000_000;

  /** Stands for the value of a key that is not read. */
  private static final Payload UNREAD = new Payload(Bytes.of(), 0);

  private final CacheEngine engine;
  private final EngineContext cache;
  private final int batchSize;
  private final VisitedKeys visitedKeys;
  private final boolean readsValues;
  private final Deque<StoreHandle> remainingStores;
  private final List<StoreHandle> failedStores = new ArrayList<>();
  private final SiteResponses siteResponses;
  private final Set<Bytes> pendingKeys = new LinkedHashSet<>();
  private int sitesToScan;
  private @Nullable StoreHandle currentStore;

  // Both are volatile: a caller may close the scan while a store is being opened for it.
  private volatile SiteStore.@Nullable Scan scan;
  private volatile boolean isClosed;

  public QuorumScan(CacheEngine engine, EngineContext cache, int batchSize) {
    this(
        engine,
        cache,
        batchSize,
        cache.stores(),
        cache.stores().size() - cache.definition().majority() + 1,
        true);
  }

  /** A scan of keys, as {@link CacheEngine#scanKeys}. */
  public static QuorumScan ofKeys(CacheEngine engine, EngineContext cache, int batchSize) {
    return new QuorumScan(
        engine,
        cache,
        batchSize,
        cache.stores(),
        cache.stores().size() - cache.definition().majority() + 1,
        false);
  }

  /**
   * As the other constructor, for a cache whose keys may be held by fewer sites than a majority.
   *
   * @param order the cache's stores, in the order of preference for the scan
   * @param sitesToScan how many sites to scan
   * @param readsValues false for a scan of keys, as {@link CacheEngine#scanKeys}
   */
  public QuorumScan(
      CacheEngine engine,
      EngineContext cache,
      int batchSize,
      List<StoreHandle> order,
      int sitesToScan,
      boolean readsValues) {
    this.engine = engine;
    this.cache = cache;
    this.batchSize = batchSize;
    visitedKeys = new VisitedKeys(cache.writer().high());
    remainingStores = new ArrayDeque<>(order);
    siteResponses = new SiteResponses(cache.definition().sites());
    this.sitesToScan = sitesToScan;
    this.readsValues = readsValues;
  }

  @Override
  public CompletionStage<List<Entry>> next(Deadline deadline) {
    List<Entry> results = new ArrayList<>();
    return AsyncLoop.whileTrue(cache.scheduler(), () -> scanStep(results, deadline))
        .thenApply(done -> results);
  }

  /** Makes a step towards the next entries; false when there are some, or none are left. */
  private CompletionStage<Boolean> scanStep(List<Entry> results, Deadline deadline) {
    if (isClosed) {
      closeScan(); // A scan that was opened since.
      return CompletableFuture.completedFuture(false);
    }
    if (!pendingKeys.isEmpty()) {
      return readPendingKeys(results, deadline);
    }
    SiteStore.Scan current = scan;
    if (current != null) {
      return current
          .next(requestDeadline(deadline))
          .handle(
              (items, failure) -> failure == null ? addScannedKeys(items) : recordFailure(failure));
    }
    return sitesToScan == 0 ? CompletableFuture.completedFuture(false) : nextSite(deadline);
  }

  private CompletionStage<Boolean> nextSite(Deadline deadline) {
    if (remainingStores.size() < sitesToScan || deadline.hasPassed(cache.scheduler())) {
      remainingStores.addAll(failedStores);
      failedStores.clear();
      return CompletableFuture.failedFuture(
          new QuorumUnavailableException(cache.definition().name(), siteResponses.shortfall()));
    }
    StoreHandle handle = remainingStores.remove();
    currentStore = handle;
    return handle
        .store(requestDeadline(deadline))
        .handle(
            (store, failure) -> {
              if (failure != null) {
                return recordFailure(failure);
              }
              scan = store.scan(batchSize);
              return true;
            });
  }

  /** Limits a request so that time for another site is left. */
  private Deadline requestDeadline(Deadline deadline) {
    long share = Math.max(0, deadline.remainingNanos(cache.scheduler())) / 2;
    return deadline.at(cache.scheduler().nanos() + Math.min(share, REQUEST_NANOS));
  }

  private boolean addScannedKeys(List<SiteStore.Scan.Item> items) {
    if (items.isEmpty()) {
      closeScan();
      sitesToScan--;
    }
    for (SiteStore.Scan.Item item : items) {
      if (!visitedKeys.contains(item.key())) {
        pendingKeys.add(item.key());
      }
    }
    return true;
  }

  private boolean recordFailure(Throwable failure) {
    StoreHandle handle = currentStore;
    if (handle != null) {
      siteResponses.silent(cache.stores().indexOf(handle), CompletionCause.of(failure));
      failedStores.add(handle);
    }
    closeScan();
    return true;
  }

  /** Removes keys from the list only when all of them were read. */
  private CompletionStage<Boolean> readPendingKeys(List<Entry> results, Deadline deadline) {
    if (!readsValues) {
      pendingKeys.forEach(key -> results.add(new Entry(key, UNREAD)));
      pendingKeys.clear();
      return CompletableFuture.completedFuture(false);
    }
    List<Bytes> keys = pendingKeys.stream().limit(READS_AT_ONCE).toList();
    CompletionStage<List<Entry>> entries = CompletableFuture.completedFuture(new ArrayList<>());
    for (Bytes key : keys) {
      CompletionStage<Optional<Payload>> value = engine.read(key, deadline);
      entries =
          entries.thenCombine(
              value,
              (liveEntries, payload) -> {
                payload.ifPresent(livePayload -> liveEntries.add(new Entry(key, livePayload)));
                return liveEntries;
              });
    }
    return entries.thenApply(
        liveEntries -> {
          results.addAll(liveEntries);
          keys.forEach(visitedKeys::add);
          keys.forEach(pendingKeys::remove);
          return results.isEmpty();
        });
  }

  private void closeScan() {
    SiteStore.Scan openScan = scan;
    scan = null;
    currentStore = null;
    if (openScan != null) {
      openScan.close();
    }
  }

  @Override
  public void close() {
    isClosed = true;
    closeScan();
  }
}
