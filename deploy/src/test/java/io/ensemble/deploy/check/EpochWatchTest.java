package io.ensemble.deploy.check;

import static org.assertj.core.api.Assertions.assertThat;

import io.ensemble.catalog.CatalogException;
import io.ensemble.catalog.CatalogException.Reason;
import java.util.Deque;
import java.util.concurrent.ConcurrentLinkedDeque;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(60)
class EpochWatchTest {

  @Test
  void looksOnWhereTheCatalogDoesNotAnswer() throws Exception {
    CountDownLatch seen = new CountDownLatch(1);
    Deque<Supplier<Long>> answers = new ConcurrentLinkedDeque<>();
    answers.add(() -> 1L);
    answers.add(
        () -> {
          throw new CatalogException(Reason.UNAVAILABLE, "ZooKeeper does not answer");
        });
    answers.add(() -> 2L);

    try (EpochWatch watch = EpochWatch.of(() -> next(answers, seen), System::nanoTime)) {
      assertThat(seen.await(30, TimeUnit.SECONDS)).as("it looks on").isTrue();
      assertThat(watch.changes()).extracting(WindowLine.Epoch::number).containsExactly(2L);
    }
  }

  /** Tells of having been asked once more than there are answers: all were noted by then. */
  private static long next(Deque<Supplier<Long>> answers, CountDownLatch seen) {
    Supplier<Long> answer = answers.poll();
    if (answer == null) {
      seen.countDown();
      return 2;
    }
    return answer.get();
  }
}
