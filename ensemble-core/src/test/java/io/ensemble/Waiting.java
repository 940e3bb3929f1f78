package io.ensemble;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.function.BooleanSupplier;

/** For what others do on their own threads. */
final class Waiting {

  private Waiting() {}

  /** Comes back when it holds; who calls this has a timeout. */
  static void until(BooleanSupplier holds) throws InterruptedException {
    CountDownLatch never = new CountDownLatch(1);
    while (!holds.getAsBoolean()) {
      assertThat(never.await(20, TimeUnit.MILLISECONDS)).isFalse();
    }
  }
}
