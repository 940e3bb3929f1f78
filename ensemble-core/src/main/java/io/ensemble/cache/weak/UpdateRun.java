package io.ensemble.cache.weak;

import io.ensemble.QuorumFailure;
import io.ensemble.WriteOutcome;
import io.ensemble.cache.weak.entry.ConditionalPlan;
import io.ensemble.cache.weak.entry.StampedEntry;
import io.ensemble.cache.weak.replica.RequestFailures;
import io.ensemble.cache.weak.replica.StageLoops;
import io.ensemble.cache.weak.replica.WeakContext;
import io.ensemble.cache.weak.replica.WeakMetrics;
import io.ensemble.cache.weak.replica.WeakOptions;
import io.ensemble.cache.weak.replica.WeakSite;
import io.ensemble.schedule.Deadline;
import io.ensemble.site.Bytes;
import io.ensemble.site.StoredEntry;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import org.jspecify.annotations.Nullable;

/**
 * One conditional operation: read and compare-and-set at one site, the first that can be read,
 * until a compare-and-set succeeds. Then the write spreads to the other sites like an ordinary
 * write. Steps run one after the other, each on the thread that handles the last response; {@link
 * #close} may be called on another thread.
 *
 * <p>After a failed compare-and-set, or one without a response, the run reads the entry and looks
 * for the stamp of its own write. While the entry is still the one that the attempt started from,
 * the same attempt is sent again, with the same stamp. The compare-and-set lets at most one of
 * these requests succeed. If there was no response and the entry is now another one, the write may
 * have been applied and overwritten, so the outcome is unknown.
 */
final class UpdateRun<R> {

  private static final Duration LONGEST_PAUSE = Duration.ofMillis(50);
  private static final long LEAST_STEP_NANOS = Duration.ofMillis(5).toNanos();

  private record Attempt<R>(
      @Nullable StoredEntry base, StampedEntry entry, @Nullable R result, int dropped) {

    boolean startsFrom(@Nullable StoredEntry found) {
      if (base == null || found == null) {
        return base == null && found == null;
      }
      return base.version() == found.version() && base.value().equals(found.value());
    }
  }

  /** The continuations that concern more than one site. */
  interface Continuation<R> {
    /** Starts the {@link ReplicatedWrite} that spreads the write once the first site has it. */
    CompletionStage<WriteOutcome<R>> spread(WeakSite home, StampedEntry entry, @Nullable R result);

    /** Removes the key's entry, whose stamp is too far ahead, at every site. */
    CompletionStage<WriteOutcome<R>> removeSkewed(@Nullable R result);
  }

  private final WeakContext context;
  private final List<WeakSite> order;
  private final Bytes key;
  private final ConditionalPlan<R> plan;
  private final Deadline deadline;
  private final Continuation<R> continuation;
  private final CompletableFuture<WriteOutcome<R>> completion = new CompletableFuture<>();

  // Fields that the close uses as well are guarded by this; the others belong to the current step.
  private final Map<String, String> failures = new TreeMap<>();
  private int home;
  private int pauses;
  private int rounds;
  private @Nullable Attempt<R> lastAttempt;

  /** The attempt may have taken effect, or may still. */
  private boolean isAttemptOpen;

  /** The attempt got no response; another entry in its place does not prove that it failed. */
  private boolean isUnanswered;

  /**
   * The outcome is settled, or the {@link ReplicatedWrite} that spreads the write settles it: no
   * more steps.
   */
  private boolean isFinished;

  UpdateRun(
      WeakContext context,
      List<WeakSite> order,
      Bytes key,
      ConditionalPlan<R> plan,
      Deadline deadline,
      Continuation<R> continuation) {
    this.context = context;
    this.order = order;
    this.key = key;
    this.plan = plan;
    this.deadline = deadline;
    this.continuation = continuation;
  }

  CompletionStage<WriteOutcome<R>> run() {
    if (deadline.hasPassed(context.scheduler())) {
      RequestFailures.late(order).forEach(this::recordFailure);
      finish("not sent");
    } else {
      read();
    }
    return completion;
  }

