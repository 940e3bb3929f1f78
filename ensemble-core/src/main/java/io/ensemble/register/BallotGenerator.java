package io.ensemble.register;

import io.ensemble.stamp.WriterId;
import java.util.function.LongUnaryOperator;

/**
 * The generator of one writer's fresh ballots.
 *
 * @param writer the proposer; no two processes, alive or dead, share it
 * @param rounds given a round, returns a larger one that the writer has never received
 * @param separatesKinds whether no fast ballot has the round of a classic one, whichever writers
 *     they belong to. Then writes have the same order by round and writer, as in a {@link
 *     io.ensemble.stamp.Stamp}, as by the ballots in which they were first proposed
 */
public record BallotGenerator(WriterId writer, LongUnaryOperator rounds, boolean separatesKinds) {

  /** The bit of a round that is set in classic ballots; the lowest one belongs to the clock. */
  private static final long CLASSIC_BIT = 2;

  /** A generator for which only the order of ballots matters. */
  public BallotGenerator(WriterId writer, LongUnaryOperator rounds) {
    this(writer, rounds, false);
  }

  /**
   * A generator that separates kinds.
   *
   * @param clock gives rounds of both kinds in turn if it does not advance otherwise, as {@link
   *     io.ensemble.stamp.HybridClock#after} does
   */
  public static BallotGenerator separatingKinds(WriterId writer, LongUnaryOperator clock) {
    return new BallotGenerator(writer, clock, true);
  }

  Ballot generateAbove(long round, Ballot.Kind kind) {
    long newRound = nextRound(round);
    while (separatesKinds && !isOf(kind, newRound)) {
      newRound = nextRound(newRound);
    }
    return new Ballot(newRound, kind, writer);
  }

  private long nextRound(long round) {
    long newRound = rounds.applyAsLong(round);
    if (newRound <= round) {
      throw new AssertionError("rounds must increase; after=" + round + " got=" + newRound);
    }
    return newRound;
  }

  /** Whether a ballot of this kind may have this round. A confirming one proposes nothing new. */
  private static boolean isOf(Ballot.Kind kind, long round) {
    boolean isClassicRound = (round & CLASSIC_BIT) != 0;
    return switch (kind) {
      case FAST -> !isClassicRound;
      case CLASSIC -> isClassicRound;
      case CONFIRM -> true;
    };
  }
}
