package io.ensemble.cache.mwmr;

import static org.assertj.core.api.Assertions.assertThat;

import io.ensemble.cache.Payload;
import io.ensemble.cache.quorum.MissedKeys;
import io.ensemble.cache.quorum.StoreSet;
import io.ensemble.quorum.Quorum;
import io.ensemble.register.BallotGenerator;
import io.ensemble.register.RegisterOperation;
import io.ensemble.schedule.Deadline;
import io.ensemble.schedule.Scheduler;
import io.ensemble.simulation.SimScheduler;
import io.ensemble.site.Bytes;
import io.ensemble.stamp.WriterId;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Executor;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;

/** Calls that have ended leave the queue of waiting calls and need no timer of their own. */
class WaitingCallsTest {

  private static final List<String> SITES = List.of("a", "b", "c");

  private final Counting scheduler = new Counting(SimScheduler.ofSeed(1));
  private final WaitPolicy waitPolicy = new WaitPolicy(1);
  private final WaitingCalls waitingCalls = new WaitingCalls(scheduler, waitPolicy);
  private final AtomicLong rounds = new AtomicLong();

  /** Counts the timers. */
  private record Counting(SimScheduler time, AtomicLong timers) implements Scheduler {

    Counting(SimScheduler time) {
      this(time, new AtomicLong());
    }

    @Override
    public Timer after(long delayNanos, Runnable task) {
      timers.incrementAndGet();
      return time.after(delayNanos, task);
    }

    @Override
    public long nanos() {
      return time.nanos();
    }

    @Override
    public long epochMicros() {
      return time.epochMicros();
    }

    @Override
    public Executor answers() {
      return time.answers();
    }

    @Override
    public void execute(Runnable task) {
      time.execute(task);
    }

    /** Schedules an empty task, because the simulated clock advances only from task to task. */
    void pass(long nanos) {
      time.after(nanos, () -> {});
      time.run(Duration.ofNanos(nanos), 100_000);
    }
  }

  /** A call that gets no answers. */
  private RegisterExecution<Payload> call() {
    BallotGenerator ballots =
        new BallotGenerator(new WriterId(1, 2), least -> rounds.incrementAndGet());
    RegisterOperation<Payload, Payload> operation =
        RegisterOperation.settle(new Quorum(SITES.size()), ballots);
    Deadline deadline = new Deadline(scheduler.nanos() + 60_000_000_000L);
    return new RegisterExecution<>(
        new RegisterExecution.RegisterContext(
            SITES,
            scheduler,
            waitPolicy,
            new AnswerTimes(SITES.size()),
            waitingCalls,
            new MissedKeys(SITES.size())),
        Bytes.of((byte) 1),
        operation,
        StoreSet.of(List.of(), deadline),
        deadline,
        null);
  }

  @Test
  void callsThatEndedLeaveWithTheFirstThatWaited() {
    waitingCalls.scheduleHurry(call(), 1);
    List<RegisterExecution<?>> later = new ArrayList<>();
    for (int i = 0; i < 100; i++) {
      scheduler.pass(waitPolicy.patienceNanos() / 200);
      RegisterExecution<Payload> next = call();
      waitingCalls.scheduleHurry(next, 1);
      later.add(next);
    }
    later.forEach(RegisterExecution::expire);
    assertThat(waitingCalls.size()).isEqualTo(101);

    scheduler.pass(waitPolicy.patienceNanos() / 2);

    assertThat(waitingCalls.size()).isZero();
    assertThat(scheduler.timers()).as("none for those that ended").hasValue(1);
  }

  @Test
  void oneTimerServesAllAndIsThereForWhoStillWaitsBehindThoseThatEnded() {
    for (int i = 0; i < 50; i++) {
      RegisterExecution<Payload> ended = call();
      waitingCalls.scheduleHurry(ended, 1);
      ended.expire();
    }
    scheduler.pass(1_000_000);
    waitingCalls.scheduleHurry(call(), 1);
    assertThat(scheduler.timers()).hasValue(1);

    scheduler.pass(waitPolicy.patienceNanos() - 1_000_000);
    assertThat(waitingCalls.size()).as("who came later waits its own time").isEqualTo(1);
    scheduler.pass(1_000_000);

    assertThat(waitingCalls.size()).isZero();
    assertThat(scheduler.timers()).hasValue(2);
  }

  @Test
  void theCloseEndsWhoeverWaitsForItsNextAttemptAndLetsNobodyWaitAnyMore() {
    RegisterExecution<Payload> paused = call();
    assertThat(waitingCalls.scheduleResume(paused, 1_000_000)).isTrue();
    assertThat(waitingCalls.size()).isEqualTo(1);

    waitingCalls.close();

    assertThat(paused.hasEnded()).isTrue();
    assertThat(waitingCalls.size()).isZero();
    assertThat(waitingCalls.scheduleResume(call(), 1_000_000)).isFalse();
    assertThat(waitingCalls.size()).isZero();
  }
}
