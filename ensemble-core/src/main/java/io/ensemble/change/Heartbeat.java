package io.ensemble.change;

/**
 * A mover's sign of life, and how far it has come.
 *
 * @param number grows while the owner lives, by one each lease or so
 * @param copied how many keys it has compared or copied in the copy that is under way
 * @param of how many keys the copy before had; 0 while that is not known
 */
public record Heartbeat(long number, long copied, long of) {

  /** Before any. */
  public static final Heartbeat NONE = new Heartbeat(0, 0, 0);

  public Heartbeat {
    if (number < 0 || copied < 0 || of < 0) {
      throw new IllegalArgumentException(
          "a beat counts from 0; number=%d copied=%d of=%d".formatted(number, copied, of));
    }
  }

  /** The next one. */
  public Heartbeat next(long copiedNow, long ofNow) {
    return new Heartbeat(number + 1, copiedNow, ofNow);
  }
}
