package io.ensemble.cache.swmr;

import io.ensemble.cache.CompletionCause;
import io.ensemble.cache.EngineContext;
import io.ensemble.cache.StoreHandle;
import io.ensemble.primary.Term;
import io.ensemble.primary.TermLeaseRules;
import io.ensemble.schedule.Deadline;
import io.ensemble.schedule.Scheduler;
import io.ensemble.site.Bytes;
import io.ensemble.site.SiteException;
import java.util.ArrayList;
import java.util.List;
import java.util.NoSuchElementException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.atomic.AtomicBoolean;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Detects a silent primary, and moves it away from a site that has not answered a probe for a
 * lease. A move needs three sites or more.
 *
 * <p>A process that made a site the primary had a response from that site. A process without any
 * response since may be cut off from a site that serves others. Such a process could move the
 * primary to a site that a third process cannot reach. So it waits longer, and moves the primary
 * only {@value #LEASES_TO_SETTLE} leases after its move. However processes and sites are cut off
 * from each other, a primary then stays about that long. A primary that dies is detected by the
 * processes that had responses from it. A process that did not see the move has no time for it, and
 * does not wait longer. Thread-safe.
 */
final class PrimaryFailover implements AutoCloseable {

  private static final Logger LOG = LoggerFactory.getLogger(PrimaryFailover.class);
  private static final int FEWEST_TO_FAIL_OVER = 3;
  private static final int TRIES = 3;

  /** How many leases a process without any response from a primary leaves it in place. */
  static final int LEASES_TO_SETTLE = 8;

  private static final Bytes PROBE = Bytes.of((byte) 0);

  private final EngineContext cache;
  private final TermRecord termRecord;
  private final TermLeaseRules termLeaseRules;
  private final Scheduler scheduler;
  private final AtomicBoolean isMoving = new AtomicBoolean();

  private final PrimaryFailureDetector primaryFailureDetector;

  /** The last primary that answered here, in its own term. */
  private volatile @Nullable String lastAnsweringPrimary;

  private volatile boolean closed;

  PrimaryFailover(EngineContext cache, TermRecord termRecord, TermLeaseRules termLeaseRules) {
    this.cache = cache;
    this.termRecord = termRecord;
    this.termLeaseRules = termLeaseRules;
    this.scheduler = cache.scheduler();
    this.primaryFailureDetector = new PrimaryFailureDetector(termLeaseRules);
  }

  /**
   * Records whether the primary of {@code term} answered a call about {@code key}. The time of the
   * call may have been too short for a response; the primary is then probed once more, with more
   * time.
   */
  void recordResponse(Term term, boolean isAnswered, Bytes key) {
    if (isAnswered) {
      recordAnswer(term);
      primaryFailureDetector.resetFailures(term.epoch());
    } else {
      probe(term, key);
    }
  }

  private void recordAnswer(Term term) {
    if (termRecord.of(term.epoch()).isPresent()) {
      lastAnsweringPrimary = term.primary();
    }
  }

  /** Sends a probe to the primary of {@code term}. */
  void probe(Term term) {
    probe(term, PROBE);
  }

  private void probe(Term term, Bytes key) {
    long now = scheduler.nanos();
    if (closed || !primaryFailureDetector.startProbe(now)) {
      return;
    }
    Deadline limit = new Deadline(now + termLeaseRules.renewalNanos());
    storeHandle(term.primary())
        .store(limit)
        .thenCompose(store -> store.read(key, limit))
        .whenComplete((entry, failure) -> onProbeResult(term, key, failure));
  }

  private StoreHandle storeHandle(String site) {
    return cache.stores().get(cache.definition().sites().indexOf(site));
  }

  private void onProbeResult(Term term, Bytes key, @Nullable Throwable failure) {
    if (failure == null) {
      recordAnswer(term);
      primaryFailureDetector.recordSuccess(term.epoch());
      return;
    }
    if (isLocalFailure(failure)) {
      primaryFailureDetector.recordNoResult();
    } else if (primaryFailureDetector.recordFailure(term.epoch(), scheduler.nanos())
        && !isFailoverDelayed(term)) {
      startFailover(term, key);
      return;
    }
    scheduleProbe(term, key);
  }

  private boolean isFailoverDelayed(Term term) {
    return !term.primary().equals(lastAnsweringPrimary)
        && termRecord.hasNewPrimary(term, LEASES_TO_SETTLE * termLeaseRules.leaseNanos());
  }

  /**
   * Whether the probe never left this process, for a local reason. Suspicion of the site is no
   * local reason: a site is suspected only after consecutive failures, and until any response,
   * however late. A known loss of the store is no local reason either.
   */
  private static boolean isLocalFailure(Throwable failure) {
    return CompletionCause.of(failure) instanceof SiteException site
        && site.isNotSent()
        && site.reason() != SiteException.Reason.UNREACHABLE
        && site.reason() != SiteException.Reason.STORE_LOST;
  }

  /**
   * The next call may be far away; once the primary is suspected, its silence is measured by
   * probes.
   */
  private void scheduleProbe(Term term, Bytes key) {
    try {
      scheduler.after(
          termLeaseRules.renewalNanos(),
          () -> {
            if (termRecord.of(term.epoch()).isPresent()) {
              probe(term, key);
            }
          });
    } catch (RejectedExecutionException rejection) {
      LOG.debug("the scheduler has ended; cache={}", cache.definition().name());
    }
  }

  private void startFailover(Term term, Bytes key) {
    if (!closed
        && cache.stores().size() >= FEWEST_TO_FAIL_OVER
        && isMoving.compareAndSet(false, true)) {
      failOver(term.epoch(), key).whenComplete((done, failure) -> isMoving.set(false));
    }
  }

  /**
   * Moves the primary to the site that answers first. The writer's heartbeats change the record
   * meanwhile.
   */
  private CompletionStage<?> failOver(long epoch, Bytes probe) {
    return termRecord
        .readLatest()
        .thenCompose(
            latestTerm ->
                latestTerm.term().epoch() != epoch
                    ? CompletableFuture.completedFuture(null)
                    : fastest(latestTerm.term().primary(), probe)
                        .thenCompose(site -> failOver(epoch, site, TRIES)));
  }

  private CompletionStage<?> failOver(long epoch, String site, int tries) {
    return termRecord
        .readLatest()
        .thenCompose(
            latestTerm -> {
              if (latestTerm.term().epoch() != epoch || tries == 0) {
                return CompletableFuture.completedFuture(null);
              }
              Term next = latestTerm.term().succeeded(site, latestTerm.term().writer());
              return termRecord
                  .change(latestTerm.term(), next)
                  .thenCompose(
                      changedTerm -> {
                        if (changedTerm.term().equals(next)) {
                          lastAnsweringPrimary = site; // When it was selected.
                          LOG.info(
                              "primary does not answer, starting a failover; cache={} epoch={} "
                                  + "primary={}",
                              cache.definition().name(),
                              next.epoch(),
                              site);
                        }
                        return failOver(epoch, site, tries - 1);
                      });
            });
  }

  /**
   * The site other than {@code excludedSite} that answers first; fails when none answers within a
   * lease.
   */
  CompletionStage<String> fastest(String excludedSite, Bytes probe) {
    Deadline limit = new Deadline(scheduler.nanos() + termLeaseRules.leaseNanos());
    CompletableFuture<String> fastest = new CompletableFuture<>();
    List<CompletableFuture<?>> all = new ArrayList<>();
    for (StoreHandle handle : cache.stores()) {
      if (!handle.site().equals(excludedSite)) {
        all.add(
            handle
                .store(limit)
                .thenCompose(store -> store.read(probe, limit))
                .thenAccept(entry -> fastest.complete(handle.site()))
                .exceptionally(failure -> null)
                .toCompletableFuture());
      }
    }
    CompletableFuture.allOf(all.toArray(new CompletableFuture<?>[0]))
        .thenRun(
            () -> fastest.completeExceptionally(new NoSuchElementException("no site answers")));
    return fastest;
  }

  @Override
  public void close() {
    closed = true;
  }
}
