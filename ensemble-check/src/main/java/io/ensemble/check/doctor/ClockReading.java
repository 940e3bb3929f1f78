package io.ensemble.check.doctor;

import java.time.Duration;

/**
 * A reading of another clock: by how much it is ahead of the clock of this process, at least and at
 * most. Negative where it is behind.
 *
 * @param subject the node, or the process
 */
public record ClockReading(String subject, Duration least, Duration most) {

  public ClockReading {
    if (least.compareTo(most) > 0) {
      throw new IllegalArgumentException(
          "least must not be above most; subject=%s least=%s most=%s"
              .formatted(subject, least, most));
    }
  }

  /**
   * A reading of a clock that shows whole units.
   *
   * @param shown the time that the clock showed, in milliseconds since 1970
   * @param unit the unit of the clock: it may be up to a unit further than it shows
   * @param asked when the clock was asked, by the clock of this process
   * @param answered when the answer came
   */
  public static ClockReading of(
      String subject, long shown, Duration unit, long asked, long answered) {
    return new ClockReading(
        subject, Duration.ofMillis(shown - answered), Duration.ofMillis(shown - asked).plus(unit));
  }

  /** By how much it is certainly ahead of, or behind, this process; zero if it may be equal. */
  Duration certain() {
    return certain(least, most);
  }

  /** By how much it is certainly ahead of {@code other}; negative if behind. */
  Duration certainAheadOf(ClockReading other) {
    return certain(least.minus(other.most), most.minus(other.least));
  }

  private static Duration certain(Duration least, Duration most) {
    if (!least.isNegative()) {
      return least;
    }
    return most.isNegative() ? most : Duration.ZERO;
  }
}
