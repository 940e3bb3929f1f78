package io.ensemble.migrate;

import io.ensemble.cache.Payload;
import io.ensemble.cache.StoreHandle;
import io.ensemble.cache.Unwrapped;
import io.ensemble.cache.call.MetKeys;
import io.ensemble.cache.call.Steps;
import io.ensemble.schedule.Deadline;
import io.ensemble.schedule.Scheduler;
import io.ensemble.site.Bytes;
import io.ensemble.site.SiteException;
import io.ensemble.site.SiteException.Reason;
import io.ensemble.site.SiteStore;
import io.ensemble.site.StoredEntry;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Deque;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * Brings every key in every new store to what the cache holds: those of the cache, those that a new
 * store has though the cache has them no more, and those of which a draft was lost sight of. After
 * a pass that succeeded, every key that it met shows the same at every new store, and no draft of
 * this owner is on its way to any of them. Reads and compares; writes only what differs. One pass
 * at a time.
 */
final class Pass {

  private static final int BATCH = 64;
  private static final int MOST_TURNS = 16;
  private static final Duration REQUEST = Duration.ofSeconds(5);

  private final Source source;
  private final List<SiteStore> targets;
  private final Function<Optional<Payload>, Bytes> draft;
  private final Set<Bytes> doubtful;
  private final Tally tally;
  private final Pace pace;
  private final Scheduler scheduler;
  private final MetKeys met;
  private final Deque<Bytes> pending = new ArrayDeque<>();
  private final Deque<StoreHandle> left;
  private final Deque<SiteStore> others;
  private final List<Throwable> lost = new ArrayList<>();
  private int toWalk;
  private boolean doubtsSeen;
  private SiteStore.@Nullable Scan scan;
  private boolean ofSource;
  private String walked = "";

  /**
   * @param targets the new stores, all of them
   * @param draft the form that a content has in them
   * @param doubtful keys of which a draft was sent and not answered; grows
   * @param tally counts keys
   * @param pace how many of them a second
   */
  Pass(
      Source source,
      List<SiteStore> targets,
      Function<Optional<Payload>, Bytes> draft,
      Set<Bytes> doubtful,
      Tally tally,
      Pace pace,
      Scheduler scheduler,
      long seed) {
    this.source = source;
    this.targets = targets;
    this.draft = draft;
    this.doubtful = doubtful;
    this.tally = tally;
    this.pace = pace;
    this.scheduler = scheduler;
    met = new MetKeys(seed);
    left = new ArrayDeque<>(source.stores());
    others = new ArrayDeque<>(targets);
    toWalk = source.toWalk();
  }

  /** Takes the pass; fails with what a site or the cache failed with, and may be taken anew. */
  CompletionStage<Void> run() {
    return Steps.whileTrue(scheduler, this::step).whenComplete((done, failure) -> closeScan());
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
                if (items.isEmpty()) {
                  closeScan();
                  toWalk -= ofSource ? 1 : 0;
                }
                meet(items.stream().map(SiteStore.Scan.Item::key).toList());
                return CompletableFuture.completedFuture(true);
              })
          .thenCompose(stage -> stage);
    }
    if (toWalk > 0) {
      return nextOfSource();
    }
    if (!others.isEmpty()) {
      ofSource = false;
      scan = others.remove().scan(BATCH);
      return CompletableFuture.completedFuture(true);
    }
    boolean more = !doubtsSeen;
    doubtsSeen = true;
    meet(List.copyOf(doubtful));
    return CompletableFuture.completedFuture(more);
  }

  private CompletionStage<Boolean> nextOfSource() {
    if (left.isEmpty()) {
      Throwable why = lost.isEmpty() ? new IllegalStateException("no store") : lost.get(0);
      return CompletableFuture.failedFuture(why);
    }
    StoreHandle next = left.remove();
    return next.store(soon())
        .handle(
            (store, failure) -> {
              ofSource = true;
              walked = next.site();
              if (failure != null) {
                return lost(failure);
              }
              scan = store.scan(BATCH);
              return CompletableFuture.completedFuture(true);
            })
        .thenCompose(stage -> stage);
  }

  /** A former site that falls silent is left for another one; of the new ones none may. */
  private CompletionStage<Boolean> lost(Throwable failure) {
    closeScan();
    if (!ofSource || !source.mayLose(walked)) {
      return CompletableFuture.failedFuture(Unwrapped.of(failure));
    }
    lost.add(Unwrapped.of(failure));
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
    int most = pace.most();
    while (!pending.isEmpty() && some.size() < most) {
      some.add(pending.remove());
    }
    return pace.turn(some.size())
        .thenCompose(
            now ->
                CompletableFuture.allOf(
                    some.stream()
                        .map(key -> settle(key).toCompletableFuture())
                        .toArray(CompletableFuture<?>[]::new)))
        .thenApply(done -> true);
  }

  private CompletionStage<?> settle(Bytes key) {
    return source
        .read(key, soon())
        .thenCompose(
            value ->
                CompletableFuture.allOf(
                    targets.stream()
                        .map(store -> put(store, key, value).toCompletableFuture())
                        .toArray(CompletableFuture<?>[]::new)))
        .thenRun(tally::one);
  }

  /** Puts until the store has answered that it has what is wanted. */
  private CompletionStage<Void> put(SiteStore store, Bytes key, Optional<Payload> value) {
    Bytes wanted = draft.apply(value);
    int[] turns = {0};
    return Steps.whileTrue(
        scheduler,
        () -> {
          if (turns[0]++ == MOST_TURNS) {
            throw new SiteException(store.site(), Reason.TIMED_OUT, "a key could not be copied");
          }
          return store
              .read(key, soon())
              .thenCompose(
                  entry ->
                      isRight(entry, wanted, key, value)
                          ? CompletableFuture.completedFuture(false)
                          : write(store, key, entry, wanted));
        });
  }

  private boolean isRight(
      Optional<StoredEntry> entry, Bytes wanted, Bytes key, Optional<Payload> value) {
    return entry.isPresent()
        ? entry.get().value().equals(wanted)
        : value.isEmpty() && !doubtful.contains(key);
  }

  private CompletionStage<Boolean> write(
      SiteStore store, Bytes key, Optional<StoredEntry> entry, Bytes wanted) {
    CompletionStage<Boolean> written =
        entry.isEmpty()
            ? store.putIfAbsent(key, wanted, soon())
            : store.replace(key, entry.get().version(), wanted, soon());
    return written.handle(
        (done, failure) -> {
          if (failure != null) {
            doubtful.add(key); // It may come yet; whatever it finds must be of another version.
          }
          return failure != null || !done;
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
