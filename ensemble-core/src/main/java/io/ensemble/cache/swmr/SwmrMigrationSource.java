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
 * The content of an SWMR cache, for a process that moves it to another configuration. The source
 * ends the record of the cache's terms, and reads the copies as a majority has them, without any
 * term. While the terms continue, a value read may be old, or may never have been current. Once the
 * terms have ended at a majority, and all leases on them have expired, the values read are the
 * content of the cache.
 *
 * <p>Where the primary alone acknowledges, the last term's primary must answer too, unless it has
 * been silent for ten seconds. The cache then continues as after a fail-over, without the writes in
 * the window, which the writer reports. Thread-safe.
 */
public final class SwmrMigrationSource {

  /** How long to wait for a silent last primary, where the primary alone acknowledged. */
  static final Duration PATIENCE = Duration.ofSeconds(10);

  private static final Logger LOG = LoggerFactory.getLogger(SwmrMigrationSource.class);

  private final CacheDefinition cache;
  private final List<StoreHandle> stores;
  private final List<StoreHandle> copies;
  private final Bytes record;
  private final boolean decidesOnLoss;
  private final VoterSet voterSet;
  private final Scheduler scheduler;
  private final HybridClock clock;

  // The fields below are guarded by this object's lock.
  private @Nullable Term lastTerm;
  private long floor;
  private @Nullable Long silentSinceNanos;
  private boolean ignoresPrimary;

  /**
   * @param stores the cache's stores, in the order of its sites
   * @param voterSet the present voter set, which contains all sites
   * @param decidesOnLoss whether the move may continue without the data that only the last primary
   *     has, when that has been silent for long
   */
  public SwmrMigrationSource(
      CacheDefinition cache,
      List<StoreHandle> stores,
      VoterSet voterSet,
      Scheduler scheduler,
      HybridClock clock,
      boolean decidesOnLoss) {
    this.decidesOnLoss = decidesOnLoss;
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
    Term term = lastTerm;
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
   * At how many sites the copies must be scanned so that no key is missed. All sites, while only
   * the first site of a voter set has all data.
   */
  public synchronized int sitesToWalk() {
    Term term = lastTerm;
    boolean isFilled = voterSet.number() == 1 || (term != null && voterSet.isFilled(term));
    return isFilled ? copies.size() - cache.majority() + 1 : copies.size();
  }

  /** Whether the move continues without the data of {@code site}, which could not be read. */
  public boolean mayLose(String site) {
    return !isRequired(site) || canIgnorePrimary(site);
  }

  /** Whether data that only {@code site} has is current, so that the site must be read. */
  private synchronized boolean isRequired(String site) {
    Term term = lastTerm;
    return cache.acknowledgement() == Acknowledgement.PRIMARY
        && !ignoresPrimary
        && term != null
        && term.primary().equals(site);
  }

  /**
   * Ends the record of terms at a site, irrevocably; succeeds if it has already ended. Once it has
   * ended at a majority and all leases have expired, nothing is read or written any more. Fails
   * with {@link SiteException} when the site does not answer.
   */
  public CompletionStage<?> end(int site, Deadline deadline) {
    return stores
        .get(site)
        .store(deadline)
        .thenCompose(store -> RegisterEnd.at(store, record, accepted -> {}, scheduler, deadline))
        .thenAccept(
            accepted ->
                recordAcceptedTerm(
                    accepted
                        .map(payload -> TermCodec.decode(payload.value()))
                        .orElse(voterSet.firstTerm())));
  }

  /**
   * The chosen term is at one of a majority's sites; a later term found there was decided after it.
   */
  private synchronized void recordAcceptedTerm(Term accepted) {
    Term previousTerm = lastTerm;
    floor = Math.max(floor, accepted.floor());
    if (previousTerm == null || accepted.epoch() > previousTerm.epoch()) {
      lastTerm = accepted;
    }
  }

  /** The live value of a key at a majority, and at the last primary if that is needed. */
  public CompletionStage<Optional<Payload>> read(Bytes key, Deadline deadline) {
    KeyRead keyRead = new KeyRead();
    for (StoreHandle handle : copies) {
      readCopy(handle, key, deadline)
          .whenComplete((copy, failure) -> keyRead.recordCopy(handle.site(), copy, failure));
    }
    return keyRead.result;
  }

  private static CompletionStage<Copy<Payload>> readCopy(
      StoreHandle handle, Bytes key, Deadline deadline) {
    try {
      return handle
          .store(deadline)
          .thenCompose(store -> store.read(key, deadline))
          .thenApply(entry -> CopyCodec.toVersionedCopy(entry).copy());
    } catch (RuntimeException exception) {
      return CompletableFuture.failedFuture(exception);
    }
  }

  /** A reading of one key. */
  private final class KeyRead {
    private final CompletableFuture<Optional<Payload>> result = new CompletableFuture<>();
    private final List<Copy<Payload>> receivedCopies = new ArrayList<>(); // this object's lock
    private int outstandingReads = copies.size();
    private boolean lacksPrimary = copies.stream().anyMatch(handle -> isRequired(handle.site()));

    void recordCopy(String site, @Nullable Copy<Payload> copy, @Nullable Throwable failure) {
      Copy<Payload> latest;
      synchronized (this) {
        outstandingReads--;
        if (failure == null && copy != null) {
          receivedCopies.add(copy);
          if (isRequired(site)) {
            lacksPrimary = false;
            endSilence();
          }
        } else if (isRequired(site)) {
          lacksPrimary = !canIgnorePrimary(site);
        }
        if (receivedCopies.size() < cache.majority() || lacksPrimary) {
          if (outstandingReads == 0) {
            result.completeExceptionally(toFailure(site, failure));
          }
          return;
        }
        latest = FinalCopy.latest(receivedCopies, floor());
      }
      result.complete(
          Optional.ofNullable(latest.value())
              .filter(value -> !value.isOver(clock.physicalMicros())));
    }
  }

  private static Throwable toFailure(String site, @Nullable Throwable failure) {
    return failure != null
        ? CompletionCause.of(failure)
        : new SiteException(site, Reason.TIMED_OUT, "too few sites returned their copies");
  }

  private synchronized long floor() {
    return floor;
  }

  private synchronized void endSilence() {
    silentSinceNanos = null;
  }

  private synchronized boolean canIgnorePrimary(String site) {
    if (!decidesOnLoss) {
      return false;
    }
    long now = scheduler.nanos();
    Long silenceBeganNanos = silentSinceNanos;
    if (silenceBeganNanos == null) {
      silentSinceNanos = now;
      return false;
    }
    if (!ignoresPrimary && now - silenceBeganNanos >= PATIENCE.toNanos()) {
      ignoresPrimary = true;
      LOG.warn(
          "last primary does not answer: the change continues without writes that the primary "
              + "alone has; cache={} site={}",
          cache.name(),
          site);
    }
    return ignoresPrimary;
  }
}
