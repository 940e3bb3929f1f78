package io.ensemble.cache.swmr;

import io.ensemble.CopyWindow;
import io.ensemble.cache.CacheMetrics.WindowGauge;
import io.ensemble.cache.EngineContext;
import io.ensemble.cache.Payload;
import io.ensemble.cache.WindowedEngine;
import io.ensemble.cache.quorum.PerKeyQueue;
import io.ensemble.cache.swmr.copy.KeyCall;
import io.ensemble.cache.swmr.copy.KeyCall.KeyCallResult;
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
  private final KeyOperations keyOperations;
  private final SequenceGenerator sequenceGenerator;
  private final KeysToFence keysToFence;
  private final Set<Bytes> fencing = ConcurrentHashMap.newKeySet();
  private final WindowCapacity windowCapacity;
  private final ReplicationWindow window;
  private final InDoubtTracker inDoubtTracker;
  private final InDoubtReporter inDoubtReporter;

  private volatile boolean closed;

  AsyncReplication(
      EngineContext cache,
      WriterLease writerLease,
      TermLeaseRules termLeaseRules,
      PerKeyQueue perKeyQueue,
      SequenceGenerator sequenceGenerator,
      KeysToFence keysToFence,
      CopyWindow copyWindow) {
    this.scheduler = cache.scheduler();
    this.writerLease = writerLease;
    termRecord = writerLease.termRecord();
    this.termLeaseRules = termLeaseRules;
    this.perKeyQueue = perKeyQueue;
    this.sequenceGenerator = sequenceGenerator;
    this.keysToFence = keysToFence;
    keyOperations =
        new KeyOperations(termRecord, false, (term, heard, key) -> {}); // copying asks no primary
    windowCapacity = new WindowCapacity(copyWindow, scheduler);
    inDoubtReporter = new InDoubtReporter(cache.definition().name(), scheduler, cache.metrics());
    inDoubtTracker =
        new InDoubtTracker(
            scheduler,
            termLeaseRules,
            this::findStamp,
            termRecord::readLatest,
            windowCapacity::doubt,
            inDoubtReporter::report);
    window =
        new ReplicationWindow(
            scheduler, windowCapacity, this::copyKey, this::isLeased, inDoubtTracker::add);
    termRecord.watch(this::onLeasedTerm);
    cache.metrics().beginDoubtful();
    cache.metrics().gauge(WindowGauge.WRITES, windowCapacity::size);
    cache.metrics().gauge(WindowGauge.AGE, () -> windowCapacity.oldestNanos() / 1e9);
  }

  private void onLeasedTerm(LeasedTerm leasedTerm) {
    window.seen(leasedTerm);
    inDoubtTracker.seen(leasedTerm);
    Term term = leasedTerm.term();
    if (!term.isWhole() && inDoubtTracker.hasWrites() && termRecord.isLeaseExpired(term)) {
      writerLease.takeResponsibility(
          term); // The process responsible for the recovery may have died.
    }
  }

  private boolean isLeased(long epoch) {
    return termRecord.of(epoch).filter(termRecord::isLeaseValid).isPresent();
  }

  /**
   * Makes a write in a slot of the window.
   *
   * @param fullResult the answer when no slot was free by the deadline: nothing was done
   */
  <T> CompletionStage<T> runInWindow(
      Deadline deadline, Function<WindowSlot, CompletionStage<T>> write, Supplier<T> fullResult) {
    return window
        .enter(deadline)
        .thenCompose(
            freeSlot -> {
              if (freeSlot.isEmpty()) {
                return CompletableFuture.completedFuture(fullResult.get());
              }
              WindowSlot slot = freeSlot.get();
              return write
                  .apply(slot)
                  .whenComplete(
                      (outcome, failure) -> {
                        if (!slot.isUsed()) {
                          window.leave(slot);
                        }
                      });
            });
  }

  /**
   * Records that the primary has a write.
   *
   * @param acknowledged whether the write is acknowledged to its caller
   */
  void recordWrite(
      WindowSlot slot,
      Bytes key,
      Term term,
      Copy<Payload> copy,
      Stamp replaced,
      boolean acknowledged) {
    slot.use();
    WindowSlot.Write write =
        new WindowSlot.Write(key, term.epoch(), copy.mark(), copy.origin(), replaced, acknowledged);
    window.advanceTo(term.epoch());
    if (acknowledged) {
      inDoubtTracker.written(key, term.epoch(), replaced);
    } else {
      inDoubtTracker.addPossible(write); // The epoch may have ended before the write.
    }
    window.written(slot, write, term, copy);
  }

  private CompletionStage<Boolean> copyKey(Bytes key, Term term, Copy<Payload> copy) {
    Deadline limit = deadlineIn(2 * KeyCall.REQUEST_NANOS);
    return keyOperations
        .call(key, term, PrimaryOperation.copy(keyOperations.contextOf(term), copy), limit)
        .thenApply(
            callResult -> {
              if (callResult.outcome() instanceof PrimaryOutcome.Superseded) {
                termRecord.readLatest().exceptionally(failure -> null);
              }
              return callResult.outcome() instanceof PrimaryOutcome.Done;
            });
  }

  private CompletionStage<Optional<Stamp>> findStamp(Bytes key, LeasedTerm leasedTerm) {
    Term term = leasedTerm.term();
    Deadline limit = deadlineIn(termLeaseRules.leaseNanos() / 2);
    return perKeyQueue.take(
        key,
        limit,
        () ->
            keyOperations
                .call(key, term, PrimaryOperation.read(keyOperations.contextOf(term)), limit)
                .thenApply(
                    callResult ->
                        callResult.outcome() instanceof PrimaryOutcome.Done<Payload, Payload> done
                                && isLeased(term.epoch())
                            ? Optional.of(done.copy().origin())
                            : Optional.empty()),
        why -> Optional.empty());
  }

  /** Records a write of {@code key} in {@code term} with an unknown outcome. */
  void recordUnknownWrite(Bytes key, Term term, KeyCallResult<?> write) {
    window.advanceTo(term.epoch());
    write
        .proposed()
        .map(
            copy ->
                new WindowSlot.Write(
                    key, term.epoch(), copy.mark(), copy.origin(), write.replaced(), false))
        .ifPresent(inDoubtTracker::addPossible);
    if (fencing.add(key)) {
      scheduleFence(key, term);
    }
  }

  private void scheduleFence(Bytes key, Term term) {
    try {
      scheduler.after(termLeaseRules.renewalNanos(), () -> fenceKey(key, term));
    } catch (RejectedExecutionException rejection) {
      fencing.remove(key);
    }
  }

  private void fenceKey(Bytes key, Term term) {
    if (!isFenceNeeded(key, term)) {
      fencing.remove(key);
      return;
    }
    Deadline limit = deadlineIn(2 * KeyCall.REQUEST_NANOS);
    perKeyQueue
        .take(
            key,
            limit,
            () ->
                isFenceNeeded(key, term)
                    ? keyOperations
                        .call(
                            key,
                            term,
                            PrimaryOperation.fencedWrite(
                                keyOperations.contextOf(term), Update.read(), sequenceGenerator),
                            limit)
                        .thenAccept(
                            callResult -> {
                              if (callResult.outcome() instanceof PrimaryOutcome.Done) {
                                keysToFence.remove(key);
                              }
                            })
                    : CompletableFuture.<Void>completedFuture(null),
            why -> null)
        .whenComplete((done, failure) -> scheduleFence(key, term));
  }

  private boolean isFenceNeeded(Bytes key, Term term) {
    return !closed && keysToFence.contains(key, term) && termRecord.of(term.epoch()).isPresent();
  }

  private Deadline deadlineIn(long nanos) {
    return new Deadline(scheduler.nanos() + nanos);
  }

  WindowedEngine.State state() {
    return new WindowedEngine.State(
        windowCapacity.size(),
        Duration.ofNanos(windowCapacity.oldestNanos()),
        windowCapacity.doubtful());
  }

  InDoubtReporter inDoubtReporter() {
    return inDoubtReporter;
  }

  CompletionStage<Boolean> drain(Deadline deadline) {
    return window.drain(deadline);
  }

  @Override
  public void close() {
    closed = true;
    window.close();
    inDoubtTracker.close();
    inDoubtReporter.close();
  }
}
