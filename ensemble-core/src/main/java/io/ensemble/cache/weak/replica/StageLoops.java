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
    CompletableFuture<Void> end = new CompletableFuture<>();
    turn(step, end);
    return end;
  }

  private static void turn(Supplier<CompletionStage<Boolean>> step, CompletableFuture<Void> end) {
    boolean again = true;
    while (again) {
      CompletionStage<Boolean> stage = guarded(step);
      CompletableFuture<Boolean> turn = stage.toCompletableFuture();
      if (!turn.isDone() || turn.isCompletedExceptionally()) {
        stage.whenComplete((more, failure) -> turned(more, failure, step, end));
        return;
      }
      again = turn.getNow(false);
    }
    end.complete(null);
  }

  private static void turned(
      @Nullable Boolean more,
      @Nullable Throwable failure,
      Supplier<CompletionStage<Boolean>> step,
      CompletableFuture<Void> end) {
    if (failure != null || more == null) {
      end.completeExceptionally(unwrap(failure));
    } else if (more) {
      turn(step, end);
    } else {
      end.complete(null);
    }
  }

  /**
   * Applies {@code work} to each item, at most {@code width} at a time; ends when all have ended.
   */
  static <T> CompletionStage<Void> each(
      List<T> items, int width, Function<T, CompletionStage<?>> work) {
    AtomicInteger next = new AtomicInteger();
    List<CompletionStage<?>> lanes = new ArrayList<>();
    for (int lane = 0; lane < Math.min(width, items.size()); lane++) {
      lanes.add(
          whileTrue(
              () -> {
                int index = next.getAndIncrement();
                return index >= items.size()
                    ? CompletableFuture.completedFuture(false)
                    : work.apply(items.get(index)).thenApply(done -> true);
              }));
    }
    return all(lanes);
  }

  public static CompletionStage<Void> all(List<? extends CompletionStage<?>> parts) {
    return CompletableFuture.allOf(
        parts.stream().map(CompletionStage::toCompletableFuture).toArray(CompletableFuture[]::new));
  }

  /** The stage, or a failed stage when its creation throws. */
  public static <T> CompletionStage<T> guarded(Supplier<CompletionStage<T>> maker) {
    try {
      return maker.get();
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
