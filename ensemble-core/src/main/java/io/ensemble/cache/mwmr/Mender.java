package io.ensemble.cache.mwmr;

import io.ensemble.QuorumUnavailableException;
import io.ensemble.Shortfall;
import io.ensemble.cache.Mending.Missed;
import io.ensemble.cache.OpenCache;
import io.ensemble.cache.Payload;
import io.ensemble.cache.StoreHandle;
import io.ensemble.cache.Unwrapped;
import io.ensemble.cache.call.Answers;
import io.ensemble.cache.call.MissedKeys;
import io.ensemble.cache.call.Steps;
import io.ensemble.cache.call.Tries;
import io.ensemble.cache.mwmr.RegisterCall.Ended;
import io.ensemble.cache.trust.Reserved;
import io.ensemble.envelope.MalformedEnvelopeException;
import io.ensemble.register.Ballot;
import io.ensemble.register.Outcome;
import io.ensemble.schedule.Deadline;
import io.ensemble.site.Bytes;
import io.ensemble.site.SiteStore;
import io.ensemble.site.StoredEntry;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Function;

/**
 * Brings sites up to date that were away and kept their memory. A key is brought to a site by a
 * classic ballot among all sites, which ends with one content chosen; it is asked of every site,
 * and so of that one. What was done to a key meanwhile is not undone by it.
 *
 * <p>A comparison walks over the other sites, so many of them that no majority is left out, and
 * looks for each key at the site itself. Where the accepted ballots differ the key is brought
 * there. Nothing is remembered of keys that are alike.
 */
final class Mender {

  private static final int AT_ONCE = 64;
  private static final long SECOND_NANOS = 1_000_000_000;

  private final OpenCache cache;
  private final MissedKeys missed;
  private final Function<Bytes, CompletionStage<Ended<Payload>>> settle;

  /**
   * @param settle settles a key among all sites
   */
  Mender(
      OpenCache cache, MissedKeys missed, Function<Bytes, CompletionStage<Ended<Payload>>> settle) {
    this.cache = cache;
    this.missed = missed;
    this.settle = settle;
  }

  Missed missed(String site) {
    return missed.of(index(site));
  }

  private int index(String site) {
    int index = cache.definition().sites().indexOf(site);
    if (index < 0) {
      throw new IllegalArgumentException(
          "the cache is not at that site; wanted one of %s, came '%s'"
              .formatted(cache.definition().sites(), site));
    }
    return index;
  }

  /** Goes over what is remembered now; what is missed meanwhile is for the next time. */
  CompletionStage<Long> mend(String site, Deadline deadline) {
    int index = index(site);
    int[] left = {missed.of(index).keys()};
    AtomicLong mended = new AtomicLong();
    return Steps.whileTrue(
            cache.scheduler(),
            () -> {
              List<Bytes> keys = missed.take(index, Math.min(AT_ONCE, left[0]));
              left[0] -= keys.size();
              if (keys.isEmpty()) {
                return CompletableFuture.completedFuture(false);
              }
              return brought(index, keys, mended)
                  .thenApply(done -> !deadline.hasPassed(cache.scheduler()));
            })
        .thenApply(done -> mended.get());
  }

  /** A key that cannot be settled is missed still; one that the site misses again says so. */
  private CompletionStage<Void> brought(int site, List<Bytes> keys, AtomicLong mended) {
    CompletionStage<Void> all = CompletableFuture.completedFuture(null);
    for (Bytes key : keys) {
      CompletionStage<Void> one =
          settle
              .apply(key)
              .handle(
                  (ended, failure) -> {
                    if (failure == null && ended.outcome() instanceof Outcome.Done) {
                      mended.incrementAndGet();
                    } else {
                      missed.add(site, key);
                    }
                    return null;
                  });
      all = all.thenCombine(one, (before, done) -> null);
    }
    return all;
  }

  /** Compares, as {@link io.ensemble.cache.Mending#compare} says. */
  CompletionStage<Long> compare(String site, int keysPerSecond, Deadline deadline) {
    int index = index(site);
    boolean hadAny = missed.forget(index);
    return new Comparing(index, keysPerSecond, deadline)
        .run()
        .whenComplete(
            (keys, failure) -> {
              if (failure != null && hadAny) {
                missed.more(index);
              }
            });
  }

  /** One comparison. */
  private final class Comparing {

    private final int site;
    private final int keysPerSecond;
    private final Deadline deadline;
    private final Tries tries;
    private final Answers walks;
    private final AtomicLong differed = new AtomicLong();
    private final int enough;
    private int walked;
    private long paidUntil;

