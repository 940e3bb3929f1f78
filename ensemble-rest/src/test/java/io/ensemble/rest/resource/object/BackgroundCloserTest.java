package io.ensemble.rest.resource.object;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.ensemble.rest.resource.context.BlockingTaskPool;
import java.time.Duration;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CountDownLatch;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** The caller never closes anything itself: it may be a thread that must not wait. */
@Timeout(180)
class BackgroundCloserTest {

  private final Set<Thread> closingThreads = ConcurrentHashMap.newKeySet();

  private void recordThread() {
    closingThreads.add(Thread.currentThread());
  }

  @Test
  void whatNoWorkerIsFreeForIsClosedWithTheNext() {
    try (BlockingTaskPool workers = new BlockingTaskPool(1, 0)) {
      BackgroundCloser closer = new BackgroundCloser(workers);
      CountDownLatch end = new CountDownLatch(1);
      workers.run("closeObjects", () -> awaitEnd(end));

      closer.close(this::recordThread);

      assertThat(closingThreads).isEmpty();
      assertThat(closer.pending()).isEqualTo(1);
      end.countDown();
      await()
          .atMost(Duration.ofSeconds(60))
          .until(
              () -> {
                if (closer.pending() == 1) {
                  closer.close(this::recordThread);
                }
                return closer.pending() == 0;
              });
      assertThat(closingThreads).isNotEmpty().doesNotContain(Thread.currentThread());
    }
  }

  @Test
  void aFailureToCloseKeepsNothingElseOpen() {
    try (BlockingTaskPool workers = new BlockingTaskPool(1, 1)) {
      BackgroundCloser closer = new BackgroundCloser(workers);

      closer.close(
          () -> {
            throw new IllegalStateException("as the test requires");
          });
      closer.close(
          () -> {
            throw new AssertionError("as the test requires");
          });
      closer.close(this::recordThread);

      await().atMost(Duration.ofSeconds(60)).until(() -> closer.pending() == 0);
      assertThat(closingThreads).hasSize(1).doesNotContain(Thread.currentThread());
    }
  }

  private static void awaitEnd(CountDownLatch end) {
    try {
      end.await();
    } catch (InterruptedException stopped) {
      Thread.currentThread().interrupt();
    }
  }
}
