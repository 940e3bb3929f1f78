package io.ensemble.cache.mwmr;

import static org.assertj.core.api.Assertions.assertThat;

import io.ensemble.cache.Payload;
import io.ensemble.cache.call.MissedKeys;
import io.ensemble.cache.call.Replicas;
import io.ensemble.quorum.Quorum;
import io.ensemble.register.Ballots;
import io.ensemble.register.Operation;
import io.ensemble.schedule.Deadline;
import io.ensemble.schedule.Scheduler;
import io.ensemble.site.Bytes;
import io.ensemble.stamp.WriterId;
import io.ensemble.testkit.sim.SimScheduler;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Executor;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;

/** What calls of a cache wait for: those that have ended cost neither a place nor a timer. */
class WaitsTest {

  private static final List<String> SITES = List.of("a", "b", "c");

  private final Counting scheduler = new Counting(SimScheduler.ofSeed(1));
  private final Pace pace = new Pace(1);
  private final Waits waits = new Waits(scheduler, pace);
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

    /** Time passes from task to task. */
    void pass(long nanos) {
      time.after(nanos, () -> {});
      time.run(Duration.ofNanos(nanos), 100_000);
    }
  }

  /** A call that nobody answers. */
  private RegisterCall<Payload> call() {
    Ballots ballots = new Ballots(new WriterId(1, 2), least -> rounds.incrementAndGet());
    Operation<Payload, Payload> operation = Operation.settle(new Quorum(SITES.size()), ballots);
    Deadline deadline = new Deadline(scheduler.nanos() + 60_000_000_000L);
    return new RegisterCall<>(
        new RegisterCall.Setting(
            SITES,
            scheduler,
            pace,
            new AnswerTimes(SITES.size()),
            waits,
            new MissedKeys(SITES.size())),
        Bytes.of((byte) 1),
        operation,
        Replicas.of(List.of(), deadline),
        deadline);
  }

  @Test
  void callsThatEndedLeaveWithTheFirstThatWaited() {
    waits.beforeHurrying(call(), 1);
    List<RegisterCall<?>> later = new ArrayList<>();
    for (int i = 0; i < 100; i++) {
      scheduler.pass(pace.patienceNanos() / 200);
      RegisterCall<Payload> next = call();
      waits.beforeHurrying(next, 1);
      later.add(next);
    }
    later.forEach(RegisterCall::expire);
    assertThat(waits.size()).isEqualTo(101);

    scheduler.pass(pace.patienceNanos() / 2);

    assertThat(waits.size()).isZero();
    assertThat(scheduler.timers()).as("none for those that ended").hasValue(1);
  }

  @Test
  void oneTimerServesAllAndIsThereForWhoStillWaitsBehindThoseThatEnded() {
    for (int i = 0; i < 50; i++) {
      RegisterCall<Payload> ended = call();
      waits.beforeHurrying(ended, 1);
      ended.expire();
    }
    scheduler.pass(1_000_000);
    waits.beforeHurrying(call(), 1);
    assertThat(scheduler.timers()).hasValue(1);

    scheduler.pass(pace.patienceNanos() - 1_000_000);
    assertThat(waits.size()).as("who came later waits its own time").isEqualTo(1);
    scheduler.pass(1_000_000);

    assertThat(waits.size()).isZero();
    assertThat(scheduler.timers()).hasValue(2);
  }

  @Test
  void theCloseEndsWhoeverWaitsForItsNextAttemptAndLetsNobodyWaitAnyMore() {
    RegisterCall<Payload> paused = call();
    assertThat(waits.beforeNextAttempt(paused, 1_000_000)).isTrue();
    assertThat(waits.size()).isEqualTo(1);

    waits.close();

    assertThat(paused.hasEnded()).isTrue();
    assertThat(waits.size()).isZero();
    assertThat(waits.beforeNextAttempt(call(), 1_000_000)).isFalse();
    assertThat(waits.size()).isZero();
  }
}
