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
 * Notices that the primary is silent, and moves it away from a site that has not answered a probe
 * for a lease, if there are three sites or more.
 *
 * <p>Who made a site the primary had an answer from it. Who has had none since is perhaps cut off
 * from a site that serves others, and would move the primary to one that another is cut off from:
 * so it is patient, and moves it only {@value #LEASES_TO_SETTLE} leases after it came there.
 * However processes and sites are cut off from each other, a primary then stays about that long;
 * and one that dies is missed by those who had answers from it. A process that did not see it come
 * does not know since when it is there and is not patient. Thread-safe.
 */
final class PrimaryFailover implements AutoCloseable {

  private static final Logger LOG = LoggerFactory.getLogger(PrimaryFailover.class);
  private static final int FEWEST_TO_FAIL_OVER = 3;
  private static final int TRIES = 3;

  /** How long one who never had an answer from a primary leaves it where it is. */
  static final int LEASES_TO_SETTLE = 8;

  private static final Bytes PROBE = Bytes.of((byte) 0);

  private final EngineContext cache;
  private final TermRecord termRecord;
  private final TermLeaseRules termLeaseRules;
  private final Scheduler scheduler;
  private final AtomicBoolean moving = new AtomicBoolean();

  private final PrimaryFailureDetector primaryFailureDetector;

  /** The last primary that answered here, in its own term. */
  private volatile @Nullable String heard;

  private volatile boolean closed;

  PrimaryFailover(EngineContext cache, TermRecord termRecord, TermLeaseRules termLeaseRules) {
    this.cache = cache;
    this.termRecord = termRecord;
    this.termLeaseRules = termLeaseRules;
    this.scheduler = cache.scheduler();
    this.primaryFailureDetector = new PrimaryFailureDetector(termLeaseRules);
  }

  /**
   * The primary of {@code term} answered a call about {@code key}, or did not in the time that the
   * call had, which may have been too short: then the primary is asked once more, with more time.
   */
  void heard(Term term, boolean answered, Bytes key) {
    if (answered) {
      hears(term);
      primaryFailureDetector.broken(term.epoch());
    } else {
      probe(term, key);
    }
  }

  private void hears(Term term) {
    if (termRecord.of(term.epoch()).isPresent()) {
      heard = term.primary();
    }
  }

  /** Asks the primary of {@code term} something, only to hear whether it answers. */
  void probe(Term term) {
    probe(term, PROBE);
  }

  private void probe(Term term, Bytes key) {
    long now = scheduler.nanos();
    if (closed || !primaryFailureDetector.startsProbe(now)) {
      return;
    }
    Deadline soon = new Deadline(now + termLeaseRules.renewalNanos());
    handle(term.primary())
        .store(soon)
        .thenCompose(store -> store.read(key, soon))
        .whenComplete((entry, failure) -> probed(term, key, failure));
  }

  private StoreHandle handle(String site) {
    return cache.stores().get(cache.definition().sites().indexOf(site));
  }

  private void probed(Term term, Bytes key, @Nullable Throwable failure) {
    if (failure == null) {
      hears(term);
      primaryFailureDetector.answered(term.epoch());
      return;
    }
    if (isOurs(failure)) {
      primaryFailureDetector.learntNothing();
    } else if (primaryFailureDetector.failed(term.epoch(), scheduler.nanos())
        && !mustBePatient(term)) {
      moveAway(term, key);
      return;
    }
    probeSoon(term, key);
  }

  private boolean mustBePatient(Term term) {
    return !term.primary().equals(heard)
        && termRecord.hasNewPrimary(term, LEASES_TO_SETTLE * termLeaseRules.leaseNanos());
  }

  /**
   * Whether it never left this process, and not because the site is suspected: that it is only
   * after failures in a row, and no longer when anything is answered, however late. Nor because the
   * site is known to have lost the store.
   */
  private static boolean isOurs(Throwable failure) {
    return CompletionCause.of(failure) instanceof SiteException site
        && site.isNotSent()
        && site.reason() != SiteException.Reason.UNREACHABLE
        && site.reason() != SiteException.Reason.STORE_LOST;
  }

  /** Nobody may call again for long; a silence is measured once it is suspected. */
  private void probeSoon(Term term, Bytes key) {
    try {
      scheduler.after(
          termLeaseRules.renewalNanos(),
          () -> {
            if (termRecord.of(term.epoch()).isPresent()) {
              probe(term, key);
            }
          });
    } catch (RejectedExecutionException ended) {
      LOG.debug("the scheduler has ended; cache={}", cache.definition().name());
    }
  }

  private void moveAway(Term term, Bytes key) {
    if (!closed
        && cache.stores().size() >= FEWEST_TO_FAIL_OVER
        && moving.compareAndSet(false, true)) {
      move(term.epoch(), key).whenComplete((done, failure) -> moving.set(false));
    }
  }

  /** To the site that answers first. The writer's beats change the record all the while. */
  private CompletionStage<?> move(long epoch, Bytes probe) {
    return termRecord
        .look()
        .thenCompose(
            seen ->
                seen.term().epoch() != epoch
                    ? CompletableFuture.completedFuture(null)
                    : fastest(seen.term().primary(), probe)
                        .thenCompose(site -> move(epoch, site, TRIES)));
  }

  private CompletionStage<?> move(long epoch, String site, int tries) {
    return termRecord
        .look()
        .thenCompose(
            seen -> {
              if (seen.term().epoch() != epoch || tries == 0) {
                return CompletableFuture.completedFuture(null);
              }
              Term next = seen.term().succeeded(site, seen.term().writer());
              return termRecord
                  .change(seen.term(), next)
                  .thenCompose(
                      now -> {
                        if (now.term().equals(next)) {
                          heard = site; // When it was chosen.
                          LOG.info(
                              "the primary is silent and is moved; cache={} epoch={} primary={}",
                              cache.definition().name(),
                              next.epoch(),
                              site);
                        }
                        return move(epoch, site, tries - 1);
                      });
            });
  }

  /** The site other than {@code without} that answers first; fails when none does in a lease. */
  CompletionStage<String> fastest(String without, Bytes probe) {
    Deadline soon = new Deadline(scheduler.nanos() + termLeaseRules.leaseNanos());
    CompletableFuture<String> fastest = new CompletableFuture<>();
    List<CompletableFuture<?>> all = new ArrayList<>();
    for (StoreHandle handle : cache.stores()) {
      if (!handle.site().equals(without)) {
        all.add(
            handle
                .store(soon)
                .thenCompose(store -> store.read(probe, soon))
                .thenAccept(entry -> fastest.complete(handle.site()))
                .exceptionally(failure -> null)
                .toCompletableFuture());
      }
    }
    CompletableFuture.allOf(all.toArray(new CompletableFuture<?>[0]))
        .thenRun(() -> fastest.completeExceptionally(new NoSuchElementException("none answers")));
    return fastest;
  }

  @Override
  public void close() {
    closed = true;
  }
}
