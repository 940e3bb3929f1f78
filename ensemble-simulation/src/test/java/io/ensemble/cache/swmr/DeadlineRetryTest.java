package io.ensemble.cache.swmr;

import static org.assertj.core.api.Assertions.assertThat;

import io.ensemble.QuorumFailure;
import io.ensemble.QuorumUnavailableException;
import io.ensemble.cache.CompletionCause;
import io.ensemble.schedule.Deadline;
import io.ensemble.schedule.ThreadScheduler;
import io.ensemble.simulation.SimScheduler;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.function.Supplier;
import org.junit.jupiter.api.Test;

/** Which failures are retried, how often, and when the deadline ends the retries. */
class DeadlineRetryTest {

  private static final long MILLIS = 1_000_000;

  private final SimScheduler scheduler = SimScheduler.ofSeed(5);
  private final List<Long> madeAt = new ArrayList<>();
  private boolean closed;
  private final DeadlineRetry deadlineRetry = new DeadlineRetry(scheduler, () -> closed);

  /** Makes the attempts in order; the last one is repeated. */
  @SafeVarargs
  private CompletableFuture<String> made(
      long deadlineMillis, Supplier<CompletionStage<Optional<String>>>... each) {
    Deadline deadline = new Deadline(scheduler.nanos() + deadlineMillis * MILLIS);
    return deadlineRetry
        .retryUntilDone(
            deadline,
            () -> {
              madeAt.add(scheduler.nanos() / MILLIS);
              return each[Math.min(madeAt.size(), each.length) - 1].get();
            },
            () -> CompletableFuture.completedFuture("too late"))
        .toCompletableFuture();
  }

  private static CompletionStage<Optional<String>> given(String what) {
    return CompletableFuture.completedFuture(Optional.of(what));
  }

  private static CompletionStage<Optional<String>> noMajority() {
    return CompletableFuture.failedFuture(
        new QuorumUnavailableException("c", new QuorumFailure(2, 3, Set.of(), Map.of())));
  }

  private static CompletionStage<Optional<String>> notKnown() {
    return CompletableFuture.failedFuture(new TermRecord.NotKnownException());
  }

  private static CompletionStage<Optional<String>> broken() {
    return CompletableFuture.failedFuture(new IllegalStateException("planted"));
  }

  private void pass(long millis) {
    scheduler.after(millis * MILLIS, () -> {}); // The clock advances only from task to task.
    scheduler.run(Duration.ofMillis(millis), 10_000);
  }

  @Test
  void whatMayPassIsTriedAgainAfterAPause() {
    CompletableFuture<String> done =
        made(
            1_000,
            DeadlineRetry::emptyResult,
            DeadlineRetryTest::noMajority,
            DeadlineRetryTest::notKnown,
            () -> given("at last"));
    pass(100);

    assertThat(done).isCompletedWithValue("at last");
    assertThat(madeAt).containsExactly(0L, 20L, 40L, 60L);
  }

  @Test
  void whatDoesNotPassEndsItAtOnce() {
    CompletableFuture<String> done =
        made(1_000, DeadlineRetryTest::broken, () -> given("never made"));
    pass(100);

    assertThat(done).isCompletedExceptionally();
    assertThat(CompletionCause.of(done.handle((given, failure) -> failure).join()))
        .isInstanceOf(IllegalStateException.class);
    assertThat(madeAt).hasSize(1);
  }

  @Test
  void noAttemptIsMadeThatTheDeadlineIsTooNearFor() {
    CompletableFuture<String> done = made(50, DeadlineRetry::emptyResult);
    pass(1_000);

    assertThat(done).isCompletedWithValue("too late");
    assertThat(madeAt).containsExactly(0L, 20L, 40L);
  }

  @Test
  void noneIsMadeAfterTheClose() {
    CompletableFuture<String> done = made(1_000, DeadlineRetry::emptyResult);
    pass(30);
    closed = true;
    pass(1_000);

    assertThat(done).isCompletedWithValue("too late");
    assertThat(madeAt).containsExactly(0L, 20L, 40L);
  }

  @Test
  void theEarlierOfTwoDeadlinesCounts() {
    Deadline deadline = new Deadline(scheduler.nanos() + 10 * MILLIS);

    assertThat(deadlineRetry.earlierOf(deadline, 20 * MILLIS)).isEqualTo(deadline);
    assertThat(deadlineRetry.earlierOf(deadline, 5 * MILLIS))
        .isEqualTo(new Deadline(scheduler.nanos() + 5 * MILLIS));
  }

  @Test
  void whatComesInTimeCountsAndWhatComesLaterDoesNot() {
    Deadline deadline = new Deadline(scheduler.nanos() + 10 * MILLIS);
    CompletableFuture<String> quick = new CompletableFuture<>();
    CompletableFuture<String> slow = new CompletableFuture<>();
    CompletableFuture<String> failing = new CompletableFuture<>();
    CompletableFuture<String> inTime = waited(deadline, quick);
    CompletableFuture<String> late = waited(deadline, slow);
    CompletableFuture<String> failed = waited(deadline, failing);

    pass(9);
    quick.complete("quick");
    failing.completeExceptionally(new IllegalStateException("planted"));
    assertThat(late).isNotDone();
    pass(1);
    slow.complete("slow");

    assertThat(inTime).isCompletedWithValue("quick");
    assertThat(late).isCompletedWithValue("unknown");
    assertThat(failed).isCompletedExceptionally();
    assertThat(waited(deadline, CompletableFuture.completedFuture("there")))
        .isCompletedWithValue("there");
  }

  @Test
  void nobodyWaitsForTheDeadlineOfWhatHasCome() {
    CompletableFuture<String> quick = new CompletableFuture<>();
    waited(new Deadline(scheduler.nanos() + 60_000 * MILLIS), quick);
    quick.complete("quick");

    assertThat(scheduler.run(Duration.ofMinutes(2), 10)).isEqualTo(SimScheduler.RunEnd.IDLE);
    assertThat(scheduler.nanos()).as("no timer was left").isLessThan(60_000 * MILLIS);
  }

  private CompletableFuture<String> waited(Deadline deadline, CompletionStage<String> stage) {
    return deadlineRetry.awaitWithin(deadline, stage, "unknown").toCompletableFuture();
  }

  /** After the scheduler has ended, calls complete with the result for a missed deadline. */
  @Test
  void anEndedSchedulerIsAsTheDeadline() {
    ThreadScheduler ended = new ThreadScheduler(1);
    Deadline deadline = Deadline.after(Duration.ofMinutes(1), ended);
    ended.close();
    DeadlineRetry last = new DeadlineRetry(ended, () -> false);

    assertThat(last.awaitWithin(deadline, new CompletableFuture<>(), "unknown"))
        .isCompletedWithValue("unknown");
    assertThat(
            last.retryUntilDone(
                deadline,
                DeadlineRetry::emptyResult,
                () -> CompletableFuture.completedFuture("too late")))
        .isCompletedWithValue("too late");
  }
}
