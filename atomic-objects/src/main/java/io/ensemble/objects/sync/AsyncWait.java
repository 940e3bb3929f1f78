package io.ensemble.objects.sync;

import io.ensemble.objects.AtomicObjectException.CallRefused;
import io.ensemble.objects.AtomicObjectException.CallUnknown;
import io.ensemble.objects.runtime.UnwrappedCause;
import io.ensemble.objects.sync.link.ObjectLink;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * The wait of one caller, which blocks no thread. It reads the object, and reads it again when the
 * object may have changed so that the awaited condition holds. The change is requested before the
 * read, so that no change is missed between them. Some changes may not be reported, so it also
 * reads from time to time. A read that fails counts as a read that found nothing.
 *
 * <p>Ends with the awaited result, at its deadline, or when the caller cancels the future.
 */
abstract class AsyncWait<S, R> {

  /** A change may not be reported, so the object is read again after this time. */
  private static final long LONGEST_PAUSE = 1_000_000_000;

  private final ObjectLink<S> link;
  private final long deadline;
  private final CompletableFuture<R> result = new CompletableFuture<>();
  private volatile boolean settling;

  /** The change that this wait awaits, completed at its end, so that nothing waits on. */
  private volatile CompletionStage<Void> change = CompletableFuture.completedFuture(null);

  AsyncWait(ObjectLink<S> link, Duration atMost) {
    this.link = link;
    this.deadline = link.now() + nanos(atMost);
  }

  /** Reads the object; empty if the awaited condition does not hold. */
  abstract CompletionStage<Optional<R>> readCondition();

  /** Whether a read is worthwhile, by a state that was reported. */
  abstract boolean isReadWorthwhile(S reported);

  /**
   * As {@link #isReadWorthwhile(Object)}.
   *
   * @param isCertain whether the object certainly had this state
   */
  boolean isReadWorthwhile(S reported, boolean isCertain) {
    return isReadWorthwhile(reported);
  }

  /** The deadline has passed: the result of the wait. */
  abstract CompletionStage<R> handleTimeout();

  /** The caller no longer waits. May be called again. */
  abstract void withdraw();

  /** The result exists, but the caller no longer waits for it. */
  abstract void discardResult(R value);

  /** The time in nanoseconds until the next action, even if the object does not change. */
  long nanosToNext() {
    return Long.MAX_VALUE;
  }

  /** Whether the wait continues after a read that failed in this way. */
  boolean isTransient(Throwable failure) {
    return failure instanceof CallRefused || failure instanceof CallUnknown;
  }

  /** Begins. Cancelling the future ends the wait, and undoes its request. */
  final CompletableFuture<R> begin() {
    result.whenComplete(
        (value, failure) -> {
          change.toCompletableFuture().complete(null);
          if (!settling) {
            withdraw();
          }
        });
    startRound(CompletableFuture.completedFuture(null));
    return result;
  }

  private void startRound(CompletionStage<Void> change) {
    readWithoutThrowing().whenComplete((found, failure) -> handleRead(found, failure, change));
  }

  private CompletionStage<Optional<R>> readWithoutThrowing() {
    try {
      return readCondition();
    } catch (RuntimeException e) {
      return CompletableFuture.failedFuture(e);
    }
  }

  private void handleRead(
      @Nullable Optional<R> found, @Nullable Throwable failure, CompletionStage<Void> change) {
    Throwable cause = failure == null ? null : UnwrappedCause.of(failure);
    if (found != null && found.isPresent()) {
      settle(found.get());
    } else if (result.isDone()) {
      withdraw();
    } else if (cause != null && (link.isClosed() || !isTransient(cause))) {
      fail(cause);
    } else if (link.now() - deadline >= 0) {
      handleDeadline(cause);
    } else {
      change.whenComplete((done, closed) -> continueWaiting(closed));
    }
  }

  private void continueWaiting(@Nullable Throwable closed) {
    if (result.isDone()) {
      withdraw();
    } else if (closed != null) {
      fail(UnwrappedCause.of(closed));
    } else {
      try {
        CompletionStage<Void> next = link.changed(pause(), this::isReadWorthwhile);
        change = next;
        startRound(next);
      } catch (RuntimeException e) {
        fail(e);
      }
    }
  }

  private long pause() {
    long toDo = Math.min(deadline - link.now(), nanosToNext());
    return Math.max(1, Math.min(LONGEST_PAUSE, toDo));
  }

  private void handleDeadline(@Nullable Throwable cause) {
    handleTimeout()
        .whenComplete(
            (value, failure) -> {
              if (failure != null) {
                fail(UnwrappedCause.of(failure));
              } else if (cause != null) {
                discardResult(value);
                fail(cause);
              } else {
                settle(value);
              }
            });
  }

  private void settle(R value) {
    settling = true;
    if (!result.complete(value)) {
      discardResult(value);
    }
  }

  private void fail(Throwable failure) {
    settling = true;
    withdraw();
    result.completeExceptionally(failure);
  }

  /** A time in the form of {@code java.util.concurrent}. */
  static Duration duration(long time, TimeUnit unit) {
    return Duration.ofNanos(unit.toNanos(time));
  }

  /** At most 100 years, so that no sum of two overflows. */
  static long nanos(Duration duration) {
    return duration.compareTo(Duration.ofDays(36_500)) > 0
        ? Duration.ofDays(36_500).toNanos()
        : Math.max(0, duration.toNanos());
  }
}
