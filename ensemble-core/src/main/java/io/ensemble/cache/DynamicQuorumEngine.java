package io.ensemble.cache;

import io.ensemble.primary.VoterSet;
import io.ensemble.schedule.Deadline;
import io.ensemble.site.SiteStore;
import java.util.List;
import java.util.concurrent.CompletionStage;

/** An engine of a cache whose sites may cease to count, and count again, while it is open. */
public interface DynamicQuorumEngine {

  /**
   * Goes by {@code voterSet}, if it is later than the one that it goes by. What was trusted before
   * is trusted no longer where a site counted that has another store in {@code voterSet}.
   *
   * @param renew has the cache's handles look for the stores that count now; run once in any case,
   *     after nothing that those stores answer is taken for an answer of the former roll, and
   *     before they are asked anything in this one
   */
  void follow(VoterSet voterSet, Runnable renew);

  /** Has {@code look} run, perhaps often, when a site says that the present roll is over. */
  void whenOver(Runnable look);

  /**
   * Ends {@code voterSet} for good at one of its sites: who trusts a term of it does so for the
   * rest of its lease, and nobody any longer. The caller publishes the next roll; until then
   * nothing is read or written. May be repeated.
   *
   * @param voterSet of two sites, or of one
   * @param store the site's store
   * @param next who counts then, that site first
   * @return the next roll, the same whenever it is asked for. Fails with {@link
   *     io.ensemble.SiteIncompleteException} when the site does not have all that counts, and
   *     nothing was done; with {@link io.ensemble.site.SiteException} when it does not answer: then
   *     the roll may have ended or not
   */
  CompletionStage<VoterSet> end(
      VoterSet voterSet, SiteStore store, List<String> next, Deadline deadline);

  /** Whether {@code voterSet} has ended at the site of {@code store}. */
  CompletionStage<Boolean> hasEnded(VoterSet voterSet, SiteStore store, Deadline deadline);

  /** Whether {@code store} was among those that count in a roll of {@code number}. */
  CompletionStage<Boolean> hasCounted(long number, SiteStore store, Deadline deadline);

  /**
   * Gives every site that counts all that counts, also where another process began it. Fails with
   * {@link io.ensemble.QuorumUnavailableException} when that has not come about in time: then it
   * still may.
   */
  CompletionStage<Void> fill(Deadline deadline);

  /**
   * As {@link #fill}.
   *
   * @return how many keys {@code site} has then; fails with {@link
   *     io.ensemble.QuorumUnavailableException} when that has not come about in time: then it still
   *     may
   */
  CompletionStage<Long> filled(String site, Deadline deadline);
}
