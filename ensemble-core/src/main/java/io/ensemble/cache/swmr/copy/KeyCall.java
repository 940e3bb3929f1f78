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
   * @param broken the invariant that was found broken, or null. The outcome still says how the
   *     operation ended, so callers that keep account of outcomes record it first
   */
  public record Ended<R>(
      PrimaryOutcome<Payload, R> outcome,
      QuorumFailure answers,
      boolean primaryHeard,
      int roundTrips,
      Stamp replaced,
      Optional<Copy<Payload>> proposed,
      @Nullable Error broken) {

    /** Throws {@link #broken} if it is not null: the error must reach the caller. */
    public void throwIfBroken() {
      if (broken != null) {
        throw broken;
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
  private final IntConsumer missed;
  private final Deadline deadline;
  private final SiteResponses answers;
  private final CompletableFuture<Ended<R>> ended = new CompletableFuture<>();
  private final SerialQueue<Supplier<List<PrimaryRequest<Payload>>>> serialQueue =
      new SerialQueue<>(this::handle);

  // The fields below belong to the thread that processes the queue.
  private boolean primaryHeard;

  /** The sites that have not answered a request; null for none, the usual case. */
  private @Nullable BitSet silent;

  private boolean pausing;
  private @Nullable Throwable thrown;
  private Scheduler.@Nullable Timer timer;
  private Scheduler.@Nullable Timer impatience;

  /**
   * @param mayRecover whether copies of former epochs may be brought into the operation's epoch at
   *     this moment; when this becomes false, an operation that may do so is ended
   * @param missed receives the sites that were silent while something was written
   */
  public KeyCall(
      Scheduler scheduler,
      List<String> sites,
      Bytes key,
      PrimaryOperation<Payload, R> operation,
      StoreSet storeSet,
      int primary,
      BooleanSupplier mayRecover,
      IntConsumer missed,
      Deadline deadline) {
    this.missed = missed;
    this.scheduler = scheduler;
    this.sites = sites;
    this.key = key;
    this.operation = operation;
    this.storeSet = storeSet;
    this.primary = primary;
    this.mayRecover = mayRecover;
    this.deadline = deadline;
    answers = new SiteResponses(sites);
  }

  /** The stage fails only with an exception thrown before anything was written. */
  public CompletionStage<Ended<R>> start() {
    long left = Math.max(0, deadline.remainingNanos(scheduler));
    timer = scheduler.after(left, this::expire);
    if (left > PATIENCE_NANOS) {
      impatience = scheduler.after(PATIENCE_NANOS, this::expireWithoutEffect);
    }
    serialQueue.put(operation::start);
    return ended;
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

  private @Nullable Runnable handle(Supplier<List<PrimaryRequest<Payload>>> input) {
    boolean open = operation.outcome().isEmpty();
    step(input, open);
    return open && operation.outcome().isPresent() ? news() : null;
  }

  private void step(Supplier<List<PrimaryRequest<Payload>>> input, boolean open) {
    try {
      if (operation.recovers() && !mayRecover.getAsBoolean()) {
        operation.expire();
        return;
      }
      input.get().forEach(this::send);
      if (operation.isPaused() && !pausing) {
        pausing = true;
        scheduler.after(PAUSE_NANOS, this::resume);
      }
    } catch (RuntimeException | Error failure) {
      if (!open || failure instanceof Error) {
        LOG.error("operation failed with an internal error; sites={} key={}", sites, key, failure);
      }
      thrown = failure;
      operation.expire();
    }
  }

  private void resume() {
    serialQueue.put(
        () -> {
          pausing = false;
          return operation.resume();
        });
  }

  private void tellMissed() {
    BitSet lacking = silent;
    if (lacking != null
        && operation.outcome().orElse(null) instanceof PrimaryOutcome.Done<Payload, R> done
        && done.wrote()) {
      lacking.stream().forEach(missed);
      silent = null;
    }
  }

  private Runnable news() {
    tellMissed();
    cancel(timer);
    cancel(impatience);
    PrimaryOutcome<Payload, R> outcome = operation.outcome().orElseThrow();
    Throwable failure = thrown;
    if (failure != null && outcome instanceof PrimaryOutcome.Refused) {
      return () -> ended.completeExceptionally(failure);
    }
    Ended<R> result =
        new Ended<>(
            outcome,
            answers.shortfall(),
            primaryHeard,
            operation.roundTrips(),
            operation.replaced(),
            operation.proposed(),
            failure instanceof Error error ? error : null);
    return () -> ended.complete(result);
  }

  private static void cancel(Scheduler.@Nullable Timer timer) {
    if (timer != null) {
      timer.cancel();
    }
  }

  private void send(PrimaryRequest<Payload> request) {
    int site = request.site();
    int tag = request.tag();
    long longest = scheduler.nanos() + REQUEST_NANOS;
    boolean over = operation.outcome().isPresent();
    Deadline limit = over || longest - deadline.atNanos() < 0 ? deadline.at(longest) : deadline;
    if (request instanceof PrimaryRequest.Swap<Payload> swap) {
      VersionedCopy<Payload> expected = swap.expected();
      Bytes value = CopyCodec.encode(swap.copy());
      storeSet
          .ask(
              site,
              store ->
                  expected.copy().isAbsent()
                      ? store.putIfAbsent(key, value, limit)
                      : store.replace(key, expected.token(), value, limit))
          .whenComplete(
              (swapped, failure) ->
                  answer(site, tag, failure, () -> operation.onSwap(site, tag, swapped)));
    } else {
      storeSet
          .ask(site, store -> store.read(key, limit))
          .whenComplete(
              (entry, failure) -> answer(site, tag, failure, () -> onRead(site, tag, entry)));
    }
  }

  private List<PrimaryRequest<Payload>> onRead(int site, int tag, Optional<StoredEntry> entry) {
    VersionedCopy<Payload> shown;
    try {
      shown = CopyCodec.shown(entry);
    } catch (MalformedEnvelopeException strange) {
      answers.silent(site, strange);
      return operation.onLost(site, tag);
    }
    return operation.onRead(site, tag, shown);
  }

  private void answer(
      int site,
      int tag,
      @Nullable Throwable failure,
      Supplier<List<PrimaryRequest<Payload>>> input) {
    serialQueue.put(
        () -> {
          if (failure != null) {
            Throwable why = CompletionCause.of(failure);
            if (why instanceof AssertionError broken) {
              throw broken; // Not a failure of the site.
            }
            answers.silent(site, why);
            silent = silent == null ? new BitSet() : silent;
            silent.set(site);
            List<PrimaryRequest<Payload>> next = operation.onLost(site, tag);
            tellMissed();
            return next;
          }
          answers.heard(site);
          primaryHeard |= site == primary;
          return input.get();
        });
  }
}
