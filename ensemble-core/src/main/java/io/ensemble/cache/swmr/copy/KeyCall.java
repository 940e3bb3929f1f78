package io.ensemble.cache.swmr.copy;

import io.ensemble.QuorumFailure;
import io.ensemble.cache.CompletionCause;
import io.ensemble.cache.Payload;
import io.ensemble.cache.quorum.SerialQueue;
import io.ensemble.cache.quorum.SiteResponses;
import io.ensemble.cache.quorum.StoreSet;
import io.ensemble.envelope.MalformedEnvelopeException;
import io.ensemble.primary.Copy;
import io.ensemble.primary.PrimaryOperation;
import io.ensemble.primary.PrimaryOutcome;
import io.ensemble.primary.PrimaryRequest;
import io.ensemble.primary.VersionedCopy;
import io.ensemble.schedule.Deadline;
import io.ensemble.schedule.Scheduler;
import io.ensemble.site.Bytes;
import io.ensemble.site.StoredEntry;
import io.ensemble.stamp.Stamp;
import java.util.BitSet;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.function.BooleanSupplier;
import java.util.function.IntConsumer;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Performs one operation: sends its requests to the stores and passes their responses to the
 * operation, one at a time. A thread that brings a response while no thread processes the queue
 * processes it until it is empty.
 */
public final class KeyCall<R> {

  private static final Logger LOG = LoggerFactory.getLogger(KeyCall.class);

  /** The longest that a request may take. */
  public static final long REQUEST_NANOS = 2_000_000_000;

  /** When a call that has written nothing is ended: its term may be over. */
  private static final long PATIENCE_NANOS = 2 * REQUEST_NANOS;

  private static final long PAUSE_NANOS = 20_000_000;

  /**
   * How a call ended.
   *
   * @param primaryHeard whether the primary sent any response
   * @param replaced the stamp of the value that a write replaced
   * @param proposed the copy that a write wrote, or perhaps wrote
   * @param error the invariant that was found broken, or null. The outcome still says how the
   *     operation ended, so callers that keep account of outcomes record it first
   */
  public record KeyCallResult<R>(
      PrimaryOutcome<Payload, R> outcome,
      QuorumFailure answers,
      boolean primaryHeard,
      int roundTrips,
      Stamp replaced,
      Optional<Copy<Payload>> proposed,
      @Nullable Error error) {

    /** Throws {@link #error} if it is not null: the error must reach the caller. */
    public void throwIfBroken() {
      if (error != null) {
        throw error;
      }
    }
  }

  private final Scheduler scheduler;
  private final List<String> sites;
  private final Bytes key;
  private final PrimaryOperation<Payload, R> operation;
  private final StoreSet storeSet;
  private final int primary;
  private final BooleanSupplier mayRecover;
  private final IntConsumer missedSites;
  private final Deadline deadline;
  private final SiteResponses responses;
  private final CompletableFuture<KeyCallResult<R>> completion = new CompletableFuture<>();
  private final SerialQueue<Supplier<List<PrimaryRequest<Payload>>>> serialQueue =
      new SerialQueue<>(this::process);

  // The fields below belong to the thread that processes the queue.
  private boolean primaryHeard;

  /** The sites that have not answered a request; null for none, the usual case. */
  private @Nullable BitSet silentSites;

  private boolean isPausing;
  private @Nullable Throwable thrown;
  private Scheduler.@Nullable Timer timer;
  private Scheduler.@Nullable Timer patienceTimer;

  /**
   * @param mayRecover whether copies of former epochs may be brought into the operation's epoch at
   *     this moment; when this becomes false, an operation that may do so is ended
   * @param missedSites receives the sites that were silent while something was written
   */
  public KeyCall(
      Scheduler scheduler,
      List<String> sites,
      Bytes key,
      PrimaryOperation<Payload, R> operation,
      StoreSet storeSet,
      int primary,
      BooleanSupplier mayRecover,
      IntConsumer missedSites,
      Deadline deadline) {
    this.missedSites = missedSites;
    this.scheduler = scheduler;
    this.sites = sites;
    this.key = key;
    this.operation = operation;
    this.storeSet = storeSet;
    this.primary = primary;
    this.mayRecover = mayRecover;
    this.deadline = deadline;
    responses = new SiteResponses(sites);
  }

  /** The stage fails only with an exception thrown before anything was written. */
  public CompletionStage<KeyCallResult<R>> start() {
    long remainingNanos = Math.max(0, deadline.remainingNanos(scheduler));
    timer = scheduler.after(remainingNanos, this::expire);
    if (remainingNanos > PATIENCE_NANOS) {
      patienceTimer = scheduler.after(PATIENCE_NANOS, this::expireWithoutEffect);
    }
    serialQueue.put(operation::start);
    return completion;
  }

