package io.ensemble.cache;

import io.ensemble.primary.VoterSet;
import io.ensemble.schedule.Deadline;
import io.ensemble.site.SiteStore;
import java.util.List;
import java.util.concurrent.CompletionStage;

/** An engine of a cache whose voter set may change while the cache is open. */
public interface DynamicQuorumEngine {

  /**
   * Adopts {@code voterSet} if it is later than the present one. A lease on a term of the former
   * voter set ends here if one of its voters has another store in {@code voterSet}.
   *
   * @param renew makes the store handles of the cache look for the stores of the present voters.
   *     Runs once in any case: after responses of those stores have ceased to count for the former
   *     voter set, and before the first request under the new one
   */
  void follow(VoterSet voterSet, Runnable renew);

  /**
   * Has {@code look} run, perhaps often, when a site reports that the present voter set has ended.
   */
  void whenOver(Runnable look);

  /**
   * Ends {@code voterSet} irrevocably at one of its sites. A process that holds a lease on one of
   * its terms keeps that lease until it expires; no process gets a new lease. The caller publishes
   * the next voter set. Until then nothing is read or written. May be repeated.
   *
   * @param voterSet of two sites, or of one
   * @param store the site's store
   * @param next the sites of the next voter set, this site first
   * @return the next voter set, the same on each call. Fails with {@link
   *     io.ensemble.SiteIncompleteException} when the site does not have all current data; nothing
   *     was done. Fails with {@link io.ensemble.site.SiteException} when the site does not answer;
   *     the voter set may then have ended or not
   */
  CompletionStage<VoterSet> end(
      VoterSet voterSet, SiteStore store, List<String> next, Deadline deadline);

  /** Whether {@code voterSet} has ended at the site of {@code store}. */
  CompletionStage<Boolean> hasEnded(VoterSet voterSet, SiteStore store, Deadline deadline);

  /** Whether {@code store} was the store of a voter in the voter set of {@code number}. */
  CompletionStage<Boolean> hasCounted(long number, SiteStore store, Deadline deadline);

  /**
   * Gives every voter all current data, including data whose copying another process began. Fails
   * with {@link io.ensemble.QuorumUnavailableException} when the deadline comes first; the copying
   * may still complete.
   */
  CompletionStage<Void> fill(Deadline deadline);

  /**
   * As {@link #fill}.
   *
   * @return how many keys {@code site} has then; fails with {@link
   *     io.ensemble.QuorumUnavailableException} when the deadline comes first, and the copying may
   *     still complete
   */
  CompletionStage<Long> filled(String site, Deadline deadline);
}
