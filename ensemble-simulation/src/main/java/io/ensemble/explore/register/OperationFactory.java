package io.ensemble.explore.register;

import io.ensemble.quorum.Quorum;
import io.ensemble.register.Ballot;
import io.ensemble.register.BallotGenerator;
import io.ensemble.register.PreparedBallot;
import io.ensemble.register.RefillRule;
import io.ensemble.register.RegisterOperation;
import io.ensemble.register.RivalPolicy;
import io.ensemble.register.Update;
import java.util.Optional;

/**
 * Makes the operations that an exploration drives: the production ones, or ones with a planted bug.
 */
public interface OperationFactory {

  /** The production protocol. */
  OperationFactory PRODUCTION = withPolicy(RivalPolicy.DEFAULT);

  /** The production protocol, except that operations compete immediately. */
  OperationFactory IMMEDIATE = withPolicy(RivalPolicy.IMMEDIATE);

  private static OperationFactory withPolicy(RivalPolicy rivalPolicy) {
    return new OperationFactory() {
      @Override
      public <V, R> RegisterOperation<V, R> operation(
          Quorum quorum,
          BallotGenerator ballotGenerator,
          Update<V, R> update,
          Ballot known,
          Optional<PreparedBallot> prepared) {
        return RegisterOperation.of(quorum, ballotGenerator, update, known, prepared, rivalPolicy);
      }
    };
  }

  /** An operation of the writer that {@code ballotGenerator} belongs to. */
  <V, R> RegisterOperation<V, R> operation(
      Quorum quorum,
      BallotGenerator ballotGenerator,
      Update<V, R> update,
      Ballot known,
      Optional<PreparedBallot> prepared);

  /**
   * Whether the client of this protocol returns the "no" of a site as the result of the operation.
   */
  default boolean returnsNoOfSite() {
    return false;
  }

  /** Whether a client passes a prepared ballot to every operation that follows. */
  default boolean keepsPreparedBallots() {
    return false;
  }

  /** Whether a client counts the responses of a site that came back without its memory. */
  default boolean countsWipedSites() {
    return false;
  }

  /** Whether a tombstone may be dropped while operations that may need it are under way. */
  default boolean purgesEarly() {
    return false;
  }

  /** Whether a refill begins although requests from before the loss may still be answered. */
  default boolean refillsImmediately() {
    return false;
  }

  /** The rule by which the cells of the other sites are copied to the store of a wiped site. */
  default RefillRule refillRule(Quorum quorum) {
    return new RefillRule(quorum);
  }

  /** The ballots that a client uses. */
  default BallotGenerator ballots(BallotGenerator own) {
    return own;
  }
}
