package io.ensemble.versioning.listen;

import java.util.ArrayDeque;
import java.util.Collection;
import java.util.Queue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.Executor;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/** Performs an action for each of many elements, some at a time, until one fails. */
final class ParallelForEach {

  /** The number of actions at a time. */
  static final int WIDTH = 16;

  private final Queue<String> left;
  private final Function<String, CompletionStage<Void>> doing;
  private final Executor executor;
  private final CompletableFuture<Void> end = new CompletableFuture<>();
  private int running;

  private ParallelForEach(
      Collection<String> all, Function<String, CompletionStage<Void>> doing, Executor executor) {
    this.left = new ArrayDeque<>(all);
    this.doing = doing;
    this.executor = executor;
  }

  /** Completes on the executor; fails with the first failure, and then begins no further action. */
  static CompletionStage<Void> each(
      Collection<String> all, Function<String, CompletionStage<Void>> doing, Executor executor) {
    ParallelForEach work = new ParallelForEach(all, doing, executor);
    work.running = WIDTH;
    for (int i = 0; i < WIDTH; i++) {
      work.next();
    }
    return work.end;
  }

  private void next() {
    String one;
    synchronized (this) {
      one = end.isDone() ? null : left.poll();
      if (one == null && --running > 0) {
        return;
      }
    }
    if (one == null) {
      end.complete(null);
      return;
    }
    CompletableFuture.completedFuture(one)
        .thenCompose(doing) // An exception also fails the stage.
        .whenCompleteAsync((done, failure) -> ended(failure), executor);
  }

  private void ended(@Nullable Throwable failure) {
    if (failure != null) {
      end.completeExceptionally(failure);
    }
    next();
  }
}
