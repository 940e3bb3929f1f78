package io.ensemble;

import java.time.Duration;

/**
 * How many writes of a cache with {@link Acknowledgement#PRIMARY} may be acknowledged before a
 * majority of its sites holds them. This is all that a fail-over, or the end of the writing
 * process, can drop.
 *
 * <p>A write takes its place in the window before anything is sent, and leaves it when a majority
 * is known to hold it, or a later write of its key. While the window is full, or its oldest write
 * is older than {@code age}, further writes wait; by their deadlines they are refused, and had no
 * effect. So whatever is lost are at most {@code writes} writes, of each key the last ones, and all
 * of them were begun within {@code age} and one deadline of each other. Writes whose epoch has
 * ended hold their places until their fates are known: where fail-overs follow each other, all of
 * them together lose no more than {@code writes} before that.
 *
 * <p>Writes of unknown outcome are not in the window, but their keys are brought to a majority in
 * the background too, whatever they hold. While more than 10,000 of them wait for that, writes of
 * further keys are refused, and had no effect.
 *
 * @param writes how many; 1 to {@value #MOST_WRITES}
 * @param age how old the oldest may be while others are let in; positive, at most {@link
 *     #LONGEST_AGE}
 */
public record CopyWindow(int writes, Duration age) {

  /** The largest window. */
  public static final int MOST_WRITES = 100_000;

  /** The longest age. */
  public static final Duration LONGEST_AGE = Duration.ofHours(1);

  /** A thousand writes, two seconds. */
  public static final CopyWindow DEFAULT = new CopyWindow(1_000, Duration.ofSeconds(2));

  public CopyWindow {
    if (writes < 1 || writes > MOST_WRITES) {
      throw new IllegalArgumentException(
          "a window holds 1 to %d writes; came %d".formatted(MOST_WRITES, writes));
    }
    if (age.isNegative() || age.isZero() || age.compareTo(LONGEST_AGE) > 0) {
      throw new IllegalArgumentException(
          "a window's age is positive and at most %s; came %s".formatted(LONGEST_AGE, age));
    }
  }
}
