package io.ensemble.cache.swmr;

import io.ensemble.cache.OpenCache;
import io.ensemble.cache.StoreHandle;
import io.ensemble.primary.Leases;
import io.ensemble.primary.Term;
import io.ensemble.schedule.Deadline;
import io.ensemble.schedule.Scheduler;
import io.ensemble.site.Bytes;
import java.util.ArrayList;
import java.util.List;
import java.util.NoSuchElementException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.atomic.AtomicBoolean;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Notices that the primary is silent, and moves it away from a site that has not answered for a
 * lease, if there are three sites or more. Thread-safe.
 */
final class PrimaryWatch implements AutoCloseable {

  private static final Logger LOG = LoggerFactory.getLogger(PrimaryWatch.class);
  private static final int FEWEST_TO_FAIL_OVER = 3;
  private static final int TRIES = 3;
  private static final Bytes PROBE = Bytes.of((byte) 0);

  private final OpenCache cache;
  private final Terms terms;
  private final Leases leases;
  private final Scheduler scheduler;
  private final AtomicBoolean moving = new AtomicBoolean();

  // All below belongs to this object's lock.
  private long deafSinceNanos;
  private long deafIn;
  private boolean closed;

  PrimaryWatch(OpenCache cache, Terms terms, Leases leases) {
    this.cache = cache;
    this.terms = terms;
    this.leases = leases;
    this.scheduler = cache.scheduler();
  }

  /** The primary of {@code term} answered, or did not; moves it when it was silent for a lease. */
  void heard(Term term, boolean answered, Bytes probe) {
    synchronized (this) {
      long now = scheduler.nanos();
      if (answered || deafIn != term.epoch()) {
        deafIn = answered ? 0 : term.epoch();
        deafSinceNanos = now;
        return;
      }
      if (now - deafSinceNanos < leases.leaseNanos() || closed) {
        return;
      }
    }
    if (cache.stores().size() >= FEWEST_TO_FAIL_OVER && moving.compareAndSet(false, true)) {
      move(term.epoch(), probe).whenComplete((done, failure) -> moving.set(false));
    }
  }

  /** Asks the primary of {@code term} something, only to hear whether it answers. */
  void probe(Term term) {
    Deadline soon = new Deadline(scheduler.nanos() + leases.renewalNanos());
    for (StoreHandle handle : cache.stores()) {
      if (handle.site().equals(term.primary())) {
        handle
            .store(soon)
            .thenCompose(store -> store.read(PROBE, soon))
            .whenComplete((entry, failure) -> heard(term, failure == null, PROBE));
      }
    }
  }

  /** To the site that answers first. The writer's beats change the record all the while. */
  private CompletionStage<?> move(long epoch, Bytes probe) {
    return terms
        .look()
        .thenCompose(
            seen ->
                seen.term().epoch() != epoch
                    ? CompletableFuture.completedFuture(null)
                    : fastest(seen.term().primary(), probe)
                        .thenCompose(site -> move(epoch, site, TRIES)));
  }

  private CompletionStage<?> move(long epoch, String site, int tries) {
    return terms
        .look()
        .thenCompose(
            seen -> {
              if (seen.term().epoch() != epoch || tries == 0) {
                return CompletableFuture.completedFuture(null);
              }
              Term next = seen.term().succeeded(site, seen.term().writer());
              return terms
                  .change(seen.term(), next)
                  .thenCompose(
                      now -> {
                        if (now.term().equals(next)) {
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
    Deadline soon = new Deadline(scheduler.nanos() + leases.leaseNanos());
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
  public synchronized void close() {
    closed = true;
  }
}