  /** Ends the operation with the present knowledge; nothing is sent from now on. */
  void close() {
    finish(RequestFailures.CLOSED);
  }

  private synchronized void recordFailure(String site, String reason) {
    failures.put(site, reason);
  }

  private synchronized boolean isFinished() {
    return isFinished;
  }

  private void read() {
    if (isFinished()) {
      return;
    }
    if (deadline.hasPassed(context.scheduler())) {
      finish("not sent");
      return;
    }
    rounds++;
    order
        .get(home)
        .call(
            WeakMetrics.Kind.CONDITIONAL, readDeadline(), store -> store.read(key, readDeadline()))
        .whenComplete(
            (found, failure) -> {
              try {
                if (failure == null) {
                  handleEntry(found);
                } else {
                  handleReadFailure(StageLoops.unwrap(failure));
                }
              } catch (Throwable exception) { // Perhaps an Error of the update.
                completion.completeExceptionally(exception);
              }
            });
  }

  /**
   * The limit of a read. Where a put is a conditional operation too, a silent site must leave time
   * for the next one.
   */
  private Deadline readDeadline() {
    if (context.entryMerge().usesSwap() || isAttemptOpen || home + 1 >= order.size()) {
      return requestDeadline();
    }
    long remainingNanos = deadline.remainingNanos(context.scheduler());
    return deadline.at(
        context.scheduler().nanos() + Math.max(remainingNanos / 8, LEAST_STEP_NANOS));
  }

  /** Half of the time left, so that a lost response leaves time to read again. */
  private Deadline requestDeadline() {
    long remainingNanos = deadline.remainingNanos(context.scheduler());
    long step = Math.min(remainingNanos, Math.max(remainingNanos / 2, LEAST_STEP_NANOS));
    return deadline.at(context.scheduler().nanos() + step);
  }

  private void handleReadFailure(Throwable failure) {
    recordFailure(order.get(home).name(), RequestFailures.reason(failure));
    if (isAttemptOpen) {
      pause(); // Only this site shows the fate of the attempt.
    } else if (home + 1 < order.size()) {
      home++;
      read();
    } else {
      finish("not sent");
    }
  }

  private void handleEntry(Optional<StoredEntry> storedEntry) {
    StoredEntry entry = storedEntry.orElse(null);
    Attempt<R> attempt = lastAttempt;
    if (attempt != null && isAttemptOpen) {
      if (entry != null && plan.isIn(entry.value(), attempt.entry().stamp())) {
        spreadAttempt(attempt);
        return;
      }
      if (attempt.startsFrom(entry)) {
        compareAndSet(attempt);
        return;
      }
      if (isUnanswered) {
        recordFailure(order.get(home).name(), "overwritten or not written");
        finish("not sent");
        return;
      }
      synchronized (this) {
        isAttemptOpen = false;
      }
    }
    decide(entry);
  }

  private void decide(@Nullable StoredEntry entry) {
    ConditionalPlan.PlannedWrite<R> planResult = plan.decide(entry == null ? null : entry.value());
    StampedEntry newEntry = planResult.entry();
    if (planResult.skew() != ConditionalPlan.Skew.NONE) {
      handleSkew(planResult);
      return;
    }
    if (newEntry == null) {
      synchronized (this) {
        isFinished = true;
      }
      context.metrics().roundTrips(WeakMetrics.Operation.UPDATE, rounds);
      completion.complete(
          new WriteOutcome.Applied<>(planResult.result(), planResult.seen(), false));
      return;
    }
    compareAndSet(new Attempt<>(entry, newEntry, planResult.result(), planResult.dropped()));
  }

  /** A write would lose to the entry found. */
  private void handleSkew(ConditionalPlan.PlannedWrite<R> planResult) {
    synchronized (this) {
      if (isFinished) {
        return;
      }
      isFinished = true;
    }
    if (planResult.skew() == ConditionalPlan.Skew.REMOVED) {
      continuation.removeSkewed(planResult.result()).whenComplete(this::complete);
    } else {
      completion.completeExceptionally(
          context.stamps().skewException(context.cache(), planResult.seen()));
    }
  }

