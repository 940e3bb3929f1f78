package io.ensemble.versioning.drive;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.Map;
import java.util.Queue;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

class WindowTest {

  private static final int MANY = 10_000;

  private final Set<Integer> numbers = IntStream.range(0, MANY).boxed().collect(Collectors.toSet());

  @Test
  void noMoreThanSoManyAreUnderWay() {
    Queue<Runnable> answers = new ConcurrentLinkedQueue<>();
    AtomicInteger underWay = new AtomicInteger();

    CompletionStage<Map<Integer, String>> all =
        Window.all(
            numbers,
            n -> {
              CompletableFuture<String> answer = new CompletableFuture<>();
              assertThat(underWay.incrementAndGet()).isLessThanOrEqualTo(Window.SIZE);
              answers.add(
                  () -> {
                    underWay.decrementAndGet();
                    answer.complete("of " + n);
                  });
              return answer;
            });
    assertThat(answers).hasSize(Window.SIZE);
    for (Runnable next = answers.poll(); next != null; next = answers.poll()) {
      next.run();
    }

    assertThat(all.toCompletableFuture().join()).hasSize(MANY).containsEntry(7, "of 7");
  }

  @Test
  void whatIsThereAtOnceDoesNotDeepenTheStack() {
    CompletionStage<Map<Integer, Integer>> all =
        Window.all(numbers, CompletableFuture::completedFuture);

    assertThat(all.toCompletableFuture().join()).hasSize(MANY);
    assertThat(Window.all(Set.of(), CompletableFuture::completedFuture))
        .isCompletedWithValue(Map.of());
  }

  @Test
  void theFirstFailureEndsIt() {
    AtomicInteger asked = new AtomicInteger();

    CompletionStage<Map<Integer, Integer>> all =
        Window.all(
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
}
