package io.ensemble.cache.adapter;

import io.ensemble.cache.BoundedConcurrency;
import io.ensemble.cache.CacheEngine.EntryScan;
import io.ensemble.cache.CacheEngine.EntryScan.Entry;
import io.ensemble.cache.lease.GenerationEntries;
import io.ensemble.schedule.Deadline;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Function;

/**
 * A walk over all entries of a cache in batches. A visitor receives each batch and decides whether
 * to go on. Closes its scan at the end. As in {@link BoundedConcurrency}, batches that arrive
 * immediately do not deepen the stack.
 */
final class CacheWalk {

  static final int BATCH = 256;

  private final EntryScan scan;
  private final Deadline deadline;
  private final Function<List<Entry>, CompletionStage<Boolean>> visitor;
  private final CompletableFuture<Void> end = new CompletableFuture<>();
  private final AtomicInteger steps = new AtomicInteger();

  private CacheWalk(
      EntryScan scan, Deadline deadline, Function<List<Entry>, CompletionStage<Boolean>> visitor) {
    this.scan = scan;
    this.deadline = deadline;
    this.visitor = visitor;
  }

  static CompletionStage<Void> over(
      EntryScan scan, Deadline deadline, Function<List<Entry>, CompletionStage<Boolean>> visitor) {
    CacheWalk walk = new CacheWalk(GenerationEntries.without(scan), deadline, visitor);
    walk.step();
    return walk.end.whenComplete((nothing, failure) -> scan.close());
  }

  private void step() {
    if (steps.getAndIncrement() > 0) {
      return;
    }
    do {
      CompletableFuture.completedFuture(scan)
          .thenCompose(open -> open.next(deadline))
          .thenCompose(
              batch ->
                  batch.isEmpty() ? CompletableFuture.completedFuture(false) : visitor.apply(batch))
          .whenComplete(this::stepped);
    } while (steps.decrementAndGet() > 0);
  }

  private void stepped(Boolean goOn, Throwable failure) {
    if (failure != null) {
      end.completeExceptionally(failure);
    } else if (goOn) {
      step();
    } else {
      end.complete(null);
    }
  }
}
