package io.ensemble.adapter;

import java.time.Duration;
import java.util.Objects;
import java.util.concurrent.TimeUnit;

/** Converts Infinispan's numbers with a unit to durations. */
final class Lifespans {

  private Lifespans() {}

  /**
   * The lifespan as a duration. Zero means no expiry; a lifespan that is not positive or too long
   * to count gives zero.
   */
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
   * The lifespan as a duration, where no max-idle time is allowed.
   *
   * @throws UnsupportedOperationException if {@code maxIdle} is above 0
   */
  static Duration of(long lifespan, TimeUnit unit, long maxIdle, TimeUnit maxIdleUnit) {
    if (maxIdle > 0) {
      throw new UnsupportedOperationException(
          "max-idle is not supported, because each read would have to write: use a lifespan; "
              + "maxIdle="
              + maxIdle
              + " unit="
              + maxIdleUnit);
    }
    return of(lifespan, unit);
  }
}
