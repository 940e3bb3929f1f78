package io.ensemble.cache.weak.replica;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Function;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/** Loops over stages, with constant stack depth and memory for any number of turns. */
public final class StageLoops {

  private StageLoops() {}

  /** Repeats {@code step} until its result is false or it fails. */
  public static CompletionStage<Void> whileTrue(Supplier<CompletionStage<Boolean>> step) {
    CompletableFuture<Void> completion = new CompletableFuture<>();
    runLoop(step, completion);
    return completion;
  }

  private static void runLoop(
      Supplier<CompletionStage<Boolean>> step, CompletableFuture<Void> completion) {
    boolean shouldContinue = true;
    while (shouldContinue) {
      CompletionStage<Boolean> stage = guarded(step);
      CompletableFuture<Boolean> future = stage.toCompletableFuture();
      if (!future.isDone() || future.isCompletedExceptionally()) {
        stage.whenComplete((hasMore, failure) -> continueLoop(hasMore, failure, step, completion));
        return;
      }
      shouldContinue = future.getNow(false);
    }
    completion.complete(null);
  }

  private static void continueLoop(
      @Nullable Boolean hasMore,
      @Nullable Throwable failure,
      Supplier<CompletionStage<Boolean>> step,
      CompletableFuture<Void> completion) {
    if (failure != null || hasMore == null) {
      completion.completeExceptionally(unwrap(failure));
    } else if (hasMore) {
      runLoop(step, completion);
    } else {
      completion.complete(null);
    }
  }

  /**
   * Applies {@code itemHandler} to each item, at most {@code width} at a time; ends when all have
   * ended.
   */
  static <T> CompletionStage<Void> each(
      List<T> items, int width, Function<T, CompletionStage<?>> itemHandler) {
    AtomicInteger nextIndex = new AtomicInteger();
    List<CompletionStage<?>> loops = new ArrayList<>();
    for (int loop = 0; loop < Math.min(width, items.size()); loop++) {
      loops.add(
          whileTrue(
              () -> {
                int index = nextIndex.getAndIncrement();
                return index >= items.size()
                    ? CompletableFuture.completedFuture(false)
                    : itemHandler.apply(items.get(index)).thenApply(done -> true);
              }));
    }
    return all(loops);
  }

  public static CompletionStage<Void> all(List<? extends CompletionStage<?>> parts) {
    return CompletableFuture.allOf(
        parts.stream().map(CompletionStage::toCompletableFuture).toArray(CompletableFuture[]::new));
  }

  /** The stage, or a failed stage when its creation throws. */
  public static <T> CompletionStage<T> guarded(Supplier<CompletionStage<T>> starter) {
    try {
      return starter.get();
    } catch (RuntimeException | Error failure) {
      return CompletableFuture.failedFuture(failure);
    }
  }

  /** The cause of a failure, without the wrappers of futures. */
  public static Throwable unwrap(@Nullable Throwable failure) {
    Throwable cause = failure instanceof CompletionException ? failure.getCause() : failure;
    return cause == null ? new AssertionError("a failed stage must have a cause") : cause;
  }
}
