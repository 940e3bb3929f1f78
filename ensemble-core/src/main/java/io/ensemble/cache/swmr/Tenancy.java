package io.ensemble.cache.swmr;

import io.ensemble.cache.OpenCache;
import io.ensemble.cache.StoreHandle;
import io.ensemble.primary.Leases;
import io.ensemble.primary.Term;
import io.ensemble.primary.Trust;
import io.ensemble.schedule.Deadline;
import io.ensemble.schedule.Scheduler;
import io.ensemble.site.Bytes;
import io.ensemble.stamp.WriterId;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * What one process does about terms: trusts them, begins them, keeps its own alive, and moves the
 * primary away from a site that does not answer. Attempts give nothing when the time has not come;
 * whoever asks tries again a little later. Thread-safe.
 */
final class Tenancy implements AutoCloseable {

  private static final Logger LOG = LoggerFactory.getLogger(Tenancy.class);
  private static final int FEWEST_TO_FAIL_OVER = 3;

  private final OpenCache cache;
  private final Terms terms;
  private final Leases leases;
  private final Scheduler scheduler;
  private final Function<Term, CompletionStage<Boolean>> recoverAll;
  private final AtomicReference<@Nullable CompletionStage<?>> moving = new AtomicReference<>();

  // All below belongs to this object's lock.
  private long deafSinceNanos;
  private boolean deaf;
  private long responsibleFor;
  private long recovering;
  private long recoveredEpoch;
  private Scheduler.@Nullable Timer timer;
  private boolean closed;

  /**
   * @param recoverAll recovers every key into a term; answers whether all of them are
   */
  Tenancy(
      OpenCache cache,
      Terms terms,
      Leases leases,
      Function<Term, CompletionStage<Boolean>> recoverAll) {
    this.cache = cache;
    this.terms = terms;
    this.leases = leases;
    this.scheduler = cache.scheduler();
    this.recoverAll = recoverAll;
  }

  /** A term that may be trusted now, if there is one. */
  CompletionStage<Optional<Trust>> trusted() {
    Optional<Trust> last = terms.last().filter(terms::holds);
    if (last.isPresent()) {
      if (scheduler.nanos() - last.get().sinceNanos() > leases.renewalNanos()) {
        terms.look().exceptionally(failure -> last.get());
      }
      return CompletableFuture.completedFuture(last);
    }
    return terms
        .look()
        .thenCompose(
            seen ->
                seen.term().active()
                    ? CompletableFuture.completedFuture(Optional.of(seen).filter(terms::holds))
                    : activate(seen.term()));
  }

  private CompletionStage<Optional<Trust>> activate(Term pending) {
    if (!terms.hasStoodStill(pending)) {
      return CompletableFuture.completedFuture(Optional.empty());
    }
    return terms
        .change(pending, pending.activated())
        .thenApply(
            now -> {
              if (now.term().equals(pending.activated())) {
                tell("a term begins", now.term());
                beResponsible(now.term());
              }
              return Optional.of(now).filter(terms::holds);
            });
  }

  /**
   * A term of which this process is the writer, if it is one now or can be. Fails with {@link
   * WriterPresentException} when another one has given a sign of life since {@code firstSeen}.
   */
  CompletionStage<Optional<Trust>> tenure(AtomicReference<@Nullable Term> firstSeen) {
    return trusted()
        .thenCompose(
            trust ->
                trust.isEmpty() || terms.isOwn(trust.get().term())
                    ? CompletableFuture.completedFuture(trust)
                    : terms.look().thenCompose(seen -> become(seen.term(), firstSeen)));
  }

  private CompletionStage<Optional<Trust>> become(
      Term seen, AtomicReference<@Nullable Term> firstSeen) {
    Term next;
    if (!seen.active()) {
      return CompletableFuture.completedFuture(Optional.empty());
    } else if (seen.writer().equals(WriterId.NONE)) {
      next = seen.handedOver(cache.writer());
    } else if (terms.hasStoodStill(seen)) {
      next = seen.succeeded(seen.primary(), cache.writer());
    } else {
      Term first = firstSeen.compareAndExchange(null, seen);
      return first == null || first.equals(seen)
          ? CompletableFuture.completedFuture(Optional.empty())
          : CompletableFuture.failedFuture(present(seen));
    }
    return terms
        .change(seen, next)
        .thenApply(
            now -> {
              if (now.term().equals(next)) {
                tell("a writer takes its term", next);
                beResponsible(next);
              }
              return Optional.of(now).filter(terms::holds).filter(own -> terms.isOwn(own.term()));
            });
  }