    Comparing(int site, int keysPerSecond, Deadline deadline) {
      this.site = site;
      this.keysPerSecond = keysPerSecond;
      this.deadline = deadline;
      tries = new Tries(cache.scheduler(), deadline);
      walks = new Answers(cache.definition().sites());
      enough = cache.stores().size() - cache.definition().majority();
      paidUntil = cache.scheduler().nanos();
    }

    CompletionStage<Long> run() {
      return cache
          .stores()
          .get(site)
          .store(deadline)
          .thenCompose(behind -> walk(0, behind))
          .thenApply(
              done -> {
                if (walked < enough) {
                  throw tooFew(walks.shortfall());
                }
                return differed.get();
              });
    }

    private QuorumUnavailableException tooFew(Shortfall why) {
      return new QuorumUnavailableException(cache.definition().name(), why);
    }

    /** Walks over further sites until they are enough. */
    private CompletionStage<Void> walk(int other, SiteStore behind) {
      if (walked >= enough || other == cache.stores().size()) {
        return CompletableFuture.completedFuture(null);
      }
      return (other == site ? skipped() : over(cache.stores().get(other), behind))
          .handle(
              (done, failure) -> {
                if (failure != null) {
                  walks.silent(other, Unwrapped.of(failure));
                } else if (other != site) {
                  walks.heard(other);
                  walked++;
                }
                return walk(other + 1, behind);
              })
          .thenCompose(next -> next);
    }

    private CompletionStage<Void> skipped() {
      return CompletableFuture.completedFuture(null);
    }

    private CompletionStage<Void> over(StoreHandle handle, SiteStore behind) {
      return handle
          .store(deadline)
          .thenCompose(
              store -> {
                SiteStore.Scan scan = store.scan(AT_ONCE);
                return Steps.whileTrue(cache.scheduler(), () -> step(scan, behind))
                    .whenComplete((done, failure) -> scan.close());
              });
    }

    private CompletionStage<Boolean> step(SiteStore.Scan scan, SiteStore behind) {
      return tries
          .of(() -> scan.next(soon()))
          .thenCompose(
              items ->
                  items.isEmpty()
                      ? CompletableFuture.completedFuture(false)
                      : compared(items, behind)
                          .thenCompose(done -> paced(items.size()))
                          .thenApply(done -> true));
    }

    private CompletionStage<Void> compared(List<SiteStore.Scan.Item> items, SiteStore behind) {
      CompletionStage<Void> all = CompletableFuture.completedFuture(null);
      for (SiteStore.Scan.Item item : items) {
        if (!Reserved.isOne(item.key())) {
          all = all.thenCombine(compared(item, behind), (before, done) -> null);
        }
      }
      return all;
    }

    private CompletionStage<Void> compared(SiteStore.Scan.Item item, SiteStore behind) {
      return tries
          .of(() -> behind.read(item.key(), soon()))
          .thenCompose(
              there -> {
                if (there
                    .map(StoredEntry::value)
                    .map(Mender::accepted)
                    .equals(Optional.of(accepted(item.value())))) {
                  return CompletableFuture.completedFuture(null);
                }
                differed.incrementAndGet();
                return settled(item.key());
              });
    }

    private CompletionStage<Void> settled(Bytes key) {
      return settle
          .apply(key)
          .thenAccept(
              ended -> {
                if (!(ended.outcome() instanceof Outcome.Done)) {
                  throw tooFew(ended.answers().shortfall());
                }
              });
    }

    /** Waits as long as so many keys have to take. */
    private CompletionStage<Void> paced(int keys) {
      long now = cache.scheduler().nanos();
      paidUntil = Math.max(now, paidUntil) + keys * SECOND_NANOS / keysPerSecond;
      CompletableFuture<Void> over = new CompletableFuture<>();
      cache.scheduler().after(paidUntil - now, () -> over.complete(null));
      return over;
    }

    private Deadline soon() {
      long limit = cache.scheduler().nanos() + RegisterCall.REQUEST_NANOS;
      return limit - deadline.atNanos() < 0 ? new Deadline(limit) : deadline;
    }
  }

  /** What is strange differs from everything, as a settled cell will tell. */
  private static Ballot accepted(Bytes value) {
    try {
      return CellCodec.decode(value).accepted();
    } catch (MalformedEnvelopeException strange) {
      return Ballot.ZERO;
    }
  }
}
