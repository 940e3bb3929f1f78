package io.ensemble.cache.swmr;

import io.ensemble.Shortfall;
import io.ensemble.cache.Payload;
import io.ensemble.cache.Unwrapped;
import io.ensemble.cache.call.Answers;
import io.ensemble.cache.call.Inbox;
import io.ensemble.cache.call.Replicas;
import io.ensemble.envelope.MalformedEnvelopeException;
import io.ensemble.primary.Copy;
import io.ensemble.primary.Operation;
import io.ensemble.primary.Outcome;
import io.ensemble.primary.Request;
import io.ensemble.primary.Shown;
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
 * Performs one operation: sends its requests to the stores and hands it their answers, one at a
 * time. Whoever brings an answer while nobody attends to the inbox attends to it until it is empty.
 */
final class KeyCall<R> {

  private static final Logger LOG = LoggerFactory.getLogger(KeyCall.class);

  /** The longest that a request may take. */
  static final long REQUEST_NANOS = 2_000_000_000;

  /** When a call that has written nothing is given up: its term may be over. */
  private static final long PATIENCE_NANOS = 2 * REQUEST_NANOS;

  private static final long PAUSE_NANOS = 20_000_000;

  /**
   * How a call ended.
   *
   * @param primaryHeard whether the primary answered anything
   * @param replaced the stamp of what a write took the place of
   * @param proposed what a write wrote, or perhaps did
   * @param broken the invariant that was found broken on the way, if one was. The outcome tells
   *     what became of the operation, so whoever keeps account of that does so first
   */
  record Ended<R>(
      Outcome<Payload, R> outcome,
      Shortfall answers,
      boolean primaryHeard,
      int roundTrips,
      Stamp replaced,
      Optional<Copy<Payload>> proposed,
      @Nullable Error broken) {

    /** Throws what is {@link #broken}: it must reach the caller. */
    void throwIfBroken() {
      if (broken != null) {
        throw broken;
      }
    }
  }

  private final Scheduler scheduler;
  private final List<String> sites;
  private final Bytes key;
  private final Operation<Payload, R> operation;
  private final Replicas replicas;
  private final int primary;
  private final BooleanSupplier mayRecover;
  private final IntConsumer missed;
  private final Deadline deadline;
  private final Answers answers;
  private final CompletableFuture<Ended<R>> ended = new CompletableFuture<>();
  private final Inbox<Supplier<List<Request<Payload>>>> inbox = new Inbox<>(this::handle);

  // What follows belongs to whoever attends to the inbox.
  private boolean primaryHeard;

  /** The sites that have not answered a request; null for none, as it nearly always is. */
  private @Nullable BitSet silent;

  private boolean pausing;
  private @Nullable Throwable thrown;
  private Scheduler.@Nullable Timer timer;
  private Scheduler.@Nullable Timer impatience;

  /**
   * @param mayRecover whether copies of former epochs may be brought into the operation's at this
   *     moment; an operation that may do so is given up once this is false
   * @param missed told of sites that were silent while something was written
   */
  KeyCall(
      Scheduler scheduler,
      List<String> sites,
      Bytes key,
      Operation<Payload, R> operation,
      Replicas replicas,
      int primary,
      BooleanSupplier mayRecover,
      IntConsumer missed,
      Deadline deadline) {
    this.missed = missed;
    this.scheduler = scheduler;
    this.sites = sites;
    this.key = key;
    this.operation = operation;
    this.replicas = replicas;
    this.primary = primary;
    this.mayRecover = mayRecover;
    this.deadline = deadline;
    answers = new Answers(sites);
  }

  /** The stage fails only with what was thrown before anything was written. */
  CompletionStage<Ended<R>> start() {
    long left = Math.max(0, deadline.remainingNanos(scheduler));
    timer = scheduler.after(left, this::expire);
    if (left > PATIENCE_NANOS) {
      impatience = scheduler.after(PATIENCE_NANOS, this::expireWithoutEffect);
    }
    inbox.put(operation::start);
    return ended;
  }

  private void expire() {
    inbox.put(
        () -> {
          operation.expire();
          return List.of();
        });
  }

  private void expireWithoutEffect() {
    inbox.put(
        () -> {
          if (!operation.mayHaveWritten()) {
            operation.expire();
          }
          return List.of();
        });
  }

  private @Nullable Runnable handle(Supplier<List<Request<Payload>>> input) {
    boolean open = operation.outcome().isEmpty();
    step(input, open);
    return open && operation.outcome().isPresent() ? news() : null;
  }

  private void step(Supplier<List<Request<Payload>>> input, boolean open) {
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
        LOG.error("an operation went wrong; sites={} key={}", sites, key, failure);
      }
      thrown = failure;
      operation.expire();
    }
  }

  private void resume() {
    inbox.put(
        () -> {
          pausing = false;
          return operation.resume();
        });
  }

  private void tellMissed() {
    BitSet lacking = silent;
    if (lacking != null
        && operation.outcome().orElse(null) instanceof Outcome.Done<Payload, R> done
        && done.wrote()) {
      lacking.stream().forEach(missed);
      silent = null;
    }
  }

  private Runnable news() {
    tellMissed();
    cancel(timer);
    cancel(impatience);
    Outcome<Payload, R> outcome = operation.outcome().orElseThrow();
    Throwable failure = thrown;
    if (failure != null && outcome instanceof Outcome.Refused) {
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

  private void send(Request<Payload> request) {
    int site = request.site();
    int tag = request.tag();
    long longest = scheduler.nanos() + REQUEST_NANOS;
    boolean over = operation.outcome().isPresent();
    Deadline limit = over || longest - deadline.atNanos() < 0 ? deadline.at(longest) : deadline;
    if (request instanceof Request.Swap<Payload> swap) {
      Shown<Payload> expected = swap.expected();
      Bytes value = CopyCodec.encode(swap.copy());
      replicas
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
      replicas
          .ask(site, store -> store.read(key, limit))
          .whenComplete(
              (entry, failure) -> answer(site, tag, failure, () -> onRead(site, tag, entry)));
    }
  }

  private List<Request<Payload>> onRead(int site, int tag, Optional<StoredEntry> entry) {
    Shown<Payload> shown;
    try {
      shown = CopyCodec.shown(entry);
    } catch (MalformedEnvelopeException strange) {
      answers.silent(site, strange);
      return operation.onLost(site, tag);
    }
    return operation.onRead(site, tag, shown);
  }

  private void answer(
      int site, int tag, @Nullable Throwable failure, Supplier<List<Request<Payload>>> input) {
    inbox.put(
        () -> {
          if (failure != null) {
            Throwable why = Unwrapped.of(failure);
            if (why instanceof AssertionError broken) {
              throw broken; // No word of the site's.
            }
            answers.silent(site, why);
            silent = silent == null ? new BitSet() : silent;
            silent.set(site);
            List<Request<Payload>> next = operation.onLost(site, tag);
            tellMissed();
            return next;
          }
          answers.heard(site);
          primaryHeard |= site == primary;
          return input.get();
        });
  }
}
