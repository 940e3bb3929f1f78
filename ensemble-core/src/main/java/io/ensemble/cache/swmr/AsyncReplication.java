package io.ensemble.cache.swmr;

import io.ensemble.CopyWindow;
import io.ensemble.cache.CacheMetrics.WindowGauge;
import io.ensemble.cache.EngineContext;
import io.ensemble.cache.Payload;
import io.ensemble.cache.WindowedEngine;
import io.ensemble.cache.quorum.PerKeyQueue;
import io.ensemble.cache.swmr.copy.KeyCall;
import io.ensemble.cache.swmr.copy.KeyCall.Ended;
import io.ensemble.cache.swmr.window.InDoubtReporter;
import io.ensemble.cache.swmr.window.InDoubtTracker;
import io.ensemble.cache.swmr.window.ReplicationWindow;
import io.ensemble.cache.swmr.window.WindowCapacity;
import io.ensemble.cache.swmr.window.WindowSlot;
import io.ensemble.primary.Copy;
import io.ensemble.primary.LeasedTerm;
import io.ensemble.primary.PrimaryOperation;
import io.ensemble.primary.PrimaryOutcome;
import io.ensemble.primary.SequenceGenerator;
import io.ensemble.primary.Term;
import io.ensemble.primary.TermLeaseRules;
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
 * The additional work of a cache whose primary alone acknowledges. Each write takes a slot in the
 * {@link ReplicationWindow} before it begins, and is copied afterwards. A write of unknown outcome
 * is fenced in the background, so that readers do not rely for long on a value that only the
 * primary may hold. Writes that a fail-over finds in the window are reported. Thread-safe.
 */
final class AsyncReplication implements AutoCloseable {

  private final Scheduler scheduler;
  private final WriterLease writerLease;
  private final TermRecord termRecord;
  private final TermLeaseRules termLeaseRules;
  private final PerKeyQueue perKeyQueue;
  private final KeyOperations calls;
  private final SequenceGenerator sequenceGenerator;
  private final KeysToFence keysToFence;
  private final Set<Bytes> fencing = ConcurrentHashMap.newKeySet();
  private final WindowCapacity windowCapacity;
  private final ReplicationWindow window;
  private final InDoubtTracker inDoubtTracker;
  private final InDoubtReporter reports;

  private volatile boolean closed;

  AsyncReplication(
      EngineContext cache,
      WriterLease writerLease,
      TermLeaseRules termLeaseRules,
      PerKeyQueue perKeyQueue,
      SequenceGenerator sequenceGenerator,
      KeysToFence keysToFence,
      CopyWindow bounds) {
    this.scheduler = cache.scheduler();
    this.writerLease = writerLease;
    termRecord = writerLease.terms();
    this.termLeaseRules = termLeaseRules;
    this.perKeyQueue = perKeyQueue;
    this.sequenceGenerator = sequenceGenerator;
    this.keysToFence = keysToFence;
    calls =
        new KeyOperations(termRecord, false, (term, heard, key) -> {}); // copying asks no primary
    windowCapacity = new WindowCapacity(bounds, scheduler);
    reports = new InDoubtReporter(cache.definition().name(), scheduler, cache.metrics());
    inDoubtTracker =
        new InDoubtTracker(
            scheduler,
            termLeaseRules,
            this::find,
            termRecord::look,
            windowCapacity::doubt,
            reports::report);
    window =
        new ReplicationWindow(
            scheduler, windowCapacity, this::copy, this::lasts, inDoubtTracker::add);
    termRecord.watch(this::seen);
    cache.metrics().gauge(WindowGauge.WRITES, windowCapacity::size);
    cache.metrics().gauge(WindowGauge.AGE, () -> windowCapacity.oldestNanos() / 1e9);
  }

  private void seen(LeasedTerm leasedTerm) {
    window.seen(leasedTerm);
    inDoubtTracker.seen(leasedTerm);
    Term term = leasedTerm.term();
    if (!term.isWhole() && inDoubtTracker.isAny() && termRecord.hasStoodStill(term)) {
      writerLease.beResponsible(term); // The process responsible for the recovery may have died.
    }
  }

  private boolean lasts(long epoch) {
    return termRecord.of(epoch).filter(termRecord::holds).isPresent();
  }

