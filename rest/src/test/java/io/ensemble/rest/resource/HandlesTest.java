package io.ensemble.rest.resource;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** What is kept open, and let go. */
@Timeout(30)
class HandlesTest {

  private final CountDownLatch closed = new CountDownLatch(1);
  private final AutoCloseable handle = closed::countDown;

  @Test
  void oneThatIsDroppedWhileItIsUsedIsClosedWhenItsLastUserLeaves() throws Exception {
    try (Workers workers = new Workers(1, 1);
        Handles<AutoCloseable> handles = new Handles<>("handles", 1, workers)) {
      CompletableFuture<Void> using = new CompletableFuture<>();
      CountDownLatch used = new CountDownLatch(1);
      handles.with(
          "a",
          () -> handle,
          one -> {
            used.countDown();
            return using;
          });
      assertThat(used.await(20, TimeUnit.SECONDS)).isTrue();

      handles.forget("a");

      assertThat(closed.getCount()).isEqualTo(1);
      using.complete(null);
      assertThat(closed.await(20, TimeUnit.SECONDS)).isTrue();
    }
  }
}