  private void complete(WriteOutcome<R> outcome, @Nullable Throwable failure) {
    if (failure == null) {
      completion.complete(outcome);
    } else {
      completion.completeExceptionally(StageLoops.unwrap(failure));
    }
  }

  private void compareAndSet(Attempt<R> attempt) {
    boolean wasAttemptOpen;
    synchronized (this) {
      if (isFinished) {
        return;
      }
      lastAttempt = attempt;
      wasAttemptOpen = isAttemptOpen;
      isAttemptOpen = true;
    }
    rounds++;
    Bytes stored = attempt.entry().stored();
    StoredEntry base = attempt.base();
    order
        .get(home)
        .call(
            WeakMetrics.Kind.CONDITIONAL,
            requestDeadline(),
            store ->
                base == null
                    ? store.putIfAbsent(key, stored, requestDeadline())
                    : store.replace(key, base.version(), stored, requestDeadline()))
        .whenComplete(
            (isSwapped, failure) -> {
              try {
                handleSwap(attempt, wasAttemptOpen, failure == null && isSwapped, failure);
              } catch (RuntimeException | Error exception) { // The caller must not wait for ever.
                completion.completeExceptionally(exception);
              }
            });
  }

  private void handleSwap(
      Attempt<R> attempt, boolean wasAttemptOpen, boolean isSwapped, @Nullable Throwable failure) {
    if (isSwapped || failure != null) { // Without a response it may be done.
      context.drops().recordDropped(order.get(home).name(), key, attempt.dropped());
    }
    if (isSwapped) {
      spreadAttempt(attempt);
      return;
    }
    if (failure != null) {
      Throwable cause = StageLoops.unwrap(failure);
      recordFailure(order.get(home).name(), RequestFailures.reason(cause));
      boolean isHarmless = RequestFailures.isHarmless(cause);
      synchronized (this) {
        isUnanswered |= !isHarmless;
        isAttemptOpen = wasAttemptOpen || !isHarmless; // Unsent: no need to look.
      }
    }
    pause();
  }

  private void pause() {
    long longest = LONGEST_PAUSE.toNanos();
    long baseNanos = Math.min(longest, Duration.ofMillis(1).toNanos() << Math.min(pauses++, 6));
    long remainingNanos = deadline.remainingNanos(context.scheduler());
    long pause =
        Math.max(0, Math.min(remainingNanos, context.jittered(Duration.ofNanos(baseNanos))));
    if (context.later(pause, this::read) == null) {
      finish("not sent");
    }
  }

  private void spreadAttempt(Attempt<R> attempt) {
    synchronized (this) {
      if (isFinished) {
        return;
      }
      isFinished = true;
    }
    continuation
        .spread(order.get(home), attempt.entry(), attempt.result())
        .whenComplete(
            (outcome, failure) -> {
              if (failure == null) {
                recordRoundTrips(outcome);
                completion.complete(outcome);
              } else {
                completion.completeExceptionally(failure);
              }
            });
  }

  private void recordRoundTrips(WriteOutcome<R> outcome) {
    if (!(outcome instanceof WriteOutcome.Unknown)) {
      int extraRounds = context.options().ack() == WeakOptions.Ack.MAJORITY ? 1 : 0;
      context.metrics().roundTrips(WeakMetrics.Operation.UPDATE, rounds + extraRounds);
    }
  }

  /**
   * @param defaultReason the reason for sites without a response or failure
   */
  private void finish(String defaultReason) {
    QuorumFailure shortfall;
    boolean isUnknown;
    synchronized (this) {
      if (isFinished) {
        return;
      }
      isFinished = true;
      isUnknown = isAttemptOpen;
      order.forEach(member -> failures.putIfAbsent(member.name(), defaultReason));
      shortfall = context.shortfall(1, order.size(), Set.of(), failures);
    }
    WriteOutcome<R> outcome;
    if (isUnknown) {
      order.get(home).markDoubtful();
      context.metrics().outcomeUnknown();
      outcome = new WriteOutcome.Unknown<>(shortfall);
    } else {
      outcome = new WriteOutcome.Refused<>(shortfall);
    }
    // Sites without a store fail immediately, on the caller's thread.
    context.hop(() -> completion.complete(outcome));
  }
}