  private void expire() {
    serialQueue.put(
        () -> {
          operation.expire();
          return List.of();
        });
  }

  private void expireWithoutEffect() {
    serialQueue.put(
        () -> {
          if (!operation.mayHaveWritten()) {
            operation.expire();
          }
          return List.of();
        });
  }

  private @Nullable Runnable process(Supplier<List<PrimaryRequest<Payload>>> input) {
    boolean isOpen = operation.outcome().isEmpty();
    runStep(input, isOpen);
    return isOpen && operation.outcome().isPresent() ? createNotification() : null;
  }

  private void runStep(Supplier<List<PrimaryRequest<Payload>>> input, boolean isOpen) {
    try {
      if (operation.recovers() && !mayRecover.getAsBoolean()) {
        operation.expire();
        return;
      }
      input.get().forEach(this::send);
      if (operation.isPaused() && !isPausing) {
        isPausing = true;
        scheduler.after(PAUSE_NANOS, this::resume);
      }
    } catch (RuntimeException | Error failure) {
      if (!isOpen || failure instanceof Error) {
        LOG.error("operation failed with an internal error; sites={} key={}", sites, key, failure);
      }
      thrown = failure;
      operation.expire();
    }
  }

  private void resume() {
    serialQueue.put(
        () -> {
          isPausing = false;
          return operation.resume();
        });
  }

  private void reportMissed() {
    BitSet lackingSites = silentSites;
    if (lackingSites != null
        && operation.outcome().orElse(null) instanceof PrimaryOutcome.Done<Payload, R> done
        && done.wrote()) {
      lackingSites.stream().forEach(missedSites);
      silentSites = null;
    }
  }

  private Runnable createNotification() {
    reportMissed();
    cancel(timer);
    cancel(patienceTimer);
    PrimaryOutcome<Payload, R> outcome = operation.outcome().orElseThrow();
    Throwable failure = thrown;
    if (failure != null && outcome instanceof PrimaryOutcome.Refused) {
      return () -> completion.completeExceptionally(failure);
    }
    KeyCallResult<R> result =
        new KeyCallResult<>(
            outcome,
            responses.shortfall(),
            primaryHeard,
            operation.roundTrips(),
            operation.replaced(),
            operation.proposed(),
            failure instanceof Error error ? error : null);
    return () -> completion.complete(result);
  }

  private static void cancel(Scheduler.@Nullable Timer timer) {
    if (timer != null) {
      timer.cancel();
    }
  }

  private void send(PrimaryRequest<Payload> request) {
    int site = request.site();
    int tag = request.tag();
    long latestNanos = scheduler.nanos() + REQUEST_NANOS;
    boolean isDone = operation.outcome().isPresent();
    Deadline limit =
        isDone || latestNanos - deadline.atNanos() < 0 ? deadline.at(latestNanos) : deadline;
    if (request instanceof PrimaryRequest.Swap<Payload> swap) {
      VersionedCopy<Payload> expectedCopy = swap.expected();
      Bytes value = CopyCodec.encode(swap.copy());
      storeSet
          .ask(
              site,
              store ->
                  expectedCopy.copy().isAbsent()
                      ? store.putIfAbsent(key, value, limit)
                      : store.replace(key, expectedCopy.token(), value, limit))
          .whenComplete(
              (swapped, failure) ->
                  receive(site, tag, failure, () -> operation.onSwap(site, tag, swapped)));
    } else {
      storeSet
          .ask(site, store -> store.read(key, limit))
          .whenComplete(
              (entry, failure) -> receive(site, tag, failure, () -> onRead(site, tag, entry)));
    }
  }

  private List<PrimaryRequest<Payload>> onRead(int site, int tag, Optional<StoredEntry> entry) {
    VersionedCopy<Payload> versionedCopy;
    try {
      versionedCopy = CopyCodec.toVersionedCopy(entry);
    } catch (MalformedEnvelopeException malformed) {
      responses.silent(site, malformed);
      return operation.onLost(site, tag);
    }
    return operation.onRead(site, tag, versionedCopy);
  }

  private void receive(
      int site,
      int tag,
      @Nullable Throwable failure,
      Supplier<List<PrimaryRequest<Payload>>> input) {
    serialQueue.put(
        () -> {
          if (failure != null) {
            Throwable cause = CompletionCause.of(failure);
            if (cause instanceof AssertionError error) {
              throw error; // Not a failure of the site.
            }
            responses.silent(site, cause);
            silentSites = silentSites == null ? new BitSet() : silentSites;
            silentSites.set(site);
            List<PrimaryRequest<Payload>> requests = operation.onLost(site, tag);
            reportMissed();
            return requests;
          }
          responses.heard(site);
          primaryHeard |= site == primary;
          return input.get();
        });
  }
}
