package io.ensemble.adapter;

import java.time.Duration;
import java.util.Objects;
import java.util.concurrent.TimeUnit;

/** Infinispan's numbers with a unit as durations. */
final class Lifespans {

  private Lifespans() {}

  /** The lifespan; zero, which is for ever, when it is not positive or too long to count. */
  static Duration of(long lifespan, TimeUnit unit) {
    Objects.requireNonNull(unit, "lifespan unit");
    if (lifespan <= 0) {
      return Duration.ZERO;
    }
    try {
      return Duration.of(lifespan, unit.toChronoUnit());
    } catch (ArithmeticException e) {
      return Duration.ZERO;
    }
  }

  /**
   * The lifespan, without a max-idle time.
   *
   * @throws UnsupportedOperationException if {@code maxIdle} is above 0
   */
  static Duration of(long lifespan, TimeUnit unit, long maxIdle, TimeUnit maxIdleUnit) {
    if (maxIdle > 0) {
      throw new UnsupportedOperationException(
          "no mode has max-idle, for every read would have to be a write: use a lifespan;"
              + " maxIdle="
              + maxIdle
              + " unit="
              + maxIdleUnit);
    }
    return of(lifespan, unit);
  }
}
