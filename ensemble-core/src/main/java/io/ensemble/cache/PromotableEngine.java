package io.ensemble.cache;

import io.ensemble.PrimaryTerm;
import io.ensemble.schedule.Deadline;
import java.util.concurrent.CompletionStage;

/** An engine that has a primary site, which can be changed. */
public interface PromotableEngine {

  /**
   * Whose turn it is now; fails with {@link io.ensemble.QuorumUnavailableException} when too few
   * sites say.
   */
  CompletionStage<PrimaryTerm> term(Deadline deadline);

  /**
   * Makes {@code site} the primary, and waits until it is; at once when it is already. The writer
   * stays the writer. Between the two terms nothing is read or written for the time of a lease.
   * Fails with {@link io.ensemble.QuorumUnavailableException} at once when the site cannot be read,
   * and nothing was changed; or when it has not come about by the deadline; then it may still.
   */
  CompletionStage<PrimaryTerm> promote(String site, Deadline deadline);

  /**
   * Gives the writer's place up, if this process has it, so that another need not wait until its
   * lease has run out. The next write here takes it again, if it is free. Fails with {@link
   * io.ensemble.QuorumUnavailableException} or {@link io.ensemble.UnknownOutcomeException} when too
   * few sites answer; then the place may be given up or not.
   */
  CompletionStage<Void> resign();
}
