package io.ensemble.cache.swmr;

import io.ensemble.SiteIncompleteException;
import io.ensemble.cache.EngineContext;
import io.ensemble.cache.Payload;
import io.ensemble.cache.mwmr.RegisterEnd;
import io.ensemble.cache.quorum.StoreWalk;
import io.ensemble.cache.swmr.copy.SwmrKeyLayout;
import io.ensemble.primary.Term;
import io.ensemble.primary.VoterSet;
import io.ensemble.schedule.Deadline;
import io.ensemble.site.SiteStore;
import io.ensemble.site.StoredEntry;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.atomic.AtomicLong;

/**
 * Ends a voter set: the record of its terms ends at one site without which it has no majority.
 *
 * @param context the cache with all its sites
 */
record VoterSetEnd(EngineContext context) {

  CompletionStage<VoterSet> endAt(
      VoterSet voterSet, SiteStore store, List<String> nextSites, Deadline deadline) {
    String site = store.site();
    if (voterSet.sites().size() > 2 || !voterSet.counts(site) || !nextSites.get(0).equals(site)) {
      throw new IllegalArgumentException(
          ("the site that ends a two-site voter set must be the first of the next; site=%s "
                  + "voters=%s next=%s")
              .formatted(site, voterSet, nextSites));
    }
    return RegisterEnd.at(
            store,
            SwmrKeyLayout.record(voterSet.number()),
            accepted -> requireComplete(voterSet, site, lastTermOf(voterSet, accepted)),
            context.scheduler(),
            deadline)
        .thenApply(accepted -> voterSet.succeeded(lastTermOf(voterSet, accepted), nextSites));
  }

  private void requireComplete(VoterSet voterSet, String site, Term lastTerm) {
    if (!voterSet.isComplete(site, lastTerm)) {
      throw new SiteIncompleteException(context.definition().name(), site, voterSet.sites());
    }
  }

  /**
   * The latest term that a site has accepted; the first term if no process has opened the cache.
   */
  private static Term lastTermOf(VoterSet voterSet, Optional<Payload> accepted) {
    return accepted.map(payload -> TermCodec.decode(payload.value())).orElse(voterSet.firstTerm());
  }

  static CompletionStage<Boolean> readHasEnded(long number, SiteStore store, Deadline deadline) {
    return store
        .read(SwmrKeyLayout.record(number), deadline)
        .thenApply(entry -> entry.map(StoredEntry::value).filter(RegisterEnd::isEnd).isPresent());
  }

  static CompletionStage<Boolean> readHasRecord(long number, SiteStore store, Deadline deadline) {
    return store.read(SwmrKeyLayout.record(number), deadline).thenApply(Optional::isPresent);
  }

  /** How many copies a site holds. */
  CompletionStage<Long> count(String site, Deadline deadline) {
    AtomicLong copies = new AtomicLong();
    return context
        .stores()
        .get(context.definition().sites().indexOf(site))
        .store(deadline)
        .thenCompose(
            store ->
                StoreWalk.over(
                    context.scheduler(),
                    store,
                    StoreWalk.BATCH,
                    scan -> scan.next(deadline),
                    items -> {
                      copies.addAndGet(items.size());
                      return CompletableFuture.completedFuture(true);
                    }))
        .thenApply(done -> copies.get());
  }
}
