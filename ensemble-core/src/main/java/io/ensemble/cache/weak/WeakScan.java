package io.ensemble.cache.weak;

import io.ensemble.QuorumUnavailableException;
import io.ensemble.cache.CacheEngine.EntryScan;
import io.ensemble.cache.Payload;
import io.ensemble.cache.weak.entry.EntryFingerprint;
import io.ensemble.cache.weak.entry.WeakEntries;
import io.ensemble.cache.weak.replica.RequestFailures;
import io.ensemble.cache.weak.replica.StageLoops;
import io.ensemble.cache.weak.replica.WeakContext;
import io.ensemble.cache.weak.replica.WeakSite;
import io.ensemble.envelope.Envelope;
import io.ensemble.envelope.MalformedEnvelopeException;
import io.ensemble.schedule.Deadline;
import io.ensemble.site.SiteStore;
import io.ensemble.site.SiteStore.Scan.Item;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * A scan of one site, and from the beginning of the next site when that site fails. Keys returned
 * before are remembered by a fingerprint of 64 bits, eight to sixteen bytes a key. Two keys may
 * have the same fingerprint, and one of them be left out. Such a collision happens once in ten
 * million scans of a million keys.
 */
final class WeakScan implements EntryScan {

  private final WeakContext context;
  private final List<WeakSite> order;
  private final int batchSize;
  private final long seed;
  private final PendingStages pendingStages;
  private final Function<Envelope, @Nullable Payload> valueSelector;
  private final @Nullable FingerprintSet seenKeys;
  private final Map<String, String> failures = new TreeMap<>();
  private int siteIndex;

  // Both are volatile: a caller may close the scan while a store is being opened for it.
  private volatile SiteStore.@Nullable Scan scan;
  private volatile boolean isEnded;

  /**
   * @param valueSelector the live value of an entry, null if there is none
   * @param eachKeyOnce whether to remember keys, so that none is returned twice
   */
  WeakScan(
      WeakContext context,
      List<WeakSite> order,
      int batchSize,
      long seed,
      PendingStages pendingStages,
      Function<Envelope, @Nullable Payload> valueSelector,
      boolean eachKeyOnce) {
    this.context = context;
    this.order = order;
    this.batchSize = batchSize;
    this.seed = seed;
    this.pendingStages = pendingStages;
    this.valueSelector = valueSelector;
    this.seenKeys = eachKeyOnce ? new FingerprintSet() : null;
  }

  @Override
  public CompletionStage<List<Entry>> next(Deadline deadline) {
    List<Entry> results = new ArrayList<>();
    return pendingStages.failOnClose(
        StageLoops.whileTrue(() -> scanStep(results, deadline))
            .thenApply(done -> List.copyOf(results)),
        context.closed());
  }

  @Override
  public void close() {
    isEnded = true;
    closeScan();
  }

  /** Whether to continue: nothing live was found, and there is more. */
  private CompletionStage<Boolean> scanStep(List<Entry> results, Deadline deadline) {
    if (isEnded) {
      return CompletableFuture.completedFuture(false);
    }
    if (deadline.hasPassed(context.scheduler())) {
      throw unavailable(RequestFailures.late(order));
    }
    return StageLoops.guarded(() -> readBatch(deadline))
        .handle(
            (items, failure) -> {
              if (failure != null) {
                continueAtNextSite(StageLoops.unwrap(failure));
                return true;
              }
              items.forEach(item -> addLive(item, results));
              isEnded |= items.isEmpty();
              return results.isEmpty() && !isEnded;
            });
  }

  private CompletionStage<List<Item>> readBatch(Deadline deadline) {
    SiteStore.Scan openScan = scan;
    if (openScan != null) {
      return openScan.next(deadline);
    }
    return order
        .get(siteIndex)
        .open(deadline)
        .thenCompose(
            store -> {
              SiteStore.Scan newScan = store.scan(batchSize);
              scan = newScan;
              if (isEnded) { // Closed since.
                closeScan();
                return CompletableFuture.completedFuture(List.of());
              }
              return newScan.next(deadline);
            });
  }

  private void addLive(Item item, List<Entry> results) {
    Envelope envelope;
    try {
      envelope = WeakEntries.decode(item.value());
    } catch (MalformedEnvelopeException exception) {
      return; // Not a live entry of this cache.
    }
    Payload liveValue = valueSelector.apply(envelope);
    if (liveValue != null
        && (seenKeys == null || seenKeys.add(EntryFingerprint.of(item.key(), seed)))) {
      results.add(new Entry(item.key(), liveValue));
    }
  }

  /**
   * Continues at the next site. After the last site the call fails, and a repeated call begins at
   * the first site.
   */
  private void continueAtNextSite(Throwable failure) {
    closeScan();
    failures.put(order.get(siteIndex).name(), RequestFailures.reason(failure));
    siteIndex++;
    if (siteIndex >= order.size()) {
      siteIndex = 0;
      throw unavailable(failures);
    }
  }

  private void closeScan() {
    SiteStore.Scan openScan = scan;
    scan = null;
    if (openScan != null) {
      openScan.close();
    }
  }

  private QuorumUnavailableException unavailable(Map<String, String> reasons) {
    return new QuorumUnavailableException(
        context.cache(), context.shortfall(1, order.size(), Set.of(), reasons));
  }
}
