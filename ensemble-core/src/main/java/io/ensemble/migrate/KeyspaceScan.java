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
   * @param toWalk how many of them must be scanned to find every key
   * @param mayLose whether another store may be scanned instead of the one at a site that has
   *     failed
   */
  record Stretch(List<StoreHandle> stores, int toWalk, Predicate<String> mayLose) {

    static Stretch of(MigrationSource source) {
      return new Stretch(source.stores(), source.toWalk(), source::mayLose);
    }
  }

  private final Deque<Stretch> stretches;
  private final Supplier<Collection<Bytes>> doubtful;
  private final Function<Bytes, CompletionStage<?>> settle;
  private final CopyProgress copyProgress;
  private final CopyRateLimiter copyRateLimiter;
  private final Scheduler scheduler;
  private final VisitedKeys met;
  private final Deque<Bytes> pending = new ArrayDeque<>();
  private final Deque<StoreHandle> left = new ArrayDeque<>();
  private final List<Throwable> lost = new ArrayList<>();
  private Predicate<String> mayLose = site -> false;
  private int toWalk;
  private long dealtWith;
  private boolean doubtsSeen;
  private SiteStore.@Nullable Scan scan;
  private String walked = "";

  /**
   * @param stretches the groups of stores to scan, one after the other
   * @param doubtful keys to settle after all others
   * @param settle settles a key
   * @param copyProgress counts keys
   * @param copyRateLimiter limits the keys a second
   */
  KeyspaceScan(
      List<Stretch> stretches,
      Supplier<Collection<Bytes>> doubtful,
      Function<Bytes, CompletionStage<?>> settle,
      CopyProgress copyProgress,
      CopyRateLimiter copyRateLimiter,
      Scheduler scheduler,
      long seed) {
    this.stretches = new ArrayDeque<>(stretches);
    this.doubtful = doubtful;
    this.settle = settle;
    this.copyProgress = copyProgress;
    this.copyRateLimiter = copyRateLimiter;
    this.scheduler = scheduler;
    met = new VisitedKeys(seed);
  }

  /**
   * Runs the scan; fails with the failure of a site or of the cache, and may then be repeated with
   * a new instance.
   */
  CompletionStage<Void> run() {
    return AsyncLoop.whileTrue(scheduler, this::step)
        .whenComplete(
            (done, failure) -> {
              closeScan();
              if (failure == null) {
                copyProgress.passed();
              }
            });
  }

  private CompletionStage<Boolean> step() {
    if (!pending.isEmpty()) {
      return settleSome();
    }
    SiteStore.Scan current = scan;
    if (current != null) {
      return current
          .next(soon())
          .handle(
              (items, failure) -> {
                if (failure != null) {
                  return lost(failure);
                }
                copyProgress.cameTo(++dealtWith);
                if (items.isEmpty()) {
                  closeScan();
                  toWalk--;
                }
                meet(items.stream().map(SiteStore.Scan.Item::key).toList());
                return CompletableFuture.completedFuture(true);
              })
          .thenCompose(stage -> stage);
    }
    if (toWalk > 0) {
      return nextStore();
    }
    if (!stretches.isEmpty()) {
      begin(stretches.remove());
      return CompletableFuture.completedFuture(true);
    }
    boolean more = !doubtsSeen;
    doubtsSeen = true;
    meet(doubtful.get());
    return CompletableFuture.completedFuture(more);
  }

  private void begin(Stretch next) {
    left.clear();
    left.addAll(next.stores);
    lost.clear();
    mayLose = next.mayLose;
    toWalk = next.toWalk;
  }

  private CompletionStage<Boolean> nextStore() {
    if (left.isEmpty()) {
      Throwable why = lost.isEmpty() ? new IllegalStateException("no store") : lost.get(0);
      return CompletableFuture.failedFuture(why);
    }
    StoreHandle next = left.remove();
    return next.store(soon())
        .handle(
            (store, failure) -> {
              walked = next.site();
              if (failure != null) {
                return lost(failure);
              }
              scan = store.scan(BATCH);
              return CompletableFuture.completedFuture(true);
            })
        .thenCompose(stage -> stage);
  }

  /** Continues with another site where that is allowed, after a site has failed. */
  private CompletionStage<Boolean> lost(Throwable failure) {
    closeScan();
    if (!mayLose.test(walked)) {
      return CompletableFuture.failedFuture(CompletionCause.of(failure));
    }
    lost.add(CompletionCause.of(failure));
    return CompletableFuture.completedFuture(true);
  }

  private void meet(Collection<Bytes> keys) {
    for (Bytes key : keys) {
      if (!met.contains(key)) {
        met.add(key);
        pending.add(key);
      }
    }
  }

  private CompletionStage<Boolean> settleSome() {
    List<Bytes> some = new ArrayList<>();
    int most = copyRateLimiter.most();
    while (!pending.isEmpty() && some.size() < most) {
      some.add(pending.remove());
    }
    return copyRateLimiter
        .turn(some.size())
        .thenCompose(
            now ->
                CompletableFuture.allOf(
                    some.stream()
                        .map(
                            key ->
                                settle.apply(key).thenRun(copyProgress::one).toCompletableFuture())
                        .toArray(CompletableFuture<?>[]::new)))
        .thenApply(
            done -> {
              dealtWith += some.size();
              copyProgress.cameTo(dealtWith);
              return true;
            });
  }

  private Deadline soon() {
    return Deadline.after(REQUEST, scheduler);
  }

  private void closeScan() {
    SiteStore.Scan open = scan;
    scan = null;
    if (open != null) {
      open.close();
    }
  }
}
