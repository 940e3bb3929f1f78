package io.ensemble.schedule;

import java.util.concurrent.Executor;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * Runs tasks now or later and tells the time. The production scheduler owns threads; the simulated
 * one owns a virtual clock and runs everything on the caller's thread, in an order that its seed
 * decides. Tasks must not block.
 */
public interface Scheduler extends Executor {

  /** A monotonic clock, in nanoseconds, meaningful as differences only. */
  long nanos();

  /** The wall clock, in microseconds since 1970. May jump. */
  long epochMicros();

  /** Runs {@code task} once, {@code delayNanos} from now or soon after, unless cancelled first. */
  Timer after(long delayNanos, Runnable task);

  /**
   * Where the answers to what the calling thread asks for should be handled: on that thread while
   * it waits inside a blocking call, else on this scheduler. Never rejects while this does not.
   */
  default Executor answers() {
    return this;
  }

  /**
   * Whether the calling thread is where {@code answers}, which {@link #answers()} gave, runs what
   * it is handed: handing over to it would be a detour.
   */
  default boolean isOn(Executor answers) {
    return true;
  }

  /**
   * Runs code of users, who may wait in it though they should not: what they ask for is answered on
   * this scheduler, never on their own thread.
   */
  default <T extends @Nullable Object> T aside(Supplier<T> code) {
    return code.get();
  }

  /**
   * Whether the calling thread is one that runs this scheduler's tasks, or waits inside a blocking
   * call and runs what an answer brought: blocking it could wait for itself.
   */
  default boolean ownsCurrentThread() {
    return false;
  }

  /** A task that was scheduled for later. */
  @FunctionalInterface
  interface Timer {

    /** Forgets the task; without effect when it has run. */
    void cancel();
  }
}
