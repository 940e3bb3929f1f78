package io.ensemble.versioning.drive;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Queue;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

class ParallelReadsTest {

  private static final int MANY = 10_000;

  private final Set<Integer> numbers = IntStream.range(0, MANY).boxed().collect(Collectors.toSet());

  @Test
  void noMoreThanSoManyAreUnderWay() {
    Queue<Runnable> answers = new ConcurrentLinkedQueue<>();
    AtomicInteger inProgress = new AtomicInteger();

    CompletionStage<Map<Integer, String>> all =
        ParallelReads.all(
            numbers,
            n -> {
              CompletableFuture<String> answer = new CompletableFuture<>();
              assertThat(inProgress.incrementAndGet()).isLessThanOrEqualTo(ParallelReads.SIZE);
              answers.add(
                  () -> {
                    inProgress.decrementAndGet();
                    answer.complete("of " + n);
                  });
              return answer;
            });
    assertThat(answers).hasSize(ParallelReads.SIZE);
    for (Runnable next = answers.poll(); next != null; next = answers.poll()) {
      next.run();
    }

    assertThat(all.toCompletableFuture().join()).hasSize(MANY).containsEntry(7, "of 7");
  }

  @Test
  void whatIsThereAtOnceDoesNotDeepenTheStack() {
    CompletionStage<Map<Integer, Integer>> all =
        ParallelReads.all(numbers, CompletableFuture::completedFuture);

    assertThat(all.toCompletableFuture().join()).hasSize(MANY);
    assertThat(ParallelReads.all(Set.of(), CompletableFuture::completedFuture))
        .isCompletedWithValue(Map.of());
  }

  @Test
  void theFirstFailureEndsIt() {
    AtomicInteger asked = new AtomicInteger();

    CompletionStage<Map<Integer, Integer>> all =
        ParallelReads.all(
            numbers,
            n -> {
              if (asked.incrementAndGet() == 5) {
                throw new IllegalStateException("no");
              }
              return CompletableFuture.completedFuture(n);
            });

    assertThatThrownBy(() -> all.toCompletableFuture().join())
        .hasRootCauseInstanceOf(IllegalStateException.class);
    assertThat(asked).hasValueLessThan(10);
  }

  /** A number that one thread puts slowly into a map. */
  private record Slow(int number, Thread thread, CountDownLatch come, CountDownLatch goOn) {

    @Override
    public int hashCode() {
      if (Thread.currentThread() == thread) {
        come.countDown();
        try {
          goOn.await();
        } catch (InterruptedException e) {
          throw new AssertionError("nobody interrupts it", e);
        }
      }
      return number;
    }

    @Override
    public boolean equals(Object other) {
      return this == other;
    }
  }

  @Test
  void theLastToAnswerWaitsForWhatOthersPutAway() throws Exception {
    CompletableFuture<String> early = new CompletableFuture<>();
    CompletableFuture<String> late = new CompletableFuture<>();
    Thread slow = new Thread(() -> early.complete("early"));
    CountDownLatch come = new CountDownLatch(1);
    CountDownLatch goOn = new CountDownLatch(1);
    Slow one = new Slow(1, slow, come, goOn);
    Slow two = new Slow(2, slow, come, goOn);
    CompletableFuture<Map<Slow, String>> all =
        ParallelReads.all(new LinkedHashSet<>(List.of(one, two)), s -> s == one ? early : late)
            .toCompletableFuture();
    CompletableFuture<Integer> found = all.thenApply(Map::size);

    slow.start();
    come.await();
    late.complete("late");
    goOn.countDown();
    slow.join();

    assertThat(found).isCompletedWithValue(2);
  }
}
