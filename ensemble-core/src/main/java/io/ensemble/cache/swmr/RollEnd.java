package io.ensemble.cache.swmr;

import io.ensemble.SiteIncompleteException;
import io.ensemble.cache.OpenCache;
import io.ensemble.cache.Payload;
import io.ensemble.cache.call.StoreWalk;
import io.ensemble.cache.mwmr.RegisterEnd;
import io.ensemble.primary.Roll;
import io.ensemble.primary.Term;
import io.ensemble.schedule.Deadline;
import io.ensemble.site.SiteStore;
import io.ensemble.site.StoredEntry;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.atomic.AtomicLong;

/**
 * How a roll ends: the record of its terms ends at one site without which it has no majority.
 *
 * @param whole the cache with all its sites
 */
record RollEnd(OpenCache whole) {

  CompletionStage<Roll> at(Roll roll, SiteStore store, List<String> next, Deadline deadline) {
    String site = store.site();
    if (roll.sites().size() > 2 || !roll.counts(site) || !next.get(0).equals(site)) {
      throw new IllegalArgumentException(
          "one of two sites ends a roll, and is the first of the next; site=%s roll=%s next=%s"
              .formatted(site, roll, next));
    }
    return RegisterEnd.at(
            store,
            Keys.record(roll.number()),
            accepted -> check(roll, site, term(roll, accepted)),
            whole.scheduler(),
            deadline)
        .thenApply(accepted -> roll.succeeded(term(roll, accepted), next));
  }

  private void check(Roll roll, String site, Term last) {
    if (!roll.isComplete(site, last)) {
      throw new SiteIncompleteException(whole.definition().name(), site, roll.sites());
    }
  }

  /** The latest term that a site has accepted; the first, where nobody has opened the cache. */
  private static Term term(Roll roll, Optional<Payload> accepted) {
    return accepted.map(payload -> TermCodec.decode(payload.value())).orElse(roll.firstTerm());
  }

  static CompletionStage<Boolean> hasCome(long number, SiteStore store, Deadline deadline) {
    return store
        .read(Keys.record(number), deadline)
        .thenApply(entry -> entry.map(StoredEntry::value).filter(RegisterEnd::isEnd).isPresent());
  }

  static CompletionStage<Boolean> hasRecord(long number, SiteStore store, Deadline deadline) {
    return store.read(Keys.record(number), deadline).thenApply(Optional::isPresent);
  }

  /** How many copies a site holds. */
  CompletionStage<Long> count(String site, Deadline deadline) {
    AtomicLong copies = new AtomicLong();
    return whole
        .stores()
        .get(whole.definition().sites().indexOf(site))
        .store(deadline)
        .thenCompose(
            store ->
                StoreWalk.over(
                    whole.scheduler(),
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
