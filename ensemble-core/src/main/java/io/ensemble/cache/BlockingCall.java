package io.ensemble.cache;

import io.ensemble.schedule.Scheduler;
import io.ensemble.schedule.WaitingThread;
import java.time.Duration;
import java.util.concurrent.CancellationException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * The only place of this module that blocks a thread. Each awaited call ends by its own deadline.
 * The bound here is a second line of defence: a defect then appears as an error, not as a hanging
 * thread.
 */
public final class BlockingCall {

  private static final Duration GRACE = Duration.ofSeconds(5);
  private static final long POLL_MILLIS = 5;

  private BlockingCall() {}

  /**
   * Makes {@code call} and waits for its stage, which ends within {@code longest}. Continuations of
   * the responses run on the calling thread.
   *
   * @return the result of the stage
   * @throws RuntimeException the failure of the stage, unwrapped; its stack trace may be another
   *     thread's
   * @throws IllegalStateException on a thread where waiting could wait for itself: a thread of
   *     {@code scheduler}, or a thread that runs a continuation of another blocking call
   * @throws CancellationException when the thread is interrupted; the interrupt flag stays set, and
   *     the call continues and may take effect
   */
  public static <T extends @Nullable Object> T result(
      Supplier<? extends CompletionStage<T>> call, Duration longest, Scheduler scheduler) {
    refuseOn(scheduler);
    try {
      CompletableFuture<T> future =
          WaitingThread.await(
              () -> call.get().toCompletableFuture(), scheduler, longest.plus(GRACE).toNanos());
      if (!future.isDone()) {
        throw new AssertionError("a call must end by its deadline; deadline=" + longest);
      }
      return future.get();
    } catch (ExecutionException e) {
      throw asUnchecked(e);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw interrupted(e);
    }
  }

  /**
   * Rejects a blocking call on a thread of {@code scheduler}.
   *
   * @throws IllegalStateException if the current thread belongs to {@code scheduler}
   */
  public static void refuseOn(Scheduler scheduler) {
    if (scheduler.ownsCurrentThread()) {
      throw new IllegalStateException(
          "a blocking method was called on a thread of Ensemble and would deadlock: use async() or "
              + "an …Async method; thread="
              + Thread.currentThread().getName());
    }
  }

  /**
   * Calls {@code attempt} every few milliseconds until its result is not null; returns null after
   * {@code longest}.
   */
  public static <T> @Nullable T poll(Supplier<@Nullable T> attempt, Duration longest) {
    long start = System.nanoTime();
    CountDownLatch never = new CountDownLatch(1);
    while (true) {
      T result = attempt.get();
      if (result != null || System.nanoTime() - start > longest.toNanos()) {
        return result;
      }
      try {
        if (never.await(POLL_MILLIS, TimeUnit.MILLISECONDS)) {
          return null;
        }
      } catch (InterruptedException e) {
        Thread.currentThread().interrupt();
        throw interrupted(e);
      }
    }
  }

  private static CancellationException interrupted(InterruptedException cause) {
    CancellationException exception =
        new CancellationException(
            "interrupted while waiting; the operation continues and may be applied");
    exception.initCause(cause);
    return exception;
  }

  private static RuntimeException asUnchecked(ExecutionException wrapped) {
    Throwable cause = CompletionCause.of(wrapped);
    if (cause instanceof Error error) {
      throw error;
    }
    return cause instanceof RuntimeException unchecked ? unchecked : new CompletionException(cause);
  }
}
