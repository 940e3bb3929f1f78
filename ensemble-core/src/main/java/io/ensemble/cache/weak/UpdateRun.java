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
  interface Next<R> {
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
  private final Next<R> next;
  private final CompletableFuture<WriteOutcome<R>> answer = new CompletableFuture<>();

  // Fields that the close uses as well are guarded by this; the others belong to the current step.
  private final Map<String, String> silent = new TreeMap<>();
  private int home;
  private int turns;
  private int rounds;
  private @Nullable Attempt<R> sent;

  /** The attempt may have taken effect, or may still. */
  private boolean open;

  /** The attempt got no response; another entry in its place does not prove that it failed. */
  private boolean unanswered;

  /**
   * The outcome is settled, or the {@link ReplicatedWrite} that spreads the write settles it: no
   * more steps.
   */
  private boolean over;

  UpdateRun(
      WeakContext context,
      List<WeakSite> order,
      Bytes key,
      ConditionalPlan<R> plan,
      Deadline deadline,
      Next<R> next) {
    this.context = context;
    this.order = order;
    this.key = key;
    this.plan = plan;
    this.deadline = deadline;
    this.next = next;
  }

  CompletionStage<WriteOutcome<R>> run() {
    if (deadline.hasPassed(context.scheduler())) {
      RequestFailures.late(order).forEach(this::isSilent);
      end("not sent");
    } else {
      read();
    }
    return answer;
  }

  /** Ends the operation with the present knowledge; nothing is sent from now on. */
  void close() {
    end(RequestFailures.CLOSED);
  }

  private synchronized void isSilent(String site, String why) {
    silent.put(site, why);
  }

  private synchronized boolean isOver() {
    return over;
  }

  private void read() {
    if (isOver()) {
      return;
    }
    if (deadline.hasPassed(context.scheduler())) {
      end("not sent");
      return;
    }
    rounds++;
    order
        .get(home)
        .call(WeakMetrics.Kind.CONDITIONAL, look(), store -> store.read(key, look()))
        .whenComplete(
            (found, failure) -> {
              try {
                if (failure == null) {
                  found(found);
                } else {
                  unread(StageLoops.unwrap(failure));
                }
              } catch (Throwable broken) { // Perhaps an Error of the update.
                answer.completeExceptionally(broken);
              }
            });
  }

  /**
   * The limit of a read. Where a put is a conditional operation too, a silent site must leave time
   * for the next one.
   */
  private Deadline look() {
    if (context.union().swaps() || open || home + 1 >= order.size()) {
      return step();
    }
    long left = deadline.remainingNanos(context.scheduler());
    return deadline.at(context.scheduler().nanos() + Math.max(left / 8, LEAST_STEP_NANOS));
  }

  /** Half of the time left, so that a lost response leaves time to read again. */
  private Deadline step() {
    long left = deadline.remainingNanos(context.scheduler());
    long step = Math.min(left, Math.max(left / 2, LEAST_STEP_NANOS));
    return deadline.at(context.scheduler().nanos() + step);
  }

  private void unread(Throwable failure) {
    isSilent(order.get(home).name(), RequestFailures.reason(failure));
    if (open) {
      pause(); // Only this site shows the fate of the attempt.
    } else if (home + 1 < order.size()) {
      home++;
      read();
    } else {
      end("not sent");
    }
  }

  private void found(Optional<StoredEntry> found) {
    StoredEntry entry = found.orElse(null);
    Attempt<R> attempt = sent;
    if (attempt != null && open) {
      if (entry != null && plan.isIn(entry.value(), attempt.entry().stamp())) {
        won(attempt);
        return;
      }
      if (attempt.startsFrom(entry)) {
        compareAndSet(attempt);
        return;
      }
      if (unanswered) {
        isSilent(order.get(home).name(), "overwritten or not written");
        end("not sent");
        return;
      }
      synchronized (this) {
        open = false;
      }
    }
    decide(entry);
  }

  private void decide(@Nullable StoredEntry entry) {
    ConditionalPlan.Next<R> wanted = plan.decide(entry == null ? null : entry.value());
    StampedEntry written = wanted.entry();
    if (wanted.skew() != ConditionalPlan.Skew.NONE) {
      tooFarAhead(wanted);
      return;
    }
    if (written == null) {
      synchronized (this) {
        over = true;
      }
      context.metrics().roundTrips(WeakMetrics.Operation.UPDATE, rounds);
      answer.complete(new WriteOutcome.Applied<>(wanted.result(), wanted.seen(), false));
      return;
    }
    compareAndSet(new Attempt<>(entry, written, wanted.result(), wanted.dropped()));
  }

  /** A write would lose to the entry found. */
  private void tooFarAhead(ConditionalPlan.Next<R> wanted) {
    synchronized (this) {
      if (over) {
        return;
      }
      over = true;
    }
    if (wanted.skew() == ConditionalPlan.Skew.REMOVED) {
      next.removeSkewed(wanted.result()).whenComplete(this::complete);
    } else {
      answer.completeExceptionally(context.stamps().rejected(context.cache(), wanted.seen()));
    }
  }

  private void complete(WriteOutcome<R> outcome, @Nullable Throwable failure) {
    if (failure == null) {
      answer.complete(outcome);
    } else {
      answer.completeExceptionally(StageLoops.unwrap(failure));
    }
  }

  private void compareAndSet(Attempt<R> attempt) {
    boolean perhapsBefore;
    synchronized (this) {
      if (over) {
        return;
      }
      sent = attempt;
      perhapsBefore = open;
      open = true;
    }
    rounds++;
    Bytes stored = attempt.entry().stored();
    StoredEntry base = attempt.base();
    order
        .get(home)
        .call(
            WeakMetrics.Kind.CONDITIONAL,
            step(),
            store ->
                base == null
                    ? store.putIfAbsent(key, stored, step())
                    : store.replace(key, base.version(), stored, step()))
        .whenComplete(
            (success, failure) -> {
              try {
                swapped(attempt, perhapsBefore, failure == null && success, failure);
              } catch (RuntimeException | Error broken) { // The caller must not wait for ever.
                answer.completeExceptionally(broken);
              }
            });
  }

  private void swapped(
      Attempt<R> attempt, boolean perhapsBefore, boolean success, @Nullable Throwable failure) {
    if (success || failure != null) { // Without a response it may be done.
      context.drops().at(order.get(home).name(), key, attempt.dropped());
    }
    if (success) {
      won(attempt);
      return;
    }
    if (failure != null) {
      Throwable cause = StageLoops.unwrap(failure);
      isSilent(order.get(home).name(), RequestFailures.reason(cause));
      boolean harmless = RequestFailures.isHarmless(cause);
      synchronized (this) {
        unanswered |= !harmless;
        open = perhapsBefore || !harmless; // Unsent: no need to look.
      }
    }
    pause();
  }

  private void pause() {
    long longest = LONGEST_PAUSE.toNanos();
    long around = Math.min(longest, Duration.ofMillis(1).toNanos() << Math.min(turns++, 6));
    long left = deadline.remainingNanos(context.scheduler());
    long pause = Math.max(0, Math.min(left, context.jittered(Duration.ofNanos(around))));
    if (context.later(pause, this::read) == null) {
      end("not sent");
    }
  }

  private void won(Attempt<R> attempt) {
    synchronized (this) {
      if (over) {
        return;
      }
      over = true;
    }
    next.spread(order.get(home), attempt.entry(), attempt.result())
        .whenComplete(
            (outcome, failure) -> {
              if (failure == null) {
                tellRounds(outcome);
                answer.complete(outcome);
              } else {
                answer.completeExceptionally(failure);
              }
            });
  }

  private void tellRounds(WriteOutcome<R> outcome) {
    if (!(outcome instanceof WriteOutcome.Unknown)) {
      int more = context.options().ack() == WeakOptions.Ack.MAJORITY ? 1 : 0;
      context.metrics().roundTrips(WeakMetrics.Operation.UPDATE, rounds + more);
    }
  }

  /**
   * @param otherwise the reason for sites without a response or failure
   */
  private void end(String otherwise) {
    QuorumFailure shortfall;
    boolean unknown;
    synchronized (this) {
      if (over) {
        return;
      }
      over = true;
      unknown = open;
      order.forEach(member -> silent.putIfAbsent(member.name(), otherwise));
      shortfall = context.shortfall(1, order.size(), Set.of(), silent);
    }
    WriteOutcome<R> outcome;
    if (unknown) {
      order.get(home).markDoubtful();
      context.metrics().outcomeUnknown();
      outcome = new WriteOutcome.Unknown<>(shortfall);
    } else {
      outcome = new WriteOutcome.Refused<>(shortfall);
    }
    // Sites without a store fail immediately, on the caller's thread.
    context.hop(() -> answer.complete(outcome));
  }
}
