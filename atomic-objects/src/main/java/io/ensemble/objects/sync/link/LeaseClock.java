package io.ensemble.objects.sync.link;

import io.ensemble.objects.AtomicObjectFactory;
import io.ensemble.objects.ReportTest;
import io.ensemble.objects.runtime.TimedExecutor;
import java.time.Duration;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.Future;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.TimeUnit;

/** The clock and timer of this process, which measure leases and waits. */
public interface LeaseClock {

  /** A monotonic time in nanoseconds; its origin has no meaning. */
  long nanos();

  /** Runs a task on the executor after a delay. The returned runnable cancels it. */
  Runnable after(long nanos, Runnable task);

  /** Completes when the object may have changed in a way that matters, or after the delay. */
  <S> CompletionStage<Void> changed(S proxy, long nanos, ReportTest<? super S> matters);

  /** The clock of the objects of a factory. */
  static LeaseClock of(AtomicObjectFactory factory) {
    TimedExecutor clockwork = factory.clockwork();
    return new LeaseClock() {
      @Override
      public long nanos() {
        return clockwork.now();
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
          return () -> {}; // the factory is closed, so the task has no purpose
        }
      }

      @Override
      public <S> CompletionStage<Void> changed(S proxy, long nanos, ReportTest<? super S> matters) {
        return factory.changed(proxy, Duration.ofNanos(nanos), matters);
      }
    };
  }
}
