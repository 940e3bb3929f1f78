package io.ensemble.check.trial;

import java.time.Duration;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;

/** Reports the present wait, and its begin, while it lasts long. Thread-safe. */
public final class SlowWaitReporter implements AutoCloseable {
  private record WaitStage(String what, long sinceNanos) {}

  private final Consumer<String> reporter;
  private final Duration every;
  private final CountDownLatch waitEnded = new CountDownLatch(1);
  private volatile WaitStage stage = new WaitStage("", System.nanoTime());

  /**
   * Begins to report.
   *
   * @param every the time before the first report, and between two reports
   */
  public SlowWaitReporter(Consumer<String> reporter, Duration every) {
    this.reporter = reporter;
    this.every = every;
    Thread thread = new Thread(this::reportUntilEnd, "check-waiting");
    thread.setDaemon(true);
    thread.start();
  }

  /** A new wait begins; the one before has ended. */
  public void begin(String what) {
    stage = new WaitStage(what, System.nanoTime());
  }

  /** Updates the description of the present wait. */
  public void setStage(String what) {
    stage = new WaitStage(what, stage.sinceNanos());
  }

  private void reportUntilEnd() {
    try {
      while (!waitEnded.await(every.toMillis(), TimeUnit.MILLISECONDS)) {
        WaitStage now = stage;
        long nanos = System.nanoTime() - now.sinceNanos();
        if (nanos >= every.toNanos()) {
          reporter.accept(
              "%s, for %d s".formatted(now.what(), TimeUnit.NANOSECONDS.toSeconds(nanos)));
        }
      }
    } catch (InterruptedException ended) {
      Thread.currentThread().interrupt();
    }
  }

  @Override
  public void close() {
    waitEnded.countDown();
  }
}
