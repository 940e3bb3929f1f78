package io.ensemble.cache.mwmr;

import io.ensemble.QuorumUnavailableException;
import io.ensemble.cache.CacheEngine;
import io.ensemble.cache.CacheEngine.EntryScan;
import io.ensemble.cache.OpenCache;
import io.ensemble.cache.Payload;
import io.ensemble.cache.StoreHandle;
import io.ensemble.schedule.Deadline;
import io.ensemble.site.Bytes;
import io.ensemble.site.SiteStore;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import org.jspecify.annotations.Nullable;

/**
 * A walk over an MWMR cache. A key that was written is held by a majority, so walking over so many
 * sites that the others are no majority meets every key; each is then read as any read is.
 * Remembers the keys it has met, to give each once. A site that fails is left for another one.
 */
final class MwmrScan implements EntryScan {

  private final CacheEngine engine;
  private final OpenCache cache;
  private final int batchSize;
  private final Set<Bytes> met = new HashSet<>();
  private final List<StoreHandle> left;
  private final Answers answers = new Answers();
  private int toWalk;
  private @Nullable StoreHandle walking;
  private SiteStore.@Nullable Scan scan;
  private List<Bytes> pending = List.of();

  MwmrScan(CacheEngine engine, OpenCache cache, int batchSize) {
    this.engine = engine;
    this.cache = cache;
    this.batchSize = batchSize;
    left = new ArrayList<>(cache.stores());
    toWalk = cache.stores().size() - cache.definition().majority() + 1;
  }

  @Override
  public CompletionStage<List<Entry>> next(Deadline deadline) {
    if (!pending.isEmpty()) {
      return readPending(deadline);
    }
    SiteStore.Scan current = scan;
    if (current == null) {
      return toWalk == 0 ? done() : nextSite(deadline);
    }
    return current
        .next(deadline)
        .handle(
            (items, failure) -> failure == null ? walked(items, deadline) : lost(failure, deadline))
        .thenCompose(stage -> stage);
  }

  private static CompletionStage<List<Entry>> done() {
    return CompletableFuture.completedFuture(List.of());
  }

  private CompletionStage<List<Entry>> nextSite(Deadline deadline) {
    if (left.size() < toWalk) {
      return CompletableFuture.failedFuture(
          new QuorumUnavailableException(
              cache.definition().name(), answers.shortfall(cache.definition().sites())));
    }
    StoreHandle handle = left.remove(0);
    walking = handle;
    return handle
        .store(deadline)
        .handle(
            (store, failure) -> {
              if (failure != null) {
                return lost(failure, deadline);
              }
              scan = store.scan(batchSize);
              return next(deadline);
            })
        .thenCompose(stage -> stage);
  }

  private CompletionStage<List<Entry>> walked(List<SiteStore.Scan.Item> items, Deadline deadline) {
    if (items.isEmpty()) {
      closeScan();
      toWalk--;
      return next(deadline);
    }
    List<Bytes> fresh = new ArrayList<>(items.size());
    for (SiteStore.Scan.Item item : items) {
      if (!met.contains(item.key())) {
        fresh.add(item.key());
      }
    }
    pending = fresh;
    return fresh.isEmpty() ? next(deadline) : readPending(deadline);
  }

  private CompletionStage<List<Entry>> lost(Throwable failure, Deadline deadline) {
    StoreHandle handle = walking;
    if (handle != null) {
      answers.silent(handle.site(), failure);
    }
    closeScan();
    return nextSite(deadline);
  }

  private CompletionStage<List<Entry>> readPending(Deadline deadline) {
    List<Bytes> keys = pending;
    CompletionStage<List<Entry>> entries = CompletableFuture.completedFuture(new ArrayList<>());
    for (Bytes key : keys) {
      CompletionStage<Optional<Payload>> value = engine.read(key, deadline);
      entries =
          entries.thenCombine(
              value,
              (found, payload) -> {
                payload.ifPresent(live -> found.add(new Entry(key, live)));
                return found;
              });
    }
    return entries.thenCompose(
        found -> {
          met.addAll(keys);
          pending = List.of();
          return found.isEmpty() ? next(deadline) : CompletableFuture.completedFuture(found);
        });
  }

  private void closeScan() {
    SiteStore.Scan open = scan;
    scan = null;
    if (open != null) {
      open.close();
    }
  }

  @Override
  public void close() {
    closeScan();
    toWalk = 0;
    pending = List.of();
  }
}
