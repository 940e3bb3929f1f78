package io.ensemble.objects.sync.link;

import io.ensemble.objects.AtomicObjectFactory;
import io.ensemble.objects.runtime.TimedExecutor;
import java.time.Duration;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.Future;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.function.Predicate;

/** The time of this process, by which it judges leases and waits. */
public interface LeaseClock {

  /** Grows steadily; its origin means nothing. */
  long nanos();

  /** Runs a task on the executor after a while. What it gives calls that off. */
  Runnable after(long nanos, Runnable task);

  /** Completes when the object may have changed so that it matters, or after a while. */
  <S> CompletionStage<Void> changed(S proxy, long nanos, Predicate<? super S> matters);

  /** The time that a factory's objects run by. */
  static LeaseClock of(AtomicObjectFactory factory) {
    TimedExecutor clockwork = factory.clockwork();
    return new LeaseClock() {
      @Override
      public long nanos() {
        return System.nanoTime();
      }

      @Override
      public Runnable after(long nanos, Runnable task) {
        try {
          Future<?> alarm =
              clockwork
                  .timer()
                  .schedule(() -> clockwork.executor().execute(task), nanos, TimeUnit.NANOSECONDS);
          return () -> alarm.cancel(false);
        } catch (RejectedExecutionException e) {
          return () -> {}; // the factory is closed, and with it all that could be done then
        }
      }

      @Override
      public <S> CompletionStage<Void> changed(S proxy, long nanos, Predicate<? super S> matters) {
        return factory.changed(proxy, Duration.ofNanos(nanos), matters);
      }
    };
  }
}
