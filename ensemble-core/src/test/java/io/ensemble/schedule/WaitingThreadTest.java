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

@Timeout(90)
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

  @Test
  void codeOfUsersIsAnsweredOnTheSchedulerSoThatItMayWait() throws Exception {
    CompletableFuture<Thread> inner = new CompletableFuture<>();
    List<Boolean> owns = new ArrayList<>();

    CompletableFuture<Thread> joined =
        WaitingThread.await(
            () -> {
              CompletableFuture<Thread> reply = new CompletableFuture<>();
              Runnable function =
                  () -> {
                    scheduler.answers().execute(() -> inner.complete(Thread.currentThread()));
                    owns.add(scheduler.ownsCurrentThread());
                    reply.complete(inner.orTimeout(20, TimeUnit.SECONDS).join());
                  };
              scheduler
                  .answers()
                  .execute(
                      () ->
                          scheduler.aside(
                              () -> {
                                function.run();
                                return true;
                              }));
              return reply;
            },
            scheduler,
            LONG);

    assertThat(joined).isCompleted();
    assertThat(joined.join().getName()).startsWith("ensemble-");
    assertThat(owns).containsExactly(true);
  }

  @Test
  void afterCodeOfUsersTheThreadAttendsToAnswersAgain() throws Exception {
    List<Boolean> attends = new ArrayList<>();

    WaitingThread.await(
        () -> {
          attends.add(attends());
          scheduler.aside(
              () -> {
                attends.add(attends());
                scheduler.aside(() -> attends.add(attends()));
                return attends.add(attends());
              });
          attends.add(attends());
          return CompletableFuture.completedFuture(1);
        },
        scheduler,
        LONG);

    assertThat(attends).containsExactly(true, false, false, false, true);
  }

  /** Whether this thread runs the answers to its own calls. */
  private boolean attends() {
    return scheduler.answers() != scheduler;
  }

  @Test
  void aWaitForAnotherSchedulerDoesNotHideWhatTheThreadIsInsideOf() throws Exception {
    List<Boolean> owns = new ArrayList<>();
    try (ThreadScheduler other = new ThreadScheduler(1)) {
      WaitingThread.await(
          () -> {
            CompletableFuture<Void> reply = new CompletableFuture<>();
            scheduler
                .answers()
                .execute(
                    () -> {
                      owns.add(nestedOwns(other));
                      reply.complete(null);
                    });
            return reply;
          },
          scheduler,
          LONG);
    }

    assertThat(owns).containsExactly(true);
  }

  private boolean nestedOwns(ThreadScheduler other) {
    try {
      return WaitingThread.await(
              () -> CompletableFuture.completedFuture(scheduler.ownsCurrentThread()), other, LONG)
          .join();
    } catch (InterruptedException interrupted) {
      throw new AssertionError(interrupted);
    }
  }

  @Test
  void handingOverIsADetourOnlyWhereAnswersRunAnyway() throws Exception {
    Executor[] answers = new Executor[1];
    WaitingThread.await(
        () -> {
          answers[0] = scheduler.answers();
          assertThat(scheduler.isOn(answers[0])).isTrue();
          assertThat(scheduler.isOn(scheduler)).isFalse();
          return CompletableFuture.completedFuture(1);
        },
        scheduler,
        LONG);

    CompletableFuture<List<Boolean>> onOwn = new CompletableFuture<>();
    scheduler.execute(
        () -> onOwn.complete(List.of(scheduler.isOn(scheduler), scheduler.isOn(answers[0]))));
    assertThat(onOwn.get(20, TimeUnit.SECONDS)).containsExactly(true, false);

    try (ThreadScheduler other = new ThreadScheduler(1)) {
      CompletableFuture<Boolean> onAnothers = new CompletableFuture<>();
      other.execute(() -> onAnothers.complete(scheduler.isOn(scheduler)));
      assertThat(onAnothers.get(20, TimeUnit.SECONDS)).isFalse();
    }
  }
}
