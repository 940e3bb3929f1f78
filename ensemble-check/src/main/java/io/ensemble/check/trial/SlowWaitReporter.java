package io.ensemble.check.trial;

import java.time.Duration;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;

/** Tells what is waited for, and since when, while it goes on for long. Thread-safe. */
public final class SlowWaitReporter implements AutoCloseable {
  private record Stage(String what, long sinceNanos) {}

  private final Consumer<String> told;
  private final Duration every;
  private final CountDownLatch over = new CountDownLatch(1);
  private volatile Stage stage = new Stage("", System.nanoTime());

  /**
   * Begins to.
   *
   * @param every how long it is silent, and then between one word and the next
   */
  public SlowWaitReporter(Consumer<String> told, Duration every) {
    this.told = told;
    this.every = every;
    Thread teller = new Thread(this::tell, "check-waiting");
    teller.setDaemon(true);
    teller.start();
  }

  /** From now on this is waited for; what was before has ended. */
  public void begin(String what) {
    stage = new Stage(what, System.nanoTime());
  }

  /** More is known of what is waited for, which goes on. */
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