  private WriterPresentException present(Term term) {
    return new WriterPresentException(
        cache.definition().name(),
        term.writer(),
        term.epoch(),
        Duration.ofNanos(leases.leaseNanos()));
  }

  private void tell(String what, Term term) {
    LOG.info(
        "{}; cache={} epoch={} primary={} writer={}",
        what,
        cache.definition().name(),
        term.epoch(),
        term.primary(),
        term.writer());
  }

  /** The primary of {@code term} answered, or did not; moves it when it was silent for a lease. */
  void primaryHeard(Term term, boolean heard, Bytes probe) {
    synchronized (this) {
      long now = scheduler.nanos();
      if (heard || !deaf) {
        deaf = !heard;
        deafSinceNanos = now;
        return;
      }
      if (now - deafSinceNanos < leases.leaseNanos() || closed) {
        return;
      }
    }
    if (cache.stores().size() >= FEWEST_TO_FAIL_OVER) {
      CompletableFuture<Object> own = new CompletableFuture<>();
      if (moving.compareAndSet(null, own)) {
        move(term, probe).whenComplete((done, failure) -> moving.set(null));
      }
    }
  }

  /** To the site that answers first. */
  private CompletionStage<?> move(Term term, Bytes probe) {
    Deadline soon = new Deadline(scheduler.nanos() + leases.leaseNanos());
    CompletableFuture<String> fastest = new CompletableFuture<>();
    List<CompletableFuture<?>> all = new ArrayList<>();
    for (StoreHandle handle : cache.stores()) {
      if (!handle.site().equals(term.primary())) {
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
        .thenRun(() -> fastest.cancel(false));
    return fastest.thenCompose(
        site -> {
          Term next = term.succeeded(site, term.writer());
          return terms
              .change(term, next)
              .thenAccept(
                  now -> {
                    if (now.term().equals(next)) {
                      tell("the primary is moved", next);
                    }
                    heardAgain();
                  });
        });
  }

  private synchronized void heardAgain() {
    deaf = false;
  }

  private synchronized void beResponsible(Term term) {
    responsibleFor = term.epoch();
    if (timer == null) {
      arm();
    }
  }

  private synchronized void arm() {
    if (closed) {
      return;
    }
    try {
      timer = scheduler.after(leases.renewalNanos(), this::tick);
    } catch (RejectedExecutionException ended) {
      LOG.debug("the scheduler has ended; cache={}", cache.definition().name());
    }
  }

  private void tick() {
    renew().whenComplete((done, failure) -> arm());
  }

  /** Shows that the writer lives; recovers all keys if that is for this process to do. */
  private CompletionStage<?> renew() {
    Optional<Trust> last = terms.last();
    if (last.isEmpty()) {
      return CompletableFuture.completedFuture(null);
    }
    Term term = last.get().term();
    boolean own = terms.isOwn(term);
    boolean recovered;
    synchronized (this) {
      recovered = recoveredEpoch == term.epoch();
      if (!own && responsibleFor != term.epoch()) {
        return CompletableFuture.completedFuture(null);
      }
    }
    if (!term.active()) {
      return trusted();
    }
    if (!term.isWhole() && recovered) {
      return terms.change(term, term.recovered());
    }
    if (!term.isWhole() && terms.mayRecoverAll(term)) {
      recover(term);
    }
    return own ? terms.change(term, term.beaten()) : terms.look();
  }

  private void recover(Term term) {
    synchronized (this) {
      if (recovering == term.epoch() || closed) {
        return;
      }
      recovering = term.epoch();
    }
    recoverAll
        .apply(term)
        .whenComplete(
            (all, failure) -> {
              synchronized (this) {
                recovering = 0;
                if (failure == null && all) {
                  recoveredEpoch = term.epoch();
                }
              }
            });
  }

  /** Gives the writer's place up, if it has it, so that another need not wait. */
  @Override
  public void close() {
    synchronized (this) {
      closed = true;
      if (timer != null) {
        timer.cancel();
      }
    }
    terms
        .last()
        .map(Trust::term)
        .filter(term -> term.active() && terms.isOwn(term))
        .ifPresent(term -> terms.change(term, term.released()).exceptionally(failure -> null));
  }
}
