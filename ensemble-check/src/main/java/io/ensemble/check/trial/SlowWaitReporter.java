package io.ensemble.check.trial;

import java.time.Duration;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;

/** Reports the present wait, and its begin, while it lasts long. Thread-safe. */
public final class SlowWaitReporter implements AutoCloseable {
  private record Stage(String what, long sinceNanos) {}

  private final Consumer<String> told;
  private final Duration every;
  private final CountDownLatch over = new CountDownLatch(1);
  private volatile Stage stage = new Stage("", System.nanoTime());

  /**
   * Begins to report.
   *
   * @param every the time before the first report, and between two reports
   */
  public SlowWaitReporter(Consumer<String> told, Duration every) {
    this.told = told;
    this.every = every;
    Thread teller = new Thread(this::tell, "check-waiting");
    teller.setDaemon(true);
    teller.start();
  }

  /** A new wait begins; the one before has ended. */
  public void begin(String what) {
    stage = new Stage(what, System.nanoTime());
  }

  /** Updates the description of the present wait. */
  public void goesOn(String what) {
    stage = new Stage(what, stage.sinceNanos());
  }

  private void tell() {
    try {
      while (!over.await(every.toMillis(), TimeUnit.MILLISECONDS)) {
        Stage now = stage;
        long nanos = System.nanoTime() - now.sinceNanos();
        if (nanos >= every.toNanos()) {
          told.accept("%s, for %d s".formatted(now.what(), TimeUnit.NANOSECONDS.toSeconds(nanos)));
        }
      }
    } catch (InterruptedException ended) {
      Thread.currentThread().interrupt();
    }
  }

  @Override
  public void close() {
    over.countDown();
  }
}
