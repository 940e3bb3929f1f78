package io.ensemble.cache.weak.replica;

import io.ensemble.QuorumFailure;
import io.ensemble.cache.quorum.StoreWalk;
import io.ensemble.cache.weak.entry.EntryMerge;
import io.ensemble.cache.weak.entry.LastWriterWins;
import io.ensemble.cache.weak.entry.SiblingMerge;
import io.ensemble.cache.weak.entry.StampGenerator;
import io.ensemble.schedule.Deadline;
import io.ensemble.schedule.Scheduler;
import io.ensemble.schedule.Scheduler.Timer;
import io.ensemble.site.SiteStore;
import io.ensemble.site.SiteStore.Scan.Item;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.SplittableRandom;
import java.util.concurrent.CancellationException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.RejectedExecutionException;
import java.util.function.BooleanSupplier;
import java.util.function.Function;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/** The objects that all parts of one engine share. */
public record WeakContext(
    String cache,
    Scheduler scheduler,
    StampGenerator stamps,
    WeakOptions options,
    WeakMetrics metrics,
    SplittableRandom seeds,
    EntryMerge entryMerge,
    DroppedSiblings drops) {

  public WeakContext(
      String cache,
      Scheduler scheduler,
      StampGenerator stamps,
      WeakOptions options,
      WeakMetrics metrics,
      SplittableRandom seeds) {
    this(
        cache,
        scheduler,
        stamps,
        options,
        metrics,
        seeds,
        options.siblings() > 1 ? new SiblingMerge(options.siblings()) : new LastWriterWins(),
        new DroppedSiblings(cache, scheduler, metrics));
  }

  private static final int MOST_ATTEMPTS = 4;
  private static final Duration FIRST_PAUSE = Duration.ofMillis(20);

  Deadline deadlineIn(Duration timeout) {
    return Deadline.after(timeout, scheduler);
  }

  /**
   * Runs {@code task} soon. If the scheduler has ended, runs it here immediately, because a caller
   * waits for it.
   */
  public void hop(Runnable task) {
    try {
      scheduler.execute(task);
    } catch (RejectedExecutionException rejection) {
      task.run();
    }
  }

  /** As {@link Scheduler#after}; null when the scheduler has ended, and the task will not run. */
  public @Nullable Timer later(long delayNanos, Runnable task) {
    try {
      return scheduler.after(delayNanos, task);
    } catch (RejectedExecutionException rejection) {
      return null;
    }
  }

  /** The deadline of a request that no caller waits for. */
  Deadline copyDeadline() {
    return deadlineIn(options.copies().timeout());
  }

  /**
   * Retries {@code request}, which must be repeatable, a few times, so that one loss costs little.
   */
  <T> CompletionStage<T> retryRequest(Supplier<CompletionStage<T>> request) {
    CompletableFuture<T> completion = new CompletableFuture<>();
    attempt(request, 1, completion);
    return completion;
  }

  private <T> void attempt(
      Supplier<CompletionStage<T>> request, int attempt, CompletableFuture<T> completion) {
    StageLoops.guarded(request)
        .whenComplete(
            (result, failure) -> {
              if (failure == null) {
                completion.complete(result);
              } else if (attempt >= MOST_ATTEMPTS) {
                completion.completeExceptionally(StageLoops.unwrap(failure));
              } else {
                long pause = jittered(FIRST_PAUSE.multipliedBy(attempt));
                if (later(pause, () -> attempt(request, attempt + 1, completion)) == null) {
                  completion.completeExceptionally(StageLoops.unwrap(failure));
                }
              }
            });
  }

  /**
   * Scans a store. Each request for a batch is retried a few times.
   *
   * @param cancelled whether the scan is to fail, with {@link CancellationException}
   */
  CompletionStage<Void> walk(
      SiteStore store, BooleanSupplier cancelled, Function<List<Item>, CompletionStage<?>> work) {
    return StoreWalk.over(
        scheduler,
        store,
        options.comparison().batch(),
        scan -> {
          if (cancelled.getAsBoolean()) {
            throw new CancellationException("the cache was closed");
          }
          return retryRequest(() -> scan.next(copyDeadline()));
        },
        items -> work.apply(items).thenApply(done -> true));
  }

  /** No write may be under way longer than a tombstone outlives it. */
  public Deadline bounded(Deadline deadline) {
    long latest = scheduler.nanos() + options.longestWrite().toNanos();
    return deadline.atNanos() - latest > 0 ? deadline.at(latest) : deadline;
  }

  /** A random duration between half of {@code duration} and one and a half times it. */
  public long jittered(Duration duration) {
    long nanos = Math.max(2, duration.toNanos());
    synchronized (seeds) {
      return nanos / 2 + seeds.nextLong(nanos);
    }
  }

  public long seed() {
    synchronized (seeds) {
      return seeds.nextLong();
    }
  }

  public boolean keepsSiblings() {
    return options.siblings() > 1;
  }

  public void checkSiblings() {
    if (!keepsSiblings()) {
      throw new UnsupportedOperationException(
          "the cache keeps no siblings, only the last write; cache=" + cache);
    }
  }

  public IllegalStateException closed() {
    return new IllegalStateException("the cache is closed; cache=" + cache);
  }

  public QuorumFailure shortfall(
      int needed, int sites, Set<String> heard, Map<String, String> silent) {
    return new QuorumFailure(needed, sites, heard, silent);
  }
}
