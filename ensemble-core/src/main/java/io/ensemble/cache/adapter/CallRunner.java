package io.ensemble.cache.adapter;

import io.ensemble.CacheDeletedException;
import io.ensemble.ClockSkewException;
import io.ensemble.QuorumUnavailableException;
import io.ensemble.UnknownOutcomeException;
import io.ensemble.WriteOutcome;
import io.ensemble.WriterPresentException;
import io.ensemble.cache.CacheEngine;
import io.ensemble.cache.CacheMetrics.OperationOutcome;
import io.ensemble.cache.CompletionCause;
import io.ensemble.cache.recording.RecordingEngine;
import io.ensemble.schedule.Deadline;
import io.ensemble.schedule.RequestListener;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.Executor;
import java.util.concurrent.RejectedExecutionException;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * The frame around each call on a view. The cache must be open; the call has one deadline and is
 * measured. The call returns a future of its own, on which nothing inside depends, with failures
 * unwrapped.
 *
 * @param longest how long a call may take
 */
record CallRunner(CacheContext session, Duration longest) {

  /** The engine to call now; fails with {@link IllegalStateException} once the cache is closed. */
  CacheEngine engine() {
    session.open().check(session.definition().name());
    return session.engine();
  }

  /**
   * As {@link #engine()}, for calls of a user on single keys: they pass through the layer of the
   * view, and what the layer passes on is recorded if the cache is.
   */
  CacheEngine forKeys() {
    return session.layer().around(recorded());
  }

  /** As {@link #engine()}, for calls of a user on single keys that must not be answered nearby. */
  CacheEngine recorded() {
    CacheEngine engine = engine();
    return session.metrics().observed() ? new RecordingEngine(engine, session.metrics()) : engine;
  }

  /**
   * The deadline of a call that begins now. The requests for a call on a distributed cache are made
   * by its parts, and reported as requests of the distributed cache too.
   */
  Deadline deadline() {
    Deadline deadline = Deadline.after(longest, session.scheduler());
    return session.metrics().observed() && session.engine() instanceof PartitionedEngine
        ? deadline.reportingTo(session.metrics().requestObserver())
        : deadline;
  }

  /** Runs a call that does not write; {@code answer} converts the result of {@code stage}. */
  <T, R> CompletableFuture<R> read(
      String operation, CompletionStage<T> stage, Function<? super T, ? extends R> answer) {
    return ended(operation, stage, answer, result -> OperationOutcome.APPLIED);
  }

  /** Runs a call that may write. */
  <R> CompletableFuture<WriteOutcome<R>> write(
      String operation, CompletionStage<WriteOutcome<R>> stage) {
    return ended(operation, stage, outcome -> outcome, CallRunner::ending);
  }

  private <T, R> CompletableFuture<R> ended(
      String operation,
      CompletionStage<T> stage,
      Function<? super T, ? extends R> answer,
      Function<? super R, OperationOutcome> ending) {
    long start = session.metrics().enabled() ? session.scheduler().nanos() : 0;
    Executor answers = session.scheduler().answers();
    CompletableFuture<R> own = new CompletableFuture<>();
    RequestListener witness = RequestListener.current();
    stage.whenComplete(
        (found, failure) -> {
          Runnable answered = () -> end(operation, found, failure, answer, ending, start, own);
          // Requests that a continuation of the caller sends are reported to the same listener.
          Runnable end = witness == null ? answered : () -> witness.run(answered);
          if (session.scheduler().isOn(answers)) {
            end.run();
          } else {
            handOver(end, answers);
          }
        });
    return own;
  }

  /**
   * The thread that brings the response may belong to a caller of another operation. Such a thread
   * must not run the continuations of this caller.
   */
  private static void handOver(Runnable end, Executor answers) {
    try {
      answers.execute(end);
    } catch (RejectedExecutionException ended) {
      end.run();
    }
  }

  private <T, R> void end(
      String operation,
      T found,
      @Nullable Throwable thrown,
      Function<? super T, ? extends R> answer,
      Function<? super R, OperationOutcome> ending,
      long start,
      CompletableFuture<R> own) {
    Throwable failure = thrown;
    if (failure == null) {
      try {
        R result = answer.apply(found);
        OperationOutcome how = ending.apply(result);
        measure(operation, how, start);
        if (how == OperationOutcome.REFUSED && session.open().isDeleted()) {
          own.completeExceptionally(deleted(null));
        } else {
          own.complete(result);
        }
        return;
      } catch (RuntimeException | Error e) {
        failure = e;
      }
    }
    Throwable cause = CompletionCause.of(failure);
    measure(operation, endingOf(cause), start);
    boolean inVain = cause instanceof QuorumUnavailableException;
    own.completeExceptionally(inVain && session.open().isDeleted() ? deleted(cause) : cause);
  }

  /**
   * A call that fails because the cache was deleted meanwhile reports the deletion as the reason.
   */
  private CacheDeletedException deleted(@Nullable Throwable cause) {
    CacheDeletedException why = new CacheDeletedException(session.definition().name());
    why.initCause(cause);
    return why;
  }

  private void measure(String operation, OperationOutcome ending, long start) {
    if (session.metrics().enabled()) {
      session.metrics().operation(operation, ending, session.scheduler().nanos() - start);
    }
  }

  private static OperationOutcome endingOf(Throwable failure) {
    if (failure instanceof QuorumUnavailableException
        || failure instanceof WriterPresentException) {
      return OperationOutcome.REFUSED;
    }
    if (failure instanceof ClockSkewException) {
      return OperationOutcome.SUPERSEDED;
    }
    return failure instanceof UnknownOutcomeException
        ? OperationOutcome.UNKNOWN
        : OperationOutcome.FAILED;
  }

  private static OperationOutcome ending(WriteOutcome<?> outcome) {
    if (outcome instanceof WriteOutcome.Applied<?>) {
      return OperationOutcome.APPLIED;
    }
    if (outcome instanceof WriteOutcome.Superseded<?>) {
      return OperationOutcome.SUPERSEDED;
    }
    return outcome instanceof WriteOutcome.Refused<?>
        ? OperationOutcome.REFUSED
        : OperationOutcome.UNKNOWN;
  }
}