  /**
   * Makes a write in a slot of the window.
   *
   * @param full the answer when no slot was free by the deadline: nothing was done
   */
  <T> CompletionStage<T> within(
      Deadline deadline, Function<WindowSlot, CompletionStage<T>> write, Supplier<T> full) {
    return window
        .enter(deadline)
        .thenCompose(
            found -> {
              if (found.isEmpty()) {
                return CompletableFuture.completedFuture(full.get());
              }
              WindowSlot place = found.get();
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
   * Records that the primary has a write.
   *
   * @param acknowledged whether the write is acknowledged to its caller
   */
  void written(
      WindowSlot place,
      Bytes key,
      Term term,
      Copy<Payload> copy,
      Stamp replaced,
      boolean acknowledged) {
    place.use();
    WindowSlot.Write write =
        new WindowSlot.Write(key, term.epoch(), copy.mark(), copy.origin(), replaced, acknowledged);
    window.advanceTo(term.epoch());
    if (acknowledged) {
      inDoubtTracker.written(key, term.epoch(), replaced);
    } else {
      inDoubtTracker.perhaps(write); // The epoch may have ended before the write.
    }
    window.written(place, write, term, copy);
  }

  private CompletionStage<Boolean> copy(Bytes key, Term term, Copy<Payload> copy) {
    Deadline limit = in(2 * KeyCall.REQUEST_NANOS);
    return calls
        .call(key, term, PrimaryOperation.copy(calls.setting(term), copy), limit)
        .thenApply(
            ended -> {
              if (ended.outcome() instanceof PrimaryOutcome.Superseded) {
                termRecord.look().exceptionally(failure -> null);
              }
              return ended.outcome() instanceof PrimaryOutcome.Done;
            });
  }

  private CompletionStage<Optional<Stamp>> find(Bytes key, LeasedTerm leasedTerm) {
    Term term = leasedTerm.term();
    Deadline limit = in(termLeaseRules.leaseNanos() / 2);
    return perKeyQueue.take(
        key,
        limit,
        () ->
            calls
                .call(key, term, PrimaryOperation.read(calls.setting(term)), limit)
                .thenApply(
                    ended ->
                        ended.outcome() instanceof PrimaryOutcome.Done<Payload, Payload> done
                                && lasts(term.epoch())
                            ? Optional.of(done.copy().origin())
                            : Optional.empty()),
        why -> Optional.empty());
  }

  /** Records a write of {@code key} in {@code term} with an unknown outcome. */
  void lostSight(Bytes key, Term term, Ended<?> write) {
    window.advanceTo(term.epoch());
    write
        .proposed()
        .map(
            copy ->
                new WindowSlot.Write(
                    key, term.epoch(), copy.mark(), copy.origin(), write.replaced(), false))
        .ifPresent(inDoubtTracker::perhaps);
    if (fencing.add(key)) {
      fenceSoon(key, term);
    }
  }

  private void fenceSoon(Bytes key, Term term) {
    try {
      scheduler.after(termLeaseRules.renewalNanos(), () -> fence(key, term));
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
    perKeyQueue
        .take(
            key,
            limit,
            () ->
                isUncertain(key, term)
                    ? calls
                        .call(
                            key,
                            term,
                            PrimaryOperation.fencedWrite(
                                calls.setting(term), Update.read(), sequenceGenerator),
                            limit)
                        .thenAccept(
                            ended -> {
                              if (ended.outcome() instanceof PrimaryOutcome.Done) {
                                keysToFence.remove(key);
                              }
                            })
                    : CompletableFuture.<Void>completedFuture(null),
            why -> null)
        .whenComplete((done, failure) -> fenceSoon(key, term));
  }

  private boolean isUncertain(Bytes key, Term term) {
    return !closed && keysToFence.contains(key, term) && termRecord.of(term.epoch()).isPresent();
  }

  private Deadline in(long nanos) {
    return new Deadline(scheduler.nanos() + nanos);
  }

  WindowedEngine.State state() {
    return new WindowedEngine.State(
        windowCapacity.size(),
        Duration.ofNanos(windowCapacity.oldestNanos()),
        windowCapacity.doubtful());
  }

  InDoubtReporter reports() {
    return reports;
  }

  CompletionStage<Boolean> drain(Deadline deadline) {
    return window.drain(deadline);
  }

  @Override
  public void close() {
    closed = true;
    window.close();
    inDoubtTracker.close();
    reports.close();
  }
}
