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

  Ballot above(long round, Ballot.Kind kind) {
    long fresh = rounds.applyAsLong(round);
    if (fresh <= round) {
      throw new AssertionError("rounds must increase; after=" + round + " got=" + fresh);
    }
    return new Ballot(fresh, kind, writer);
  }
}
