package io.ensemble.register;

import io.ensemble.stamp.WriterId;
import java.util.function.LongUnaryOperator;

/**
 * One writer's supply of fresh ballots.
 *
 * @param writer the proposer; no two that are alive or were alive share it
 * @param rounds given a round, a larger one that the writer has never been given
 */
public record BallotGenerator(WriterId writer, LongUnaryOperator rounds) {

  Ballot above(long round, Ballot.Kind kind) {
    long fresh = rounds.applyAsLong(round);
    if (fresh <= round) {
      throw new AssertionError("rounds only grow; after=" + round + " got=" + fresh);
    }
    return new Ballot(fresh, kind, writer);
  }
}
