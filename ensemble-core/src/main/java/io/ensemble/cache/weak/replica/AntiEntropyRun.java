package io.ensemble.cache.weak.replica;

import io.ensemble.cache.weak.entry.EntryFingerprint;
import io.ensemble.cache.weak.entry.WeakEntries;
import io.ensemble.envelope.Envelope;
import io.ensemble.envelope.MalformedEnvelopeException;
import io.ensemble.site.Bytes;
import io.ensemble.site.SiteStore;
import io.ensemble.site.SiteStore.Scan.Item;
import io.ensemble.stamp.Stamp;
import java.util.ArrayList;
import java.util.BitSet;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.function.BooleanSupplier;
import java.util.function.Function;

/**
 * One comparison of all sites, in memory that does not grow with the cache. First every site is
 * scanned once and summarized in a {@link SiteSummary}. Where all summaries agree, the usual case,
 * there is nothing to do. Then the sites are scanned again, and each key in a bucket that differs
 * is read at every site and repaired by {@link KeyRepair}.
 */
final class AntiEntropyRun {

  /**
   * Keys remembered so that they are not compared once for each site; further keys may be compared
   * several times.
   */
  private static final int REMEMBERED = 1 << 16;

  private final WeakContext context;
  private final BooleanSupplier closed;
  private final AntiEntropyProgress antiEntropyProgress = new AntiEntropyProgress();
  private final Map<WeakSite, SiteStore> stores = new LinkedHashMap<>();
  private final Map<WeakSite, SiteSummary> summaries = new LinkedHashMap<>();
  private final Map<WeakSite, Long> marksBySite = new LinkedHashMap<>();
  private final long sinceNanos;

  AntiEntropyRun(WeakContext context, List<WeakSite> members, BooleanSupplier closed) {
    this.context = context;
    this.closed = closed;
    this.sinceNanos = context.scheduler().nanos();
    members.forEach(weakSite -> marksBySite.put(weakSite, weakSite.marks()));
  }

  CompletionStage<AntiEntropyReport> run() {
    return StageLoops.each(List.copyOf(marksBySite.keySet()), 1, this::open)
        .thenCompose(done -> summarizeAll())
        .thenCompose(done -> compareBuckets())
        .thenApply(
            done -> {
              if (closed.getAsBoolean()) {
                throw context.closed();
              }
              if (antiEntropyProgress.isComplete()) {
                marksBySite.forEach(
                    (weakSite, mark) -> weakSite.recordComparison(mark, sinceNanos));
              } else if (marksBySite.keySet().stream().allMatch(this::isReachedOrDown)) {
                marksBySite.forEach((weakSite, mark) -> weakSite.recordAttempt(mark, sinceNanos));
              }
              return antiEntropyProgress.report(context.scheduler().nanos() - sinceNanos);
            });
  }

  private CompletionStage<Void> open(WeakSite weakSite) {
    return weakSite
        .open(context.copyDeadline())
        .handle(
            (store, failure) -> {
              if (failure == null) {
                stores.put(weakSite, store);
              } else {
                antiEntropyProgress.recordFailure(weakSite.name(), failure);
              }
              return null;
            });
  }

  private CompletionStage<Void> summarizeAll() {
    List<CompletionStage<Void>> scans = new ArrayList<>();
    stores.forEach((weakSite, store) -> scans.add(summarize(weakSite, store)));
    return StageLoops.all(scans);
  }

  private boolean isReachedOrDown(WeakSite weakSite) {
    return antiEntropyProgress.isReachable(weakSite.name()) || !weakSite.isUsable();
  }

  private CompletionStage<Void> summarize(WeakSite weakSite, SiteStore store) {
    SiteSummary summary = new SiteSummary();
    summaries.put(weakSite, summary);
    return scanStore(
        weakSite,
        store,
        items -> {
          items.forEach(item -> add(summary, item));
          antiEntropyProgress.scanned.add(items.size());
          return CompletableFuture.completedFuture(null);
        });
  }

  private void add(SiteSummary summary, Item item) {
    try {
      Envelope envelope = WeakEntries.decode(item.value());
      long key = EntryFingerprint.of(item.key(), 0);
      summary.add(key, context.entryMerge().fingerprint(key, envelope));
      long now = context.stamps().nowMicros();
      if (WeakEntries.isSpent(envelope, now, context.options().comparison().grace())) {
        summary.addSpent(item.key());
      }
    } catch (MalformedEnvelopeException exception) {
      long key = EntryFingerprint.of(item.key(), 0);
      summary.add(key, EntryFingerprint.of(key, Stamp.NONE));
    }
  }

  private CompletionStage<Void> compareBuckets() {
    stores.keySet().removeIf(weakSite -> !antiEntropyProgress.isReachable(weakSite.name()));
    summaries.keySet().retainAll(stores.keySet());
    boolean mayPurge = antiEntropyProgress.isComplete();
    if (stores.isEmpty() || (stores.size() == 1 && !mayPurge)) {
      return CompletableFuture.completedFuture(null);
    }
    BitSet buckets = SiteSummary.bucketsToCompare(summaries.values(), mayPurge);
    summaries.clear();
    if (buckets.isEmpty()) {
      return CompletableFuture.completedFuture(null);
    }
    KeyRepair keyRepair = new KeyRepair(context, stores, antiEntropyProgress);
    Set<Bytes> comparedKeys = new HashSet<>();
    return StageLoops.each(
        List.copyOf(stores.entrySet()),
        1,
        site ->
            scanStore(
                site.getKey(),
                site.getValue(),
                items -> compare(items, buckets, comparedKeys, keyRepair)));
  }

  private CompletionStage<Void> compare(
      List<Item> items, BitSet buckets, Set<Bytes> comparedKeys, KeyRepair keyRepair) {
    List<Bytes> keys = new ArrayList<>();
    for (Item item : items) {
      boolean isDifferent = buckets.get(SiteSummary.bucket(item.key()));
      if (isDifferent
          && (comparedKeys.size() < REMEMBERED
              ? comparedKeys.add(item.key())
              : !comparedKeys.contains(item.key()))) {
        keys.add(item.key());
      }
    }
    return StageLoops.each(keys, context.options().comparison().width(), keyRepair::repairKey);
  }

  /** A site whose scan fails is left out from then on; the scans of the others continue. */
  private CompletionStage<Void> scanStore(
      WeakSite weakSite, SiteStore store, Function<List<Item>, CompletionStage<?>> itemsHandler) {
    return context
        .walk(store, closed, itemsHandler)
        .handle(
            (done, failure) -> {
              if (failure != null) {
                antiEntropyProgress.recordFailure(weakSite.name(), failure);
              }
              return null;
            });
  }
}
