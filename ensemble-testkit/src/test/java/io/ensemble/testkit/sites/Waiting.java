package io.ensemble.testkit.sites;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;

/** Waits for what comes about by itself. */
public final class Waiting {

  private static final long LOOK_MILLIS = 100;

  private Waiting() {}

  /** Returns as soon as {@code holds}; fails naming {@code what} when that takes too long. */
  public static void until(Supplier<Boolean> holds, Duration longest, String what) {
    long end = System.nanoTime() + longest.toNanos();
    CountDownLatch never = new CountDownLatch(1);
    while (!holds.get()) {
      assertThat(System.nanoTime() - end).as(what).isNegative();
      try {
        assertThat(never.await(LOOK_MILLIS, TimeUnit.MILLISECONDS)).isFalse();
      } catch (InterruptedException e) {
        Thread.currentThread().interrupt();
        throw new AssertionError("interrupted while waiting: " + what, e);
      }
    }
  }
}
