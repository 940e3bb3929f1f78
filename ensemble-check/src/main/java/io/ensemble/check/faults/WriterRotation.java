package io.ensemble.check.faults;

import java.util.SplittableRandom;

/**
 * Which of the processes writes to a cache that has one writer at a time: each for a while, one
 * after the other, in a circle. Whoever has no turn reads, and now and then tries to write all the
 * same, which is to be refused.
 *
 * @param process the number of this process
 * @param processes how many there are
 * @param turnMillis how long each writes
 */
public record WriterRotation(int process, int processes, long turnMillis) {
  /** Of so many operations out of turn one may write. */
  private static final int TRESPASSES = 200;

  public static final long TURN_MILLIS = 6_000;

  /** Whether this process has its turn so long after the beginning. */
  public boolean isOwn(long nanosSinceBegin) {
    return turn(nanosSinceBegin) % processes == process;
  }

  /** The number of the turn. */
  long turn(long nanosSinceBegin) {
    return nanosSinceBegin / 1_000_000 / turnMillis;
  }

  /** Whether an operation at this time may write. */
  public boolean mayWrite(long nanosSinceBegin, SplittableRandom random) {
    return isOwn(nanosSinceBegin) || random.nextInt(TRESPASSES) == 0;
  }
}
