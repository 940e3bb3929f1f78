package io.ensemble.rest.resource;

import io.ensemble.WriteOutcome;
import io.ensemble.rest.http.Failures;
import io.ensemble.rest.http.Problem;
import io.ensemble.rest.http.ProblemException;
import io.ensemble.rest.http.ProblemType;
import io.ensemble.rest.http.Reply;

/** How writes end, as answers. */
final class Outcomes {

  /** Says {@code applied} or {@code superseded}. */
  static final String HEADER = "Ensemble-Outcome";

  private Outcomes() {}

  /**
   * The answer to a write.
   *
   * @param done what to answer if it was applied
   * @param repeatable whether the same request may be sent again without being applied twice
   * @throws ProblemException if it was refused, or nobody knows
   */
  static Reply of(WriteOutcome<?> outcome, Reply done, boolean repeatable) {
    if (outcome instanceof WriteOutcome.Refused<?> refused) {
      throw new ProblemException(
          Failures.shortfall(
                  Problem.bare(
                      ProblemType.SITES_UNAVAILABLE, "too few sites answered; nothing was done"),
                  refused.why())
              .header("Retry-After", "1"));
    }
    if (outcome instanceof WriteOutcome.Unknown<?> unknown) {
      throw new ProblemException(
          Failures.unknown(
              unknown.why(),
              repeatable
                  ? "perhaps applied; the same request may be sent again"
                  : "perhaps applied; read before it is sent again, for its condition may have been"
                      + " met by itself",
              repeatable));
    }
    if (outcome instanceof WriteOutcome.Superseded<?> superseded) {
      return Reply.noContent()
          .with(HEADER, "superseded")
          .with("Ensemble-Stamp", superseded.by().toString());
    }
    return done.with(HEADER, "applied")
        .with("Ensemble-Stamp", ((WriteOutcome.Applied<?>) outcome).stamp().toString());
  }
}
