package io.ensemble.change;

/**
 * A mover's heartbeat, with its progress.
 *
 * @param number grows by one with each heartbeat, about once a lease
 * @param copied the number of keys compared or copied in the current copy
 * @param of the number of keys of the previous copy; 0 while that is unknown
 */
public record Heartbeat(long number, long copied, long of) {

  /** The state before the first heartbeat. */
  public static final Heartbeat NONE = new Heartbeat(0, 0, 0);

  public Heartbeat {
    if (number < 0 || copied < 0 || of < 0) {
      throw new IllegalArgumentException(
          "heartbeat counts must be 0 or more; number=%d copied=%d of=%d"
              .formatted(number, copied, of));
    }
  }

  /** The next heartbeat. */
  public Heartbeat next(long copiedNow, long ofNow) {
    return new Heartbeat(number + 1, copiedNow, ofNow);
  }
}
