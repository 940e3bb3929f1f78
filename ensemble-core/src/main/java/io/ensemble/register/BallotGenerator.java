package io.ensemble.register;

import io.ensemble.stamp.WriterId;
import java.util.function.LongUnaryOperator;

/**
 * The generator of one writer's fresh ballots.
 *
 * @param writer the proposer; no two processes, alive or dead, share it
 * @param rounds given a round, returns a larger one that the writer has never received
 */
public record BallotGenerator(WriterId writer, LongUnaryOperator rounds) {

  Ballot generateAbove(long round, Ballot.Kind kind) {
    long newRound = rounds.applyAsLong(round);
    if (newRound <= round) {
      throw new AssertionError("rounds must increase; after=" + round + " got=" + newRound);
    }
    return new Ballot(newRound, kind, writer);
  }
}
