package io.ensemble.cache.listen;

import io.ensemble.cache.BlockingCall;
import io.ensemble.schedule.Scheduler;
import java.time.Duration;
import java.util.concurrent.CancellationException;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Predicate;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/** Waits for the next event of a stream, so that an interrupted reader takes no event with it. */
public final class WithdrawableRead {

  private WithdrawableRead() {}

  /**
   * The result of a call.
   *
   * @param call begins the call
   * @param withdraw ends it; false if it has received an event, with which its stage completes
   * @throws CancellationException if the thread was interrupted, and the call was withdrawn
   */
  public static <T> T result(
      Supplier<CompletionStage<T>> call,
      Predicate<CompletionStage<T>> withdraw,
      Duration timeout,
      Scheduler scheduler) {
    AtomicReference<@Nullable CompletionStage<T>> begun = new AtomicReference<>();
    try {
      return BlockingCall.result(
          () -> {
            CompletionStage<T> stage = call.get();
            begun.set(stage);
            return stage;
          },
          timeout,
          scheduler);
    } catch (CancellationException interrupted) {
      CompletionStage<T> mine = begun.get();
      if (mine == null || withdraw.test(mine)) {
        throw interrupted;
      }
      // The call has received an event, which no other call will receive.
      boolean isInterrupted = Thread.interrupted();
      try {
        return BlockingCall.result(() -> mine, timeout, scheduler);
      } finally {
        if (isInterrupted) {
          Thread.currentThread().interrupt();
        }
      }
    }
  }
}
