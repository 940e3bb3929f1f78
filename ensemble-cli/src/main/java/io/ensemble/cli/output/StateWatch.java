package io.ensemble.cli.output;

import java.time.Duration;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import java.util.function.Supplier;

/**
 * Shows the progress of work that another thread waits for: its state, each time that it changes.
 * Ends when it is closed; an unknown state is not shown.
 */
public final class StateWatch implements AutoCloseable {

  /** Shorter waits show no progress. */
  public static final Duration INTERVAL = Duration.ofSeconds(3);

  private final Supplier<String> state;
  private final Consumer<String> progress;
  private final ScheduledExecutorService thread =
      Executors.newSingleThreadScheduledExecutor(
          task -> {
            Thread own = new Thread(task, "state-watch");
            own.setDaemon(true);
            return own;
          });
  private String shown = "";

  private StateWatch(Supplier<String> state, Consumer<String> progress) {
    this.state = state;
    this.progress = progress;
  }

  /**
   * Reads the state each {@code interval}, on a thread of its own.
   *
   * @param state may block, and fail
   */
  public static StateWatch of(
      Supplier<String> state, Consumer<String> progress, Duration interval) {
    StateWatch watch = new StateWatch(state, progress);
    watch.thread.scheduleWithFixedDelay(
        watch::poll, interval.toNanos(), interval.toNanos(), TimeUnit.NANOSECONDS);
    return watch;
  }

  private void poll() {
    try {
      String now = state.get();
      if (!now.equals(shown) && !thread.isShutdown()) {
        shown = now;
        progress.accept(now);
      }
    } catch (RuntimeException unknown) {
      shown = ""; // The next read may succeed.
    }
  }

  @Override
  public void close() {
    thread.shutdownNow();
  }
}
