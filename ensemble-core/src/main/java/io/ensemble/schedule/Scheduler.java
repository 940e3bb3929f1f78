package io.ensemble.schedule;

import java.util.concurrent.Executor;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * Runs tasks now or later and provides the time. The production scheduler owns threads. The
 * simulated one owns a virtual clock and runs everything on the caller's thread, in an order that
 * its seed decides. Tasks must not block.
 */
public interface Scheduler extends Executor {

  /** A monotonic clock, in nanoseconds, meaningful as differences only. */
  long nanos();

  /** The wall clock, in microseconds since 1970. May jump. */
  long epochMicros();

  /** Runs {@code task} once, {@code delayNanos} from now or soon after, unless cancelled first. */
  Timer after(long delayNanos, Runnable task);

  /**
   * The executor that should handle the responses to requests of the calling thread: that thread
   * while it waits inside a blocking call, otherwise this scheduler. Never rejects a task while
   * this scheduler does not.
   */
  default Executor answers() {
    return this;
  }

  /**
   * Whether the calling thread is the one on which {@code answers}, a result of {@link #answers()},
   * runs its tasks. Passing a task to the executor would then be a detour.
   */
  default boolean isOn(Executor answers) {
    return true;
  }

  /**
   * Runs code of users, which may wait although it should not. Responses to requests of this code
   * are handled on this scheduler, never on the calling thread.
   */
  default <T extends @Nullable Object> T aside(Supplier<T> code) {
    return code.get();
  }

  /**
   * Whether the calling thread runs this scheduler's tasks, or waits inside a blocking call and
   * runs the task of a response. If such a thread blocked, it could wait for itself.
   */
  default boolean ownsCurrentThread() {
    return false;
  }

  /** A task that was scheduled for later. */
  @FunctionalInterface
  interface Timer {

    /** Cancels the task; without effect when it has run. */
    void cancel();
  }
}
