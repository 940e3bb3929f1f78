package io.ensemble;

import io.ensemble.stamp.Stamp;
import java.time.Duration;

/**
 * WEAK only: the stamp of the key's entry is ahead of this process's clock by more than the maximum
 * clock skew. A write with a stamp of this clock loses to that entry. The entry stays, as for a
 * superseded write, and this process's clock has not adopted the stamp. Reads return the entry.
 *
 * <p>A clock is wrong: that of the entry's writer, or that of this process. A retry succeeds once
 * this process's clock is near the stamp. To repair the key earlier, read the key, remove it while
 * every site of the cache is reachable, and write the key again.
 */
public final class ClockSkewException extends EnsembleException {

  private static final long serialVersionUID = 1L;

  private final transient Stamp stamp;
  private final Duration ahead;

  /**
   * @param cache the cache's name
   * @param stamp the entry's stamp, or one that the caller's context contains
   * @param nowMicros this process's clock, in microseconds since 1970
   * @param maxSkew the maximum clock skew
   */
  public ClockSkewException(String cache, Stamp stamp, long nowMicros, Duration maxSkew) {
    this(cache, stamp, Duration.ofMillis((stamp.micros() - nowMicros) / 1000), maxSkew);
  }

  private ClockSkewException(String cache, Stamp stamp, Duration ahead, Duration maxSkew) {
    super(
        "write rejected: the stamp of the stored entry is too far ahead of the clock of this "
            + "process. Check the clocks of the clients, then read the key, remove it and write it "
            + "again",
        cache,
        "; stamp=" + stamp + " ahead=" + ahead + " accepted=" + maxSkew);
    this.stamp = stamp;
    this.ahead = ahead;
  }

  /** The stamp that is too far ahead. */
  public Stamp stamp() {
    return stamp;
  }

  /** How far the stamp was ahead of this process's clock. */
  public Duration ahead() {
    return ahead;
  }
}
