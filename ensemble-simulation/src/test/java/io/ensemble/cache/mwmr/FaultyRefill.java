package io.ensemble.cache.mwmr;

import io.ensemble.cache.RecoverableEngine;
import io.ensemble.cache.StoreHandle;
import io.ensemble.schedule.Deadline;
import io.ensemble.site.SiteStore;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;

/** Ways to refill a site's new store that production does not use; most are incorrect. */
public final class FaultyRefill {

  private FaultyRefill() {}

  /** Does not wait for votes that may still be under way. */
  public static RecoverableEngine withoutWaiting(MwmrEngine engine) {
    return (site, fresh, deadline) ->
        engine.refill(site, fresh, deadline, 0, MwmrRefill.MOST_RECORDED_KEYS);
  }

  /** The correct way, which records so many keys. */
  public static RecoverableEngine recording(MwmrEngine engine, int keys) {
    return (site, fresh, deadline) ->
        engine.refill(site, fresh, deadline, MwmrRefill.WAIT_NANOS, keys);
  }

  /** Copies the entries of the first other site, as if each of them were chosen. */
  public static RecoverableEngine copying(List<? extends StoreHandle> handles) {
    return (site, fresh, deadline) -> {
      StoreHandle from =
          handles.stream().filter(handle -> !handle.site().equals(site)).findFirst().orElseThrow();
      return from.store(deadline).thenCompose(store -> copyAll(store.scan(64), fresh, 0, deadline));
    };
  }

  private static CompletionStage<Long> copyAll(
      SiteStore.Scan scan, SiteStore fresh, long copied, Deadline deadline) {
    return scan.next(deadline)
        .thenCompose(
            items -> {
              CompletionStage<Long> all = CompletableFuture.completedFuture(copied);
              for (SiteStore.Scan.Item item : items) {
                all =
                    all.thenCombine(
                        fresh.putIfAbsent(item.key(), item.value(), deadline),
                        (sum, stored) -> sum + 1);
              }
              return items.isEmpty()
                  ? all
                  : all.thenCompose(sum -> copyAll(scan, fresh, sum, deadline));
            });
  }

  /** Leaves the new store empty. */
  public static RecoverableEngine nothing() {
    return (site, fresh, deadline) -> CompletableFuture.completedFuture(0L);
  }
}
