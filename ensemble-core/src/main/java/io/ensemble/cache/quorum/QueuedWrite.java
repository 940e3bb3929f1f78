package io.ensemble.cache.quorum;

import io.ensemble.QuorumFailure;
import io.ensemble.WriteOutcome;
import io.ensemble.cache.Payload;
import io.ensemble.register.Update;
import io.ensemble.register.Update.Decision;
import io.ensemble.schedule.Deadline;
import io.ensemble.stamp.Stamp;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * One caller's write of a key, which may be batched with others. Thread-safe.
 *
 * @param <R> the type of its result
 */
public final class QueuedWrite<R> implements WriteBatcher.Writer {

  /**
   * The decision of the caller's function.
   *
   * @param writes whether the function decided to write, whatever else happens to the entry
   */
  public record CallerDecision<R>(@Nullable R result, boolean writes) {}

  /** The result of one write in one attempt of its batch: a decision or an exception. */
  private record WriteResult<R>(
      QueuedWrite<R> write,
      @Nullable CallerDecision<R> callerDecision,
      @Nullable Throwable thrown) {

    void complete(Stamp stamp) {
      write.complete(callerDecision, thrown, stamp);
    }
  }

  /** The results of a batch's writes in one attempt. */
  public static final class BatchResult {

    private final Map<QueuedWrite<?>, WriteResult<?>> results = new IdentityHashMap<>();

    private BatchResult() {}
  }

  private final Update<Payload, CallerDecision<R>> update;
  private final Deadline deadline;
  private final Function<String, QuorumFailure> shortfall;
  private final boolean expectsNextWrite;
  private final CompletableFuture<WriteOutcome<R>> answer = new CompletableFuture<>();

  // Both fields are guarded by this object's lock; never both are true.
  private boolean begun;
  private boolean withdrawn;

  /**
   * @param shortfall the reason for an outcome that no response of a site explains, given its text
   */
  public QueuedWrite(
      Update<Payload, CallerDecision<R>> update,
      Deadline deadline,
      Function<String, QuorumFailure> shortfall) {
    this(update, deadline, shortfall, false);
  }

  /**
   * @param expectsNextWrite see {@link Update#expectsNextWrite}
   */
  public QueuedWrite(
      Update<Payload, CallerDecision<R>> update,
      Deadline deadline,
      Function<String, QuorumFailure> shortfall,
      boolean expectsNextWrite) {
    this.update = update;
    this.deadline = deadline;
    this.shortfall = shortfall;
    this.expectsNextWrite = expectsNextWrite;
  }

  /** Whether the caller will probably replace the value that it writes. */
  public boolean expectsNextWrite() {
    return expectsNextWrite;
  }

  /**
   * Several writes as one: each is applied to the result of the one before, and all take effect at
   * one point. A function that throws fails its own write and changes nothing. Withdrawn writes are
   * left out.
   */
  public static Update<Payload, BatchResult> inTurn(List<QueuedWrite<?>> writes) {
    return current -> {
      Payload value = current;
      boolean changed = false;
      BatchResult batchResult = new BatchResult();
      for (QueuedWrite<?> write : writes) {
        if (!write.begin()) {
          continue;
        }
        Decision<Payload, ?> decision = write.decide(value, batchResult);
        if (decision.writes()) {
          value = decision.value();
          changed = true;
        }
      }
      return changed ? Decision.write(value, batchResult) : Decision.keep(batchResult);
    };
  }

  /**
   * Marks the write as part of an attempt, which may write for it; false if the write was
   * withdrawn.
   */
  private synchronized boolean begin() {
    begun = !withdrawn;
    return begun;
  }

  @Override
  public synchronized boolean withdraw() {
    withdrawn = !begun;
    return withdrawn;
  }

  /** Decides, and adds the result; an exception keeps the value. */
  private Decision<Payload, ?> decide(@Nullable Payload current, BatchResult batchResult) {
    try {
      Decision<Payload, CallerDecision<R>> decision = update.decide(current);
      batchResult.results.put(this, new WriteResult<>(this, decision.result(), null));
      return decision;
    } catch (RuntimeException | Error thrown) {
      batchResult.results.put(this, new WriteResult<>(this, null, thrown));
      return Decision.keep(null);
    }
  }

  /** Answers the write, given the outcome of its batch. */
  public void complete(WriteOutcome<BatchResult> outcome) {
    if (outcome instanceof WriteOutcome.Applied<BatchResult> applied) {
      WriteResult<?> result = Objects.requireNonNull(applied.result()).results.get(this);
      if (result != null) { // Otherwise the write was withdrawn, and its caller has been answered.
        result.complete(applied.stamp());
      }
    } else if (outcome instanceof WriteOutcome.Refused<BatchResult> refused) {
      answer.complete(new WriteOutcome.Refused<>(refused.why()));
    } else if (outcome instanceof WriteOutcome.Unknown<BatchResult> unknown) {
      answer.complete(new WriteOutcome.Unknown<>(unknown.why()));
    } else {
      throw new AssertionError("a queued write has no outcome; outcome=" + outcome);
    }
  }

  private void complete(
      @Nullable CallerDecision<R> callerDecision, @Nullable Throwable thrown, Stamp stamp) {
    if (callerDecision == null) {
      failed(Objects.requireNonNull(thrown));
    } else {
      answer.complete(
          new WriteOutcome.Applied<>(callerDecision.result(), stamp, callerDecision.writes()));
    }
  }

  /** The outcome. Fails with the exception of the write's function; then nothing was written. */
  public CompletionStage<WriteOutcome<R>> answer() {
    return answer;
  }

  @Override
  public Deadline deadline() {
    return deadline;
  }

  @Override
  public void refused(String why) {
    answer.complete(new WriteOutcome.Refused<>(shortfall.apply(why)));
  }

  @Override
  public void unknown(String why) {
    answer.complete(new WriteOutcome.Unknown<>(shortfall.apply(why)));
  }

  @Override
  public void failed(Throwable cause) {
    answer.completeExceptionally(cause);
  }
}
