package io.ensemble.versioning.listen;

import io.ensemble.objects.runtime.TimedExecutor;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ThreadPoolExecutor;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Makes the calls of one listener, one at a time, on a thread of its own; a call that throws is
 * repeated after a pause. After {@link #close} has returned, no call begins. Thread-safe.
 */
final class ListenerDispatcher {

  /**
   * A call.
   *
   * @param delivery calls the listener; may throw
   * @param afterDelivery runs after {@code delivery} has returned and before the next call begins
   */
  record Call(Runnable delivery, Runnable afterDelivery) {}

  private static final Logger LOG = LoggerFactory.getLogger(ListenerDispatcher.class);
  private static final Duration FIRST_PAUSE = Duration.ofMillis(100);
  private static final Duration LONGEST_PAUSE = Duration.ofSeconds(10);

  private final String cache;
  private final TimedExecutor timedExecutor;
  private final int repeats;
  private final ThreadPoolExecutor thread = DedicatedThreads.named("new-versions");
  private final CompletableFuture<Void> ended = new CompletableFuture<>();
  private boolean calling;
  private boolean closed;
  private @Nullable Throwable failure;
  private Runnable atClosing = () -> {};

  /**
   * Without calls.
   *
   * @param repeats how often a call that throws is repeated
   */
  ListenerDispatcher(String cache, TimedExecutor timedExecutor, int repeats) {
    this.cache = cache;
    this.timedExecutor = timedExecutor;
    this.repeats = repeats;
  }

  /** Sets the action to run when this dispatcher ends, for whatever reason. */
  void closed(Runnable then) {
    synchronized (this) {
      if (!closed) {
        atClosing = then;
        return;
      }
    }
    then.run();
  }

  /** Makes the calls, and runs {@code done} after the last one; makes none after closing. */
  void dispatch(List<Call> calls, Runnable done) {
    onThread(() -> from(calls, 0, 0, done));
  }

  private void onThread(Runnable task) {
    try {
      thread.execute(task);
    } catch (RejectedExecutionException e) {
      return; // The dispatcher is closed.
    }
  }

  private void from(List<Call> calls, int first, int repeated, Runnable done) {
    int before = repeated;
    for (int i = first; i < calls.size(); i++) {
      if (!begin()) {
        return;
      }
      Throwable thrown = callListener(calls.get(i));
      end();
      if (thrown != null) {
        retry(calls, i, before, done, thrown);
        return;
      }
      before = 0;
    }
    done.run();
  }

  private static @Nullable Throwable callListener(Call call) {
    try {
      call.delivery.run();
    } catch (Throwable thrown) { // For any exception, the version has not been delivered.
      return thrown;
    }
    call.afterDelivery.run();
    return null;
  }

  private void retry(List<Call> calls, int at, int repeated, Runnable done, Throwable thrown) {
    if (repeated == repeats) {
      LOG.error("A listener of new versions threw too often and is removed; cache={}", cache);
      end(thrown);
      return;
    }
    LOG.warn("A listener of new versions threw, retrying the event; cache={}", cache, thrown);
    Duration pause = pause(repeated);
    RepeatingTask.later(
        timedExecutor, pause, () -> onThread(() -> from(calls, at, repeated + 1, done)));
  }

  /** The pause after this number of repetitions. */
  static Duration pause(int repeated) {
    Duration doubled = FIRST_PAUSE.multipliedBy(1L << Math.min(repeated, 30));
    return doubled.compareTo(LONGEST_PAUSE) < 0 ? doubled : LONGEST_PAUSE;
  }

  private synchronized boolean begin() {
    calling = !closed;
    return calling;
  }

  private void end() {
    boolean last;
    synchronized (this) {
      calling = false;
      last = closed;
    }
    if (last) {
      finish();
    }
  }

  /** Ends the dispatcher, without waiting for a call in progress. */
  void close() {
    end(null);
  }

  /** Whether the dispatcher has ended. */
  synchronized boolean isClosed() {
    return closed;
  }

  private void end(@Nullable Throwable with) {
    boolean idle;
    Runnable then;
    synchronized (this) {
      if (closed) {
        return;
      }
      closed = true;
      failure = with;
      idle = !calling;
      then = atClosing;
    }
    thread.shutdown();
    then.run();
    if (idle) {
      finish();
    }
  }

  private void finish() {
    Throwable with;
    synchronized (this) {
      with = failure;
    }
    if (with == null) {
      ended.complete(null);
    } else {
      ended.completeExceptionally(with);
    }
  }

  /**
   * Completes when no call is made any more; fails with the exception that a call threw too often.
   */
  CompletionStage<Void> ended() {
    return ended.copy();
  }
}
