package io.ensemble.cli.output;

import java.time.Duration;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import java.util.function.Supplier;

/**
 * Shows how something gets on that another thread waits for: its state, each time that it changes.
 * Ends when it is closed; what cannot be known is not shown.
 */
public final class StateWatch implements AutoCloseable {

  /** Who waits for less need not be told. */
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
   * Looks each {@code interval}, on a thread of its own.
   *
   * @param state may wait, and fail
   */
  public static StateWatch of(
      Supplier<String> state, Consumer<String> progress, Duration interval) {
    StateWatch watch = new StateWatch(state, progress);
    watch.thread.scheduleWithFixedDelay(
        watch::look, interval.toNanos(), interval.toNanos(), TimeUnit.NANOSECONDS);
    return watch;
  }

  private void look() {
    try {
      String now = state.get();
      if (!now.equals(shown) && !thread.isShutdown()) {
        shown = now;
        progress.accept(now);
      }
    } catch (RuntimeException unknown) {
      shown = ""; // The next look may tell.
    }
  }

  @Override
  public void close() {
    thread.shutdownNow();
  }
}
