package io.ensemble.cache.swmr;

import io.ensemble.CopyWindow;
import io.ensemble.cache.CacheMetrics.WindowGauge;
import io.ensemble.cache.OpenCache;
import io.ensemble.cache.Payload;
import io.ensemble.cache.Windowed;
import io.ensemble.cache.call.Lanes;
import io.ensemble.cache.swmr.KeyCall.Ended;
import io.ensemble.primary.Copy;
import io.ensemble.primary.Leases;
import io.ensemble.primary.Operation;
import io.ensemble.primary.Outcome;
import io.ensemble.primary.Sequences;
import io.ensemble.primary.Term;
import io.ensemble.primary.Trust;
import io.ensemble.register.Update;
import io.ensemble.schedule.Deadline;
import io.ensemble.schedule.Scheduler;
import io.ensemble.site.Bytes;
import io.ensemble.stamp.Stamp;
import java.time.Duration;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.RejectedExecutionException;
import java.util.function.Function;
import java.util.function.Supplier;

/**
 * What a cache does besides whose primary alone acknowledges: each write takes a place in the
 * {@link Window} before it begins and is copied after; one of unknown outcome is fenced in the
 * background, so that no reader relies for long on what only the primary may have; what a fail-over
 * finds in the window is reported. Thread-safe.
 */
final class PrimaryFirst implements AutoCloseable {

  private final Scheduler scheduler;
  private final Tenancy tenancy;
  private final Terms terms;
  private final Leases leases;
  private final Lanes lanes;
  private final KeyCalls calls;
  private final Sequences sequences;
  private final Uncertain uncertain;
  private final Set<Bytes> fencing = ConcurrentHashMap.newKeySet();
  private final Places places;
  private final Window window;
  private final Doubts doubts;
  private final DoubtReports reports;

  private volatile boolean closed;

  PrimaryFirst(
      OpenCache cache,
      Tenancy tenancy,
      Leases leases,
      Lanes lanes,
      Sequences sequences,
      Uncertain uncertain,
      CopyWindow bounds) {
    this.scheduler = cache.scheduler();
    this.tenancy = tenancy;
    terms = tenancy.terms();
    this.leases = leases;
    this.lanes = lanes;
    this.sequences = sequences;
    this.uncertain = uncertain;
    calls = new KeyCalls(terms, false, (term, heard, key) -> {}); // copying asks no primary
    places = new Places(bounds, scheduler);
    reports = new DoubtReports(cache.definition().name(), scheduler, cache.metrics());
    doubts = new Doubts(scheduler, leases, this::find, terms::look, places::doubt, reports::report);
    window = new Window(scheduler, places, this::copy, this::lasts, doubts::add);
    terms.watch(this::seen);
    cache.metrics().gauge(WindowGauge.WRITES, places::size);
    cache.metrics().gauge(WindowGauge.AGE, () -> places.oldestNanos() / 1e9);
  }

  private void seen(Trust trust) {
    window.seen(trust);
    doubts.seen(trust);
    Term term = trust.term();
    if (!term.isWhole() && doubts.isAny() && terms.hasStoodStill(term)) {
      tenancy.beResponsible(term); // Whoever saw to it may have died.
    }
  }

  private boolean lasts(long epoch) {
    return terms.of(epoch).filter(terms::holds).isPresent();
  }

  /**
   * Makes a write in a place of the window.
   *
   * @param full what is answered when there was none by the deadline: nothing was done
   */
  <T> CompletionStage<T> within(
      Deadline deadline, Function<Place, CompletionStage<T>> write, Supplier<T> full) {
    return window
        .enter(deadline)
        .thenCompose(
            found -> {
              if (found.isEmpty()) {
                return CompletableFuture.completedFuture(full.get());
              }
              Place place = found.get();
              return write
                  .apply(place)
                  .whenComplete(
                      (outcome, failure) -> {
                        if (!place.isUsed()) {
                          window.leave(place);
                        }
                      });
            });
  }

