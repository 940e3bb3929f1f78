package io.ensemble.cache.swmr;

import io.ensemble.Acknowledgement;
import io.ensemble.CacheDefinition;
import io.ensemble.cache.CompletionCause;
import io.ensemble.cache.Payload;
import io.ensemble.cache.StoreHandle;
import io.ensemble.cache.mwmr.RegisterEnd;
import io.ensemble.cache.swmr.copy.CopyCodec;
import io.ensemble.cache.swmr.copy.CopyStore;
import io.ensemble.cache.swmr.copy.PartialStoreHandle;
import io.ensemble.cache.swmr.copy.SwmrKeyLayout;
import io.ensemble.primary.Copy;
import io.ensemble.primary.FinalCopy;
import io.ensemble.primary.Term;
import io.ensemble.primary.VoterSet;
import io.ensemble.schedule.Deadline;
import io.ensemble.schedule.Scheduler;
import io.ensemble.site.Bytes;
import io.ensemble.site.SiteException;
import io.ensemble.site.SiteException.Reason;
import io.ensemble.stamp.HybridClock;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * What an SWMR cache holds, for who carries it to another configuration: ends the record of its
 * terms, and reads its copies as a majority has them, without any term. While the terms go on, what
 * is read may be old, or never have counted; once they are ended at a majority, and all trust in
 * them is over, it is what the cache held.
 *
 * <p>Where the primary alone acknowledges, the last term's primary must answer too, unless it has
 * been silent for ten seconds: then the cache goes on as after a fail-over, without what was in the
 * window, which its writer reports. Thread-safe.
 */
public final class SwmrMigrationSource {

  /** How long the last primary may be silent where it alone has acknowledged. */
  static final Duration PATIENCE = Duration.ofSeconds(10);

  private static final Logger LOG = LoggerFactory.getLogger(SwmrMigrationSource.class);

  private final CacheDefinition cache;
  private final List<StoreHandle> stores;
  private final List<StoreHandle> copies;
  private final Bytes record;
  private final boolean decides;
  private final VoterSet voterSet;
  private final Scheduler scheduler;
  private final HybridClock clock;

  // All below belongs to this object's lock.
  private @Nullable Term last;
  private long floor;
  private @Nullable Long silentSinceNanos;
  private boolean goesWithout;

  /**
   * @param stores the cache's stores, in the order of its sites
   * @param voterSet the present one, in which all sites count
   * @param decides whether it may go on without what the last primary alone has, when that has been
   *     silent for long
   */
  public SwmrMigrationSource(
      CacheDefinition cache,
      List<StoreHandle> stores,
      VoterSet voterSet,
      Scheduler scheduler,
      HybridClock clock,
      boolean decides) {
    this.decides = decides;
    this.cache = cache;
    this.stores = List.copyOf(stores);
    this.copies = PartialStoreHandle.of(stores, CopyStore::new);
    this.record = SwmrKeyLayout.record(voterSet.number());
    this.voterSet = voterSet;
    this.scheduler = scheduler;
    this.clock = clock;
    floor = voterSet.floor();
  }

  /** The copies at each site, under their users' keys; the last primary's first, once known. */
  public synchronized List<StoreHandle> copies() {
    Term term = last;
    List<StoreHandle> order = new ArrayList<>(copies);
    if (term != null) {
      order.sort(
          (one, other) ->
              Boolean.compare(
                  other.site().equals(term.primary()), one.site().equals(term.primary())));
    }
    return order;
  }

  /**
   * Of how many sites the copies must be walked over so that no key is missed: all, while the first
   * of a roll had everything alone.
   */
  public synchronized int sitesToWalk() {
    Term term = last;
    boolean filled = voterSet.number() == 1 || (term != null && voterSet.isFilled(term));
    return filled ? copies.size() - cache.majority() + 1 : copies.size();
  }

  /** Whether it goes without what {@code site} has, which has failed to show it. */
  public boolean mayLose(String site) {
    return !needs(site) || mayGoWithout(site);
  }

