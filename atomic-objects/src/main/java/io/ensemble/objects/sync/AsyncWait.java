package io.ensemble.objects.sync;

import io.ensemble.objects.AtomicObjectException.CallRefused;
import io.ensemble.objects.AtomicObjectException.CallUnknown;
import io.ensemble.objects.runtime.UnwrappedCause;
import io.ensemble.objects.sync.link.ObjectLink;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import org.jspecify.annotations.Nullable;

/**
 * One caller's wait, which holds no thread: it looks, and looks again when the object may have
 * changed so that what it waits for is there. The change is asked for before the look, so that none
 * falls between them. Where changes are not told it looks after pauses that grow; where they are,
 * the odd one may still be lost, so it looks all the same from time to time. A look that fails is
 * one that saw nothing.
 *
 * <p>Ends with what was waited for, or the time, or because the caller cancels the future.
 */
abstract class AsyncWait<S, R> {

  private static final long FIRST_PAUSE = 2_000_000;
  private static final long LONGEST_PAUSE = 250_000_000;
  private static final long PAUSE_WITH_EVENTS = 1_000_000_000;

  private final ObjectLink<S> link;
  private final long deadline;
  private final CompletableFuture<R> result = new CompletableFuture<>();
  private long pause = FIRST_PAUSE;
  private volatile boolean settling;

  AsyncWait(ObjectLink<S> link, Duration atMost) {
    this.link = link;
    this.deadline = link.now() + nanos(atMost);
  }

  /** Empty if what is waited for is not there. */
  abstract CompletionStage<Optional<R>> look();

  /** Whether a look is worth while, by what was told of the state. */
  abstract boolean mayBeThere(S told);

  /** The time is up: what the wait comes to. */
  abstract CompletionStage<R> timeUp();

  /** Nobody waits any more. May be called again. */
  abstract void abandoned();

  /** It is there, and nobody takes it. */
  abstract void undelivered(R value);

  /** In how many nanoseconds there is something to do even if nothing changes. */
  long nanosToNext() {
    return Long.MAX_VALUE;
  }

  /** Whether the wait goes on after a look that failed so. */
  boolean isPassing(Throwable failure) {
    return failure instanceof CallRefused || failure instanceof CallUnknown;
  }

  /** Begins. Cancelling the future ends the wait, and leaves nothing behind. */
  final CompletableFuture<R> begin() {
    result.whenComplete(
        (value, failure) -> {
          if (!settling) {
            abandoned();
          }
        });
    round(CompletableFuture.completedFuture(null));
    return result;
  }

  private void round(CompletionStage<Void> change) {
    looked().whenComplete((found, failure) -> heard(found, failure, change));
  }

  private CompletionStage<Optional<R>> looked() {
    try {
      return look();
    } catch (RuntimeException e) {
      return CompletableFuture.failedFuture(e);
    }
  }

  private void heard(
      @Nullable Optional<R> found, @Nullable Throwable failure, CompletionStage<Void> change) {
    Throwable trouble = failure == null ? null : UnwrappedCause.of(failure);
    if (found != null && found.isPresent()) {
      settle(found.get());
    } else if (result.isDone()) {
      abandoned();
    } else if (trouble != null && (link.isClosed() || !isPassing(trouble))) {
      fail(trouble);
    } else if (link.now() - deadline >= 0) {
      end(trouble);
    } else {
      change.whenComplete((done, closed) -> again(closed));
    }
  }

  private void again(@Nullable Throwable closed) {
    if (result.isDone()) {
      abandoned();
    } else if (closed != null) {
      fail(UnwrappedCause.of(closed));
    } else {
      try {
        round(link.changed(pause(), this::mayBeThere));
      } catch (RuntimeException e) {
        fail(e);
      }
    }
  }

  private long pause() {
    long usual = link.hasEvents() ? PAUSE_WITH_EVENTS : pause;
    pause = Math.min(2 * pause, LONGEST_PAUSE);
    long toDo = Math.min(deadline - link.now(), nanosToNext());
    return Math.max(1, Math.min(usual, toDo));
  }

  private void end(@Nullable Throwable trouble) {
    timeUp()
        .whenComplete(
            (value, failure) -> {
              if (failure != null) {
                fail(UnwrappedCause.of(failure));
              } else if (trouble != null) {
                undelivered(value);
                fail(trouble);
              } else {
                settle(value);
              }
            });
  }

  private void settle(R value) {
    settling = true;
    if (!result.complete(value)) {
      undelivered(value);
    }
  }

  private void fail(Throwable failure) {
    settling = true;
    abandoned();
    result.completeExceptionally(failure);
  }

  /** So far ahead that it is for ever, and no sum of two overflows. */
  static long nanos(Duration duration) {
    return duration.compareTo(Duration.ofDays(36_500)) > 0
        ? Duration.ofDays(36_500).toNanos()
        : Math.max(0, duration.toNanos());
  }
}