  /**
   * The primary has a write.
   *
   * @param acknowledged whether its caller is told so
   */
  void written(
      Place place, Bytes key, Term term, Copy<Payload> copy, Stamp replaced, boolean acknowledged) {
    place.use();
    Place.Write write =
        new Place.Write(key, term.epoch(), copy.mark(), copy.origin(), replaced, acknowledged);
    window.advanceTo(term.epoch());
    if (acknowledged) {
      doubts.written(key, term.epoch(), replaced);
    } else {
      doubts.perhaps(write); // The epoch may have been over: another may know it otherwise.
    }
    window.written(place, write, term, copy);
  }

  private CompletionStage<Boolean> copy(Bytes key, Term term, Copy<Payload> copy) {
    Deadline limit = in(2 * KeyCall.REQUEST_NANOS);
    return calls
        .call(key, term, Operation.copy(calls.setting(term), copy), limit)
        .thenApply(
            ended -> {
              if (ended.outcome() instanceof Outcome.Superseded) {
                terms.look().exceptionally(failure -> null);
              }
              return ended.outcome() instanceof Outcome.Done;
            });
  }

  private CompletionStage<Optional<Stamp>> find(Bytes key, Trust trust) {
    Term term = trust.term();
    Deadline limit = in(leases.leaseNanos() / 2);
    return lanes.take(
        key,
        limit,
        () ->
            calls
                .call(key, term, Operation.read(calls.setting(term)), limit)
                .thenApply(
                    ended ->
                        ended.outcome() instanceof Outcome.Done<Payload, Payload> done
                                && lasts(term.epoch())
                            ? Optional.of(done.copy().origin())
                            : Optional.empty()),
        why -> Optional.empty());
  }

  /** A write of {@code key} in {@code term} is of unknown outcome. */
  void lostSight(Bytes key, Term term, Ended<?> write) {
    window.advanceTo(term.epoch());
    write
        .proposed()
        .map(
            copy ->
                new Place.Write(
                    key, term.epoch(), copy.mark(), copy.origin(), write.replaced(), false))
        .ifPresent(doubts::perhaps);
    if (fencing.add(key)) {
      fenceSoon(key, term);
    }
  }

  private void fenceSoon(Bytes key, Term term) {
    try {
      scheduler.after(leases.renewalNanos(), () -> fence(key, term));
    } catch (RejectedExecutionException ended) {
      fencing.remove(key);
    }
  }

  private void fence(Bytes key, Term term) {
    if (!isUncertain(key, term)) {
      fencing.remove(key);
      return;
    }
    Deadline limit = in(2 * KeyCall.REQUEST_NANOS);
    lanes
        .take(
            key,
            limit,
            () ->
                isUncertain(key, term)
                    ? calls
                        .call(
                            key,
                            term,
                            Operation.fencedWrite(calls.setting(term), Update.read(), sequences),
                            limit)
                        .thenAccept(
                            ended -> {
                              if (ended.outcome() instanceof Outcome.Done) {
                                uncertain.remove(key);
                              }
                            })
                    : CompletableFuture.<Void>completedFuture(null),
            why -> null)
        .whenComplete((done, failure) -> fenceSoon(key, term));
  }

  private boolean isUncertain(Bytes key, Term term) {
    return !closed && uncertain.contains(key, term) && terms.of(term.epoch()).isPresent();
  }

  private Deadline in(long nanos) {
    return new Deadline(scheduler.nanos() + nanos);
  }

  Windowed.State state() {
    return new Windowed.State(
        places.size(), Duration.ofNanos(places.oldestNanos()), places.doubtful());
  }

  DoubtReports reports() {
    return reports;
  }

  CompletionStage<Boolean> drain(Deadline deadline) {
    return window.drain(deadline);
  }

  @Override
  public void close() {
    closed = true;
    window.close();
    doubts.close();
    reports.close();
  }
}