  /** Whether what {@code site} alone has counts, so that it must be read. */
  private synchronized boolean needs(String site) {
    Term term = last;
    return cache.acknowledgement() == Acknowledgement.PRIMARY
        && !goesWithout
        && term != null
        && term.primary().equals(site);
  }

  /**
   * Ends the record of terms at a site, for good; found ended when it is. Nothing is read or
   * written any more once it is ended at a majority and all trust is over. Fails with {@link
   * SiteException} when the site does not answer.
   */
  public CompletionStage<?> end(int site, Deadline deadline) {
    return stores
        .get(site)
        .store(deadline)
        .thenCompose(store -> RegisterEnd.at(store, record, accepted -> {}, scheduler, deadline))
        .thenAccept(
            accepted ->
                ended(
                    accepted
                        .map(payload -> TermCodec.decode(payload.value()))
                        .orElse(voterSet.firstTerm())));
  }

  /** What was chosen is at one of a majority's sites; what is later there was decided on it. */
  private synchronized void ended(Term accepted) {
    Term before = last;
    floor = Math.max(floor, accepted.floor());
    if (before == null || accepted.epoch() > before.epoch()) {
      last = accepted;
    }
  }

  /** The live value of a key, of a majority, and of the last primary where that is needed. */
  public CompletionStage<Optional<Payload>> read(Bytes key, Deadline deadline) {
    Reading reading = new Reading();
    for (StoreHandle handle : copies) {
      ask(handle, key, deadline)
          .whenComplete((copy, failure) -> reading.heard(handle.site(), copy, failure));
    }
    return reading.end;
  }

  private static CompletionStage<Copy<Payload>> ask(
      StoreHandle handle, Bytes key, Deadline deadline) {
    try {
      return handle
          .store(deadline)
          .thenCompose(store -> store.read(key, deadline))
          .thenApply(entry -> CopyCodec.shown(entry).copy());
    } catch (RuntimeException refused) {
      return CompletableFuture.failedFuture(refused);
    }
  }

  /** One reading of one key. */
  private final class Reading {
    private final CompletableFuture<Optional<Payload>> end = new CompletableFuture<>();
    private final List<Copy<Payload>> shown = new ArrayList<>(); // this object's lock
    private int asked = copies.size();
    private boolean missesPrimary = copies.stream().anyMatch(one -> needs(one.site()));

    void heard(String site, @Nullable Copy<Payload> copy, @Nullable Throwable failure) {
      Copy<Payload> latest;
      synchronized (this) {
        asked--;
        if (failure == null && copy != null) {
          shown.add(copy);
          if (needs(site)) {
            missesPrimary = false;
            answered();
          }
        } else if (needs(site)) {
          missesPrimary = !mayGoWithout(site);
        }
        if (shown.size() < cache.majority() || missesPrimary) {
          if (asked == 0) {
            end.completeExceptionally(silent(site, failure));
          }
          return;
        }
        latest = FinalCopy.latest(shown, floor());
      }
      end.complete(
          Optional.ofNullable(latest.value())
              .filter(value -> !value.isOver(clock.physicalMicros())));
    }
  }

  private static Throwable silent(String site, @Nullable Throwable failure) {
    return failure != null
        ? CompletionCause.of(failure)
        : new SiteException(site, Reason.TIMED_OUT, "too few sites show their copies");
  }

  private synchronized long floor() {
    return floor;
  }

  private synchronized void answered() {
    silentSinceNanos = null;
  }

  private synchronized boolean mayGoWithout(String site) {
    if (!decides) {
      return false;
    }
    long now = scheduler.nanos();
    Long since = silentSinceNanos;
    if (since == null) {
      silentSinceNanos = now;
      return false;
    }
    if (!goesWithout && now - since >= PATIENCE.toNanos()) {
      goesWithout = true;
      LOG.warn(
          "the last primary is silent: a change goes on without what it alone has; cache={} site={}",
          cache.name(),
          site);
    }
    return goesWithout;
  }
}
