package io.ensemble.schedule;

import static org.assertj.core.api.Assertions.assertThat;

import io.ensemble.catalog.VirtualTimeScheduler;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.RejectedExecutionException;
import org.junit.jupiter.api.Test;

class PeriodicTaskTest {

  private static final Duration SECOND = Duration.ofSeconds(1);

  private final VirtualTimeScheduler scheduler = new VirtualTimeScheduler();
  private final Queue<CompletableFuture<String>> pending = new ArrayDeque<>();
  private int runs;

  private CompletionStage<String> run() {
    runs++;
    CompletableFuture<String> end = new CompletableFuture<>();
    pending.add(end);
    return end;
  }

  private void end() {
    pending.remove().complete("done");
  }

  @Test
  void anIntervalBeginsWhenTheRunHasEnded() {
    PeriodicTask task = new PeriodicTask("test", scheduler, SECOND, this::run);
    task.start();
    task.start();
    assertThat(scheduler.timers()).isEqualTo(1);
    scheduler.advance(SECOND.minusNanos(1));
    assertThat(runs).isZero();
    scheduler.advance(Duration.ofNanos(1));
    assertThat(runs).isEqualTo(1);
    scheduler.advance(Duration.ofMinutes(1));
    assertThat(runs).isEqualTo(1);
    end();
    scheduler.advance(SECOND);
    assertThat(runs).isEqualTo(2);
  }

  @Test
  void theFirstRunMayBeginImmediately() {
    PeriodicTask task = new PeriodicTask("test", scheduler, SECOND, this::run);
    task.startNow();
    task.startNow();
    task.start();
    assertThat(runs).isEqualTo(1);
    end();
    scheduler.advance(SECOND);
    assertThat(runs).isEqualTo(2);
  }

  @Test
  void theNextRunFollowsOneThatFailsOrThrows() {
    PeriodicTask task =
        new PeriodicTask(
            "test",
            scheduler,
            SECOND,
            () -> {
              if (++runs == 1) {
                throw new AssertionError("as the test requires it");
              }
              return CompletableFuture.failedFuture(
                  new IllegalStateException("as the test requires it"));
            });
    task.start();

    scheduler.advance(SECOND.multipliedBy(5));

    assertThat(runs).isEqualTo(5);
  }

  @Test
  void theIntervalIsReadAfterEachRun() {
    Duration[] interval = {SECOND};
    PeriodicTask task =
        new PeriodicTask(
            "test",
            scheduler,
            () -> interval[0],
            () -> {
              runs++;
              interval[0] = Duration.ofMinutes(1);
              return CompletableFuture.completedFuture(null);
            });
    task.start();

    scheduler.advance(Duration.ofSeconds(60));
    assertThat(runs).isEqualTo(1);
    scheduler.advance(SECOND);
    assertThat(runs).isEqualTo(2);
  }

  @Test
  void aClosedTaskBeginsNoRun() {
    PeriodicTask waiting = new PeriodicTask("test", scheduler, SECOND, this::run);
    waiting.start();
    waiting.close();
    PeriodicTask running = new PeriodicTask("test", scheduler, SECOND, this::run);
    running.start();
    scheduler.advance(SECOND);
    assertThat(runs).isEqualTo(1);
    running.close();
    end();
    PeriodicTask late = new PeriodicTask("test", scheduler, SECOND, this::run);
    late.close();
    late.start();

    assertThat(scheduler.timers()).isZero();
    scheduler.advance(Duration.ofMinutes(1));
    assertThat(runs).isEqualTo(1);
  }

  @Test
  void aSchedulerThatHasEndedEndsTheTask() {
    ThreadScheduler ended = new ThreadScheduler(1);
    ended.close();
    new PeriodicTask("test", ended, SECOND, this::run).start();
    assertThat(runs).isZero();
  }

  @Test
  void requestsWithinAnIntervalShareOneRun() {
    ThrottledTask task = new ThrottledTask("test", scheduler, SECOND, this::run);
    task.request();
    assertThat(runs).as("the first run does not wait").isEqualTo(1);
    task.request();
    end();
    task.request();
    task.request();
    assertThat(runs).isEqualTo(1);
    scheduler.advance(SECOND);
    assertThat(runs).isEqualTo(2);
    end();
    scheduler.advance(SECOND.multipliedBy(3));
    assertThat(runs).isEqualTo(2);
    task.request();
    assertThat(runs).isEqualTo(3);
  }

  @Test
  void aRequestFollowsARunThatFailed() {
    ThrottledTask task = new ThrottledTask("test", scheduler, SECOND, this::run);
    task.request();
    pending.remove().completeExceptionally(new IllegalStateException("as the test requires it"));
    task.request();
    scheduler.advance(SECOND);
    assertThat(runs).isEqualTo(2);
  }

  @Test
  void aRequestHasNoEffectOnceTheSchedulerHasEnded() {
    ThreadScheduler ended = new ThreadScheduler(1);
    ThrottledTask task = new ThrottledTask("test", ended, Duration.ofHours(1), this::run);
    task.request();
    end();
    ended.close();
    task.request();
    task.request();
    assertThat(runs).isEqualTo(1);
  }

  @Test
  void aRequestFollowsARunThatThrew() {
    ThrottledTask task =
        new ThrottledTask(
            "test",
            scheduler,
            SECOND,
            () -> {
              runs++;
              throw new RejectedExecutionException("as the test requires it");
            });
    task.request();
    task.request();
    assertThat(runs).isEqualTo(1);
    scheduler.advance(SECOND);
    assertThat(runs).isEqualTo(2);
  }

  /** A timer that is due already may run although it is cancelled. */
  @Test
  void aTimerThatCannotBeCancelledBeginsNoRunAfterTheEnd() {
    List<Runnable> due = new ArrayList<>();
    Scheduler stubborn =
        new Scheduler() {
          @Override
          public long nanos() {
            return 0;
          }

          @Override
          public long epochMicros() {
            return 0;
          }

          @Override
          public Timer after(long delayNanos, Runnable task) {
            due.add(task);
            return () -> {};
          }

          @Override
          public void execute(Runnable task) {
            task.run();
          }
        };
    PeriodicTask task = new PeriodicTask("test", stubborn, SECOND, this::run);
    task.start();
    task.close();
    due.get(0).run();
    assertThat(runs).isZero();
  }
}
