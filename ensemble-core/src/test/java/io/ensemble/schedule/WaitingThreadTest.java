package io.ensemble.schedule;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(30)
class WaitingThreadTest {

  private static final long LONG = TimeUnit.SECONDS.toNanos(20);

  private final ThreadScheduler scheduler = new ThreadScheduler(2);

  @AfterEach
  void close() {
    scheduler.close();
  }

  @Test
  void whatAnswersBringIsDoneOnTheThreadThatWaits() throws Exception {
    List<Thread> ran = new ArrayList<>();

    CompletableFuture<String> answer =
        WaitingThread.await(
            () -> {
              Executor answers = scheduler.answers();
              CompletableFuture<String> reply = new CompletableFuture<>();
              scheduler.execute(
                  () -> {
                    answers.execute(() -> ran.add(Thread.currentThread()));
                    answers.execute(() -> reply.complete("done"));
                  });
              return reply;
            },
            scheduler,
            LONG);

    assertThat(answer).isCompletedWithValue("done");
    assertThat(ran).containsExactly(Thread.currentThread());
    assertThat(scheduler.answers()).isSameAs(scheduler);
  }

  @Test
  void whatComesLateGoesToTheScheduler() throws Exception {
    Executor[] answers = new Executor[1];
    CompletableFuture<Thread> leftBehind = new CompletableFuture<>();
    CompletableFuture<Thread> late = new CompletableFuture<>();

    WaitingThread.await(
        () -> {
          answers[0] = scheduler.answers();
          answers[0].execute(() -> leftBehind.complete(Thread.currentThread()));
          return CompletableFuture.completedFuture(1);
        },
        scheduler,
        LONG);
    answers[0].execute(() -> late.complete(Thread.currentThread()));

    assertThat(leftBehind.get(20, TimeUnit.SECONDS).getName()).startsWith("ensemble-");
    assertThat(late.get(20, TimeUnit.SECONDS).getName()).startsWith("ensemble-");
  }

  @Test
  void noTaskIsLostWhileTheThreadLeaves() throws Exception {
    for (int round = 0; round < 2_000; round++) {
      CompletableFuture<Void> task = new CompletableFuture<>();
      WaitingThread.await(
          () -> {
            Executor answers = scheduler.answers();
            scheduler.execute(() -> answers.execute(() -> task.complete(null)));
            return CompletableFuture.completedFuture(1);
          },
          scheduler,
          LONG);
      task.get(20, TimeUnit.SECONDS);
    }
  }

  @Test
  void whereATaskRunsWaitingWouldWaitForItself() throws Exception {
    List<Boolean> owns = new ArrayList<>();

    WaitingThread.await(
        () -> {
          owns.add(scheduler.ownsCurrentThread());
          CompletableFuture<Void> reply = new CompletableFuture<>();
          scheduler
              .answers()
              .execute(
                  () -> {
                    owns.add(scheduler.ownsCurrentThread());
                    reply.complete(null);
                  });
          return reply;
        },
        scheduler,
        LONG);

    assertThat(owns).containsExactly(false, true);
    assertThat(scheduler.ownsCurrentThread()).isFalse();
  }

  @Test
  void anotherSchedulersCallIsNotThisOnes() throws Exception {
    try (ThreadScheduler other = new ThreadScheduler(1)) {
      WaitingThread.await(
          () -> {
            assertThat(other.answers()).isSameAs(other);
            assertThat(scheduler.answers()).isNotSameAs(scheduler);
            return CompletableFuture.completedFuture(1);
          },
          scheduler,
          LONG);
    }
  }

  @Test
  void aTaskThatFailsEndsNothingButItself() throws Exception {
    CompletableFuture<Integer> answer =
        WaitingThread.await(
            () -> {
              CompletableFuture<Integer> reply = new CompletableFuture<>();
              scheduler
                  .answers()
                  .execute(
                      () -> {
                        throw new AssertionError("broken");
                      });
              scheduler.answers().execute(() -> reply.complete(1));
              return reply;
            },
            scheduler,
            LONG);

    assertThat(answer).isCompletedWithValue(1);
  }

  @Test
  void theWaitEndsWithItsTimeOrTheThreadsInterruption() throws Exception {
    CompletableFuture<Object> never = new CompletableFuture<>();

    assertThat(WaitingThread.await(() -> never, scheduler, 1_000_000)).isNotDone();

    Thread.currentThread().interrupt();
    assertThatThrownBy(() -> WaitingThread.await(() -> never, scheduler, LONG))
        .isInstanceOf(InterruptedException.class);
    assertThat(scheduler.answers()).isSameAs(scheduler);
  }

  @Test
  void afterTheSchedulersEndAnswersAreStillHandled() throws Exception {
    Executor[] answers = new Executor[1];
    WaitingThread.await(
        () -> {
          answers[0] = scheduler.answers();
          return CompletableFuture.completedFuture(1);
        },
        scheduler,
        LONG);
    scheduler.close();

    CompletableFuture<Thread> late = new CompletableFuture<>();
    answers[0].execute(() -> late.complete(Thread.currentThread()));

    assertThat(late).isCompletedWithValue(Thread.currentThread());
  }
}
