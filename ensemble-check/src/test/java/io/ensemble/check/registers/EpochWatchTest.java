package io.ensemble.check.registers;

import static org.assertj.core.api.Assertions.assertThat;

import io.ensemble.catalog.record.CatalogException;
import io.ensemble.catalog.record.CatalogException.Reason;
import io.ensemble.check.report.WindowLine;
import java.util.Deque;
import java.util.concurrent.ConcurrentLinkedDeque;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
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

  @Test
  void whatHappensRightBeforeItIsClosedIsSeenThoughNobodyAnswersAtFirst() throws Exception {
    CountDownLatch looked = new CountDownLatch(1);
    AtomicLong epoch = new AtomicLong(1);
    AtomicInteger failures = new AtomicInteger();
    EpochWatch watch =
        EpochWatch.of(
            () -> {
              looked.countDown();
              if (failures.getAndDecrement() > 0) {
                throw new CatalogException(Reason.UNAVAILABLE, "ZooKeeper does not answer");
              }
              return epoch.get();
            },
            System::nanoTime);
    assertThat(looked.await(30, TimeUnit.SECONDS)).isTrue();

    failures.set(3);
    epoch.set(2);
    watch.close();

    assertThat(watch.changes()).extracting(WindowLine.Epoch::number).containsExactly(2L);
  }

  @Test
  void aWatchThatIsClosedAsksTwiceSinceAnAnswerMayBeToAnEarlierQuestion() throws Exception {
    CountDownLatch looked = new CountDownLatch(1);
    AtomicInteger asked = new AtomicInteger();
    AtomicBoolean closing = new AtomicBoolean();
    EpochWatch watch =
        EpochWatch.of(
            () -> {
              looked.countDown();
              return closing.get() && asked.incrementAndGet() > 1 ? 2L : 1L;
            },
            System::nanoTime);
    assertThat(looked.await(30, TimeUnit.SECONDS)).isTrue();

    closing.set(true);
    watch.close();

    assertThat(watch.changes()).extracting(WindowLine.Epoch::number).containsExactly(2L);
  }

  @Test
  void aWatchEndsWhereNobodyAnswers() throws Exception {
    EpochWatch watch =
        EpochWatch.of(
            () -> {
              throw new CatalogException(Reason.UNAVAILABLE, "ZooKeeper does not answer");
            },
            System::nanoTime);

    watch.close();

    assertThat(watch.changes()).isEmpty();
  }

  /** Counts down {@code seen} once all answers are used: the watch has recorded them by then. */
  private static long next(Deque<Supplier<Long>> answers, CountDownLatch seen) {
    Supplier<Long> answer = answers.poll();
    if (answer == null) {
      seen.countDown();
      return 2;
    }
    return answer.get();
  }
}
