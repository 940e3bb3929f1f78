package io.ensemble.rest.resource.entry;

import io.ensemble.WriteOutcome;
import io.ensemble.rest.http.Problem;
import io.ensemble.rest.http.ProblemException;
import io.ensemble.rest.http.ProblemMapper;
import io.ensemble.rest.http.ProblemType;
import io.ensemble.rest.http.RestResponse;

/** The outcomes of writes as responses. */
final class WriteResponses {

  /** The header with the outcome, {@code applied} or {@code superseded}. */
  static final String HEADER = "Ensemble-Outcome";

  private WriteResponses() {}

  /**
   * The response to a write.
   *
   * @param success the response if the write was applied
   * @param repeatable whether the same request may be sent again without being applied twice
   * @throws ProblemException if the write was refused, or its outcome is unknown
   */
  static RestResponse of(WriteOutcome<?> outcome, RestResponse success, boolean repeatable) {
    if (outcome instanceof WriteOutcome.Refused<?> refused) {
      throw new ProblemException(
          ProblemMapper.withQuorumFailure(
                  Problem.bare(
                      ProblemType.SITES_UNAVAILABLE, "too few sites answered; nothing was done"),
                  refused.why())
              .header("Retry-After", "1"));
    }
    if (outcome instanceof WriteOutcome.Unknown<?> unknown) {
      throw new ProblemException(
          ProblemMapper.unknown(
              unknown.why(),
              repeatable
                  ? "perhaps applied; the same request may be retried"
                  : "perhaps applied; read before a retry, because the first attempt may change "
                      + "the result of the condition",
              repeatable));
    }
    if (outcome instanceof WriteOutcome.Superseded<?> superseded) {
      return RestResponse.noContent()
          .with(HEADER, "superseded")
          .with("Ensemble-Stamp", superseded.by().toString());
    }
    return success
        .with(HEADER, "applied")
        .with("Ensemble-Stamp", ((WriteOutcome.Applied<?>) outcome).stamp().toString());
  }
}
