package io.ensemble;

import java.time.Duration;

/**
 * How many writes of a cache with {@link Acknowledgement#PRIMARY} may be acknowledged before a
 * majority of its sites holds them. Only these writes can be dropped by a fail-over, or by the end
 * of the writing process.
 *
 * <p>A write enters the window before anything is sent. The write leaves it when a majority is
 * known to hold that write or a later write of its key. While the window is full, or its oldest
 * write is older than {@code age}, further writes wait; at their deadlines they are refused,
 * without effect.
 *
 * <p>Consequently at most {@code writes} writes are lost: of each key the last ones, all begun
 * within {@code age} and one deadline of each other. Writes whose epoch has ended stay in the
 * window until their fates are known. If fail-overs follow each other, all of them together lose at
 * most {@code writes} writes before that.
 *
 * <p>Writes of unknown outcome are not in the window, but Ensemble copies their keys to a majority
 * in the background too, whatever value these hold. While more than 10,000 of these keys wait,
 * writes of further keys are refused, without effect.
 *
 * @param writes how many; 1 to {@value #MOST_WRITES}
 * @param age how old the oldest may be while others enter; positive, at most {@link #LONGEST_AGE}
 */
public record CopyWindow(int writes, Duration age) {

  /** The largest window. */
  public static final int MOST_WRITES = 100_000;

  /** The longest age. */
  public static final Duration LONGEST_AGE = Duration.ofHours(1);

  /** 1,000 writes, two seconds. */
  public static final CopyWindow DEFAULT = new CopyWindow(1_000, Duration.ofSeconds(2));

  public CopyWindow {
    if (writes < 1 || writes > MOST_WRITES) {
      throw new IllegalArgumentException(
          "window must hold 1 to %d writes; got %d".formatted(MOST_WRITES, writes));
    }
    if (age.isNegative() || age.isZero() || age.compareTo(LONGEST_AGE) > 0) {
      throw new IllegalArgumentException(
          "maximum age of the window must be in (0 s, %s]; got %s".formatted(LONGEST_AGE, age));
    }
  }
}
