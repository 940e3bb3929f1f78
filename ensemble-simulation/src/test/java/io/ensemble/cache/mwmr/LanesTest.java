package io.ensemble.cache.mwmr;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import io.ensemble.cache.quorum.PerKeyQueue;
import io.ensemble.schedule.Deadline;
import io.ensemble.simulation.SimScheduler;
import io.ensemble.site.Bytes;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import org.junit.jupiter.api.Test;

/** Writers of one key take turns, and each wait ends by its deadline. */
class LanesTest {

  private static final Bytes KEY = Bytes.of("k".getBytes(UTF_8));
  private static final Bytes OTHER = Bytes.of("o".getBytes(UTF_8));

  private final SimScheduler scheduler = SimScheduler.ofSeed(1);
  private final PerKeyQueue perKeyQueue = new PerKeyQueue(scheduler);
  private final List<String> log = new ArrayList<>();

  private CompletableFuture<String> take(Bytes key, CompletionStage<String> task, String name) {
    return perKeyQueue
        .take(
            key,
            new Deadline(scheduler.nanos() + 1_000_000_000),
            () -> {
              log.add(name);
              return task;
            },
            why -> "abandoned: " + why)
        .toCompletableFuture();
  }

  private void pass(long millis) {
    scheduler.run(Duration.ofMillis(millis), 1_000_000);
  }

  @Test
  void turnsComeInOrderAndKeysDoNotWaitForEachOther() {
    CompletableFuture<String> first = new CompletableFuture<>();
    CompletableFuture<String> one = take(KEY, first, "one");
    CompletableFuture<String> two = take(KEY, CompletableFuture.completedFuture("b"), "two");
    CompletableFuture<String> three = take(KEY, CompletableFuture.completedFuture("c"), "three");
    CompletableFuture<String> other = take(OTHER, CompletableFuture.completedFuture("o"), "other");
    pass(1);
    assertThat(log).containsExactly("one", "other");
    assertThat(other).isCompletedWithValue("o");
    assertThat(perKeyQueue.size()).isEqualTo(1);

    first.complete("a");
    pass(1);

    assertThat(log).containsExactly("one", "other", "two", "three");
    assertThat(one).isCompletedWithValue("a");
    assertThat(two).isCompletedWithValue("b");
    assertThat(three).isCompletedWithValue("c");
    assertThat(perKeyQueue.size()).isZero();
  }

  @Test
  void oneMoreThanTheLimitIsRefusedAtOnce() {
    CompletableFuture<String> first = new CompletableFuture<>();
    List<CompletableFuture<String>> waiting = new ArrayList<>();
    take(KEY, first, "first");
    for (int i = 0; i < PerKeyQueue.LIMIT; i++) {
      waiting.add(take(KEY, CompletableFuture.completedFuture("done"), "waiting"));
    }

    CompletableFuture<String> refused =
        take(KEY, CompletableFuture.completedFuture("x"), "refused");

    assertThat(refused).isCompletedWithValueMatching(answer -> answer.contains("1024 writers"));
    assertThat(waiting).noneMatch(CompletableFuture::isDone);
    first.complete("first");
    pass(1);
    assertThat(waiting).allSatisfy(each -> assertThat(each).isCompletedWithValue("done"));
    assertThat(perKeyQueue.size()).isZero();
    assertThat(log).hasSize(PerKeyQueue.LIMIT + 1).doesNotContain("refused");
  }

  @Test
  void aTurnThatDoesNotComeByTheDeadlineIsAbandoned() {
    CompletableFuture<String> first = new CompletableFuture<>();
    take(KEY, first, "first");
    CompletableFuture<String> late = take(KEY, CompletableFuture.completedFuture("x"), "late");
    pass(999);
    assertThat(late).isNotDone();

    pass(2);

    assertThat(late)
        .isCompletedWithValueMatching(answer -> answer.contains("waited for other writers"));
    first.complete("done");
    pass(5_000);
    assertThat(log).containsExactly("first");
    assertThat(perKeyQueue.size()).isZero();
  }

  @Test
  void whatATaskThrowsEndsItsTurnOnly() {
    CompletableFuture<String> thrown =
        perKeyQueue
            .<String>take(
                KEY,
                new Deadline(1_000_000_000),
                () -> {
                  throw new IllegalStateException("no");
                },
                why -> why)
            .toCompletableFuture();
    CompletableFuture<String> failed =
        take(KEY, CompletableFuture.failedFuture(new IllegalStateException("neither")), "failed");
    CompletableFuture<String> next = take(KEY, CompletableFuture.completedFuture("done"), "next");
    pass(1);

    assertThat(thrown).isCompletedExceptionally();
    assertThat(failed).isCompletedExceptionally();
    assertThat(next).isCompletedWithValue("done");
    assertThat(perKeyQueue.size()).isZero();
  }

  @Test
  void closingAbandonsTheWaitingTurns() {
    CompletableFuture<String> first = new CompletableFuture<>();
    CompletableFuture<String> running = take(KEY, first, "first");
    CompletableFuture<String> waiting = take(KEY, CompletableFuture.completedFuture("x"), "x");

    perKeyQueue.close();

    assertThat(waiting).isCompletedWithValueMatching(answer -> answer.contains("abandoned"));
    assertThat(running).isNotDone();
    first.complete("done");
    assertThat(running).isCompletedWithValue("done");
    assertThat(take(OTHER, first, "after"))
        .isCompletedWithValueMatching(answer -> answer.contains("closed"));
    assertThat(perKeyQueue.size()).isZero();
  }
}
