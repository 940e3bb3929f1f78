package io.ensemble.check.faults;

import java.util.SplittableRandom;

/**
 * The turns of the processes that write to a cache with one writer at a time: each for a while, one
 * after the other, in a circle. A process without the turn reads; from time to time it tries to
 * write all the same, and the cache must refuse that.
 *
 * @param process the number of this process
 * @param processes the number of processes
 * @param turnMillis the length of a turn
 */
public record WriterRotation(int process, int processes, long turnMillis) {
  /** Of so many operations out of turn, one may write. */
  private static final int WRITE_OUT_OF_TURN_ONE_OF = 200;

  public static final long TURN_MILLIS = 6_000;

  /** Whether this process has the turn, that long after the beginning. */
  public boolean hasTurn(long nanosSinceBegin) {
    return turn(nanosSinceBegin) % processes == process;
  }

  /** The number of the turn. */
  long turn(long nanosSinceBegin) {
    return nanosSinceBegin / 1_000_000 / turnMillis;
  }

  /** Whether an operation at this time may write. */
  public boolean mayWrite(long nanosSinceBegin, SplittableRandom random) {
    return hasTurn(nanosSinceBegin) || random.nextInt(WRITE_OUT_OF_TURN_ONE_OF) == 0;
  }
}
