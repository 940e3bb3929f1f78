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
  private final Map<WeakSite, Long> marks = new LinkedHashMap<>();
  private final long sinceNanos;

  AntiEntropyRun(WeakContext context, List<WeakSite> members, BooleanSupplier closed) {
    this.context = context;
    this.closed = closed;
    this.sinceNanos = context.scheduler().nanos();
    members.forEach(weakSite -> marks.put(weakSite, weakSite.marks()));
  }

  CompletionStage<AntiEntropyReport> run() {
    return StageLoops.each(List.copyOf(marks.keySet()), 1, this::open)
        .thenCompose(opened -> sumUpAll())
        .thenCompose(summed -> compareBuckets())
        .thenApply(
            done -> {
              if (closed.getAsBoolean()) {
                throw context.closed();
              }
              if (antiEntropyProgress.isComplete()) {
                marks.forEach((weakSite, upTo) -> weakSite.compared(upTo, sinceNanos));
              } else if (marks.keySet().stream().allMatch(this::isReachedOrDown)) {
                marks.forEach((weakSite, upTo) -> weakSite.tried(upTo, sinceNanos));
              }
              return antiEntropyProgress.report(context.scheduler().nanos() - sinceNanos);
            });
  }

  private CompletionStage<Void> open(WeakSite weakSite) {
    return weakSite
        .open(context.unhurried())
        .handle(
            (store, failure) -> {
              if (failure == null) {
                stores.put(weakSite, store);
              } else {
                antiEntropyProgress.lost(weakSite.name(), failure);
              }
              return null;
            });
  }

  private CompletionStage<Void> sumUpAll() {
    List<CompletionStage<Void>> walks = new ArrayList<>();
    stores.forEach((weakSite, store) -> walks.add(sumUp(weakSite, store)));
    return StageLoops.all(walks);
  }

  private boolean isReachedOrDown(WeakSite weakSite) {
    return antiEntropyProgress.reaches(weakSite.name()) || !weakSite.isUsable();
  }

  private CompletionStage<Void> sumUp(WeakSite weakSite, SiteStore store) {
    SiteSummary summary = new SiteSummary();
    summaries.put(weakSite, summary);
    return walk(
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
      summary.add(key, context.union().fingerprint(key, envelope));
      long now = context.stamps().nowMicros();
      if (WeakEntries.isSpent(envelope, now, context.options().comparison().grace())) {
        summary.addSpent(item.key());
      }
    } catch (MalformedEnvelopeException notOurs) {
      long key = EntryFingerprint.of(item.key(), 0);
      summary.add(key, EntryFingerprint.of(key, Stamp.NONE));
    }
  }

  private CompletionStage<Void> compareBuckets() {
    stores.keySet().removeIf(weakSite -> !antiEntropyProgress.reaches(weakSite.name()));
    summaries.keySet().retainAll(stores.keySet());
    boolean purge = antiEntropyProgress.isComplete();
    if (stores.isEmpty() || (stores.size() == 1 && !purge)) {
      return CompletableFuture.completedFuture(null);
    }
    BitSet buckets = SiteSummary.toCompare(summaries.values(), purge);
    summaries.clear();
    if (buckets.isEmpty()) {
      return CompletableFuture.completedFuture(null);
    }
    KeyRepair settler = new KeyRepair(context, stores, antiEntropyProgress);
    Set<Bytes> met = new HashSet<>();
    return StageLoops.each(
        List.copyOf(stores.entrySet()),
        1,
        site ->
            walk(site.getKey(), site.getValue(), items -> compare(items, buckets, met, settler)));
  }

  private CompletionStage<Void> compare(
      List<Item> items, BitSet buckets, Set<Bytes> met, KeyRepair settler) {
    List<Bytes> keys = new ArrayList<>();
    for (Item item : items) {
      boolean wanted = buckets.get(SiteSummary.bucket(item.key()));
      if (wanted && (met.size() < REMEMBERED ? met.add(item.key()) : !met.contains(item.key()))) {
        keys.add(item.key());
      }
    }
    return StageLoops.each(keys, context.options().comparison().width(), settler::settle);
  }

  /** A site whose scan fails is left out from then on; the scans of the others continue. */
  private CompletionStage<Void> walk(
      WeakSite weakSite, SiteStore store, Function<List<Item>, CompletionStage<?>> work) {
    return context
        .walk(store, closed, work)
        .handle(
            (done, failure) -> {
              if (failure != null) {
                antiEntropyProgress.lost(weakSite.name(), failure);
              }
              return null;
            });
  }
}
