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

  private final CacheEngine engine;
  private final EngineContext cache;
  private final int batchSize;
  private final VisitedKeys met;
  private final Deque<StoreHandle> left;
  private final List<StoreHandle> failed = new ArrayList<>();
  private final SiteResponses siteResponses;
  private final Set<Bytes> pending = new LinkedHashSet<>();
  private int toWalk;
  private @Nullable StoreHandle walking;
  private SiteStore.@Nullable Scan scan;

  public QuorumScan(CacheEngine engine, EngineContext cache, int batchSize) {
    this(
        engine,
        cache,
        batchSize,
        cache.stores(),
        cache.stores().size() - cache.definition().majority() + 1);
  }

  /**
   * As the other constructor, for a cache whose keys may be held by fewer sites than a majority.
   *
   * @param order the cache's stores, in the order of preference for the scan
   * @param toWalk how many sites to scan
   */
  public QuorumScan(
      CacheEngine engine, EngineContext cache, int batchSize, List<StoreHandle> order, int toWalk) {
    this.engine = engine;
    this.cache = cache;
    this.batchSize = batchSize;
    met = new VisitedKeys(cache.writer().high());
    left = new ArrayDeque<>(order);
    siteResponses = new SiteResponses(cache.definition().sites());
    this.toWalk = toWalk;
  }

  @Override
  public CompletionStage<List<Entry>> next(Deadline deadline) {
    List<Entry> found = new ArrayList<>();
    return AsyncLoop.whileTrue(cache.scheduler(), () -> step(found, deadline))
        .thenApply(done -> found);
  }

  /** Makes a step towards the next entries; false when there are some, or none are left. */
  private CompletionStage<Boolean> step(List<Entry> found, Deadline deadline) {
    if (!pending.isEmpty()) {
      return readSome(found, deadline);
    }
    SiteStore.Scan current = scan;
    if (current != null) {
      return current
          .next(soon(deadline))
          .handle((items, failure) -> failure == null ? walked(items) : lost(failure));
    }
    return toWalk == 0 ? CompletableFuture.completedFuture(false) : nextSite(deadline);
  }

  private CompletionStage<Boolean> nextSite(Deadline deadline) {
    if (left.size() < toWalk || deadline.hasPassed(cache.scheduler())) {
      left.addAll(failed);
      failed.clear();
      return CompletableFuture.failedFuture(
          new QuorumUnavailableException(cache.definition().name(), siteResponses.shortfall()));
    }
    StoreHandle handle = left.remove();
    walking = handle;
    return handle
        .store(soon(deadline))
        .handle(
            (store, failure) -> {
              if (failure != null) {
                return lost(failure);
              }
              scan = store.scan(batchSize);
              return true;
            });
  }

  /** Limits a request so that time for another site is left. */
  private Deadline soon(Deadline deadline) {
    long share = Math.max(0, deadline.remainingNanos(cache.scheduler())) / 2;
    return deadline.at(cache.scheduler().nanos() + Math.min(share, REQUEST_NANOS));
  }

  private boolean walked(List<SiteStore.Scan.Item> items) {
    if (items.isEmpty()) {
      closeScan();
      toWalk--;
    }
    for (SiteStore.Scan.Item item : items) {
      if (!met.contains(item.key())) {
        pending.add(item.key());
      }
    }
    return true;
  }

  private boolean lost(Throwable failure) {
    StoreHandle handle = walking;
    if (handle != null) {
      siteResponses.silent(cache.stores().indexOf(handle), CompletionCause.of(failure));
      failed.add(handle);
    }
    closeScan();
    return true;
  }

  /** Removes keys from the list only when all of them were read. */
  private CompletionStage<Boolean> readSome(List<Entry> found, Deadline deadline) {
    List<Bytes> keys = pending.stream().limit(READS_AT_ONCE).toList();
    CompletionStage<List<Entry>> entries = CompletableFuture.completedFuture(new ArrayList<>());
    for (Bytes key : keys) {
      CompletionStage<Optional<Payload>> value = engine.read(key, deadline);
      entries =
          entries.thenCombine(
              value,
              (live, payload) -> {
                payload.ifPresent(there -> live.add(new Entry(key, there)));
                return live;
              });
    }
    return entries.thenApply(
        live -> {
          found.addAll(live);
          keys.forEach(met::add);
          keys.forEach(pending::remove);
          return found.isEmpty();
        });
  }

  private void closeScan() {
    SiteStore.Scan open = scan;
    scan = null;
    walking = null;
    if (open != null) {
      open.close();
    }
  }

  @Override
  public void close() {
    closeScan();
    toWalk = 0;
    pending.clear();
  }
}
