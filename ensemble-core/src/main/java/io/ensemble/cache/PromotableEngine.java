package io.ensemble.cache;

import io.ensemble.PrimaryTerm;
import io.ensemble.schedule.Deadline;
import java.util.concurrent.CompletionStage;

/** An engine that has a primary site, which can be changed. */
public interface PromotableEngine {

  /**
   * The current term. Fails with {@link io.ensemble.QuorumUnavailableException} when too few sites
   * answer.
   */
  CompletionStage<PrimaryTerm> term(Deadline deadline);

  /**
   * Makes {@code site} the primary and waits for its term; completes immediately when the site is
   * already the primary. The writer stays the same. Between the two terms nothing is read or
   * written for the time of a lease. When the site cannot be read, the call fails immediately with
   * {@link io.ensemble.QuorumUnavailableException}, and nothing was changed. The same exception at
   * the deadline means that the change may still take effect.
   */
  CompletionStage<PrimaryTerm> promote(String site, Deadline deadline);

  /**
   * Releases the writer lease, if this process holds it, so that another process need not wait for
   * its expiry. The next write here acquires the lease again if it is free. Fails with {@link
   * io.ensemble.QuorumUnavailableException} or {@link io.ensemble.UnknownOutcomeException} when too
   * few sites answer; the lease may then be released or not.
   */
  CompletionStage<Void> resign();
}
