package io.ensemble.cache.weak;

import io.ensemble.cache.weak.entry.StampedEntry;
import io.ensemble.cache.weak.replica.RequestFailures;
import io.ensemble.cache.weak.replica.StageLoops;
import io.ensemble.cache.weak.replica.WeakContext;
import io.ensemble.cache.weak.replica.WeakMetrics;
import io.ensemble.cache.weak.replica.WeakSite;
import io.ensemble.schedule.Deadline;
import io.ensemble.site.Bytes;
import io.ensemble.site.SiteStore;
import io.ensemble.site.StoredEntry;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;

/**
 * Removes a key's entry wherever its stamp is too far ahead, so that ordinary writes win again.
 * Each removal applies to exactly the version that was read. An entry that a site keeps, or that is
 * on its way as a copy, returns to the other sites with the next comparison. The removal may then
 * be repeated.
 */
final class SkewedEntryRemoval {

  /** More changes than this during one removal are left to the caller. */
  private static final int MOST_TURNS = 8;

  private final WeakContext context;
  private final Bytes key;
  private final Deadline deadline;

  SkewedEntryRemoval(WeakContext context, Bytes key, Deadline deadline) {
    this.context = context;
    this.key = key;
    this.deadline = deadline;
  }

  /**
   * Completes with the failed sites and the reasons; empty if no site has such an entry any more.
   */
  CompletionStage<Map<String, String>> removeFrom(List<WeakSite> members) {
    Map<String, String> failures = Collections.synchronizedMap(new TreeMap<>());
    List<CompletionStage<?>> parts = new ArrayList<>();
    for (WeakSite weakSite : members) {
      parts.add(
          weakSite
              .call(WeakMetrics.Kind.CONDITIONAL, deadline, this::removeAt)
              .exceptionally(
                  failure -> {
                    failures.put(
                        weakSite.name(), RequestFailures.reason(StageLoops.unwrap(failure)));
                    return null;
                  }));
    }
    return StageLoops.all(parts).thenApply(done -> failures);
  }

  private CompletionStage<Void> removeAt(SiteStore store) {
    int[] attempts = {0};
    return StageLoops.whileTrue(
        () -> {
          if (attempts[0]++ >= MOST_TURNS) {
            throw new IllegalStateException("the entry changed at each attempt; key=" + key);
          }
          return store
              .read(key, deadline)
              .thenCompose(
                  entry ->
                      entry.filter(this::isTooFarAhead).isPresent()
                          ? store
                              .remove(key, entry.get().version(), deadline)
                              .thenApply(isRemoved -> !isRemoved)
                          : CompletableFuture.completedFuture(false));
        });
  }

  private boolean isTooFarAhead(StoredEntry entry) {
    return context.stamps().isTooFarAhead(StampedEntry.of(entry.value()).stamp());
  }
}
