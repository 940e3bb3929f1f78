package io.ensemble.manager;

import io.ensemble.stamp.HybridClock;
import io.micrometer.core.instrument.Counter;
import io.micrometer.core.instrument.MeterRegistry;
import java.time.Duration;
import java.util.concurrent.atomic.AtomicLong;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Reports the times that a manager's clock has rejected: counter {@code ensemble.clock.rejections},
 * and a warning at most once a minute. Thread-safe.
 */
public final class ClockRejectionReporter implements HybridClock.RejectionListener {

  private static final Logger LOG = LoggerFactory.getLogger(ClockRejectionReporter.class);
  private static final long BETWEEN_WARNINGS_MICROS = Duration.ofMinutes(1).toNanos() / 1000;

  private final Duration maxSkew;
  private final @Nullable Counter counter;
  private final AtomicLong warned = new AtomicLong();

  private ClockRejectionReporter(Duration maxSkew, @Nullable Counter counter) {
    this.maxSkew = maxSkew;
    this.counter = counter;
  }

  /** Reports to the log and to {@code registry}, unless the registry is null or throws. */
  public static ClockRejectionReporter reportedTo(
      @Nullable MeterRegistry registry, Duration maxSkew) {
    Counter counter = null;
    try {
      counter = registry == null ? null : registry.counter("ensemble.clock.rejections");
    } catch (RuntimeException broken) {
      LOG.error("metric cannot be registered; metric=ensemble.clock.rejections", broken);
    }
    return new ClockRejectionReporter(maxSkew, counter);
  }

  @Override
  public void rejected(long rejectedMicros, long nowMicros) {
    if (counter != null) {
      counter.increment();
    }
    long before = warned.get();
    if (Math.abs(nowMicros - before) >= BETWEEN_WARNINGS_MICROS
        && warned.compareAndSet(before, nowMicros)) {
      LOG.warn(
          "rejected a stored time that is too far ahead of the clock of this process: the clock of "
              + "its writer or of this process is wrong; ahead={} accepted={}",
          Duration.ofMillis((rejectedMicros - nowMicros) / 1000),
          maxSkew);
    }
  }
}
