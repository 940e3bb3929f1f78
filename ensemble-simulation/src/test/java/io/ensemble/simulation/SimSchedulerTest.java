package io.ensemble.simulation;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.ensemble.schedule.Scheduler.Timer;
import io.ensemble.simulation.SimScheduler.RunEnd;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.Test;

class SimSchedulerTest {

  private static final Duration SECOND = Duration.ofSeconds(1);

  private final SimScheduler scheduler = SimScheduler.ofSeed(5);
  private final List<String> happened = new ArrayList<>();

  @Test
  void nothingHappensBeforeRun() {
    scheduler.execute(() -> happened.add("task"));

    assertThat(happened).isEmpty();
    assertThat(scheduler.run(SECOND, 10)).isEqualTo(RunEnd.IDLE);
    assertThat(happened).containsExactly("task");
  }

  @Test
  void timeJumpsFromTaskToTask() {
    scheduler.after(3_000, () -> happened.add("c" + scheduler.nanos()));
    scheduler.after(1_000, () -> happened.add("a" + scheduler.nanos()));
    scheduler.after(2_000, () -> scheduler.after(500, () -> happened.add("b" + scheduler.nanos())));

    scheduler.run(SECOND, 10);

    assertThat(happened).containsExactly("a1000", "b2500", "c3000");
  }

  @Test
  void theSeedOrdersWhatHappensAtOnce() {
    Set<List<String>> orders = new HashSet<>();
    for (long seed = 0; seed < 200; seed++) {
      assertThat(orderOfThree(seed)).isEqualTo(orderOfThree(seed));
      orders.add(orderOfThree(seed));
    }

    assertThat(orders).as("of three tasks at one time").hasSize(6);
  }

  private static List<String> orderOfThree(long seed) {
    List<String> order = new ArrayList<>();
    SimScheduler own = SimScheduler.ofSeed(seed);
    own.execute(() -> order.add("a"));
    own.execute(() -> order.add("b"));
    own.after(0, () -> order.add("c"));
    own.run(SECOND, 10);
    return order;
  }

  @Test
  void aCancelledTaskDoesNotRun() {
    Timer timer = scheduler.after(10, () -> happened.add("never"));
    timer.cancel();
    timer.cancel();

    assertThat(scheduler.run(SECOND, 10)).isEqualTo(RunEnd.IDLE);
    assertThat(happened).isEmpty();
  }

  @Test
  void cancellingAfterwardsIsHarmless() {
    Timer timer = scheduler.after(10, () -> happened.add("once"));
    scheduler.run(SECOND, 10);
    timer.cancel();
    scheduler.run(SECOND, 10);

    assertThat(happened).containsExactly("once");
  }

  @Test
  void runStopsAtItsCondition() {
    scheduler.after(1, () -> happened.add("a"));
    scheduler.after(2, () -> happened.add("b"));

    assertThat(scheduler.run(() -> happened.contains("a"), SECOND, 10)).isEqualTo(RunEnd.DONE);
    assertThat(happened).containsExactly("a");
  }

  @Test
  void runStopsAtItsTimeAndGoesOnFromThere() {
    scheduler.after(2_000_000_000L, () -> happened.add("late"));

    assertThat(scheduler.run(SECOND, 10)).isEqualTo(RunEnd.TIME);
    assertThat(scheduler.nanos()).isEqualTo(1_000_000_000L);
    assertThat(scheduler.run(SECOND, 10)).isEqualTo(RunEnd.IDLE);
    assertThat(happened).containsExactly("late");
  }

  @Test
  void runStopsAfterItsSteps() {
    Runnable[] again = new Runnable[1];
    again[0] = () -> scheduler.execute(again[0]);
    scheduler.execute(again[0]);

    assertThat(scheduler.run(SECOND, 1_000)).isEqualTo(RunEnd.STEPS);
    assertThat(scheduler.steps()).isEqualTo(1_000);
  }

  @Test
  void aTimeTooFarAwayDoesNotWrapAround() {
    scheduler.after(5, () -> scheduler.after(Long.MAX_VALUE, () -> happened.add("never")));
    scheduler.after(-5, () -> happened.add("now"));

    assertThat(scheduler.run(SECOND, 10)).isEqualTo(RunEnd.TIME);
    assertThat(happened).containsExactly("now");
  }

  @Test
  void theWallClockFollowsAndMayBeSkewed() {
    SimScheduler ahead = scheduler.client("c0").withSkew(700);
    scheduler.after(5_000, () -> {});
    scheduler.run(SECOND, 10);

    assertThat(scheduler.epochMicros()).isEqualTo(SimScheduler.EPOCH_MICROS + 5);
    assertThat(ahead.epochMicros()).isEqualTo(SimScheduler.EPOCH_MICROS + 705);
    assertThat(ahead.nanos()).isEqualTo(scheduler.nanos());
  }

  @Test
  void aStoppedViewRunsNothingAndTheOthersGoOn() {
    SimScheduler crashing = scheduler.client("c0");
    SimScheduler skewed = crashing.withSkew(9);
    crashing.after(1, crashing::stop);
    crashing.after(2, () -> happened.add("dead"));
    skewed.after(2, () -> happened.add("dead too"));
    scheduler.client("c1").after(3, () -> happened.add("alive"));

    scheduler.run(SECOND, 10);

    assertThat(happened).containsExactly("alive");
  }

  @Test
  void aFailingTaskEndsTheRunWithTheSeed() {
    IllegalStateException failure = new IllegalStateException("broken");
    scheduler
        .client("c3")
        .after(
            7,
            () -> {
              throw failure;
            });

    assertThatThrownBy(() -> scheduler.run(SECOND, 10))
        .isInstanceOf(SimulationException.class)
        .hasCause(failure)
        .hasMessageContaining("c3")
        .hasMessageEndingWith("atNanos=7 seed=5");
  }

  @Test
  void aTaskMayNotRunTheSimulation() {
    scheduler.execute(() -> scheduler.run(SECOND, 1));

    assertThatThrownBy(() -> scheduler.run(SECOND, 10))
        .hasRootCauseMessage("the simulation is running: a task may not run it");
  }

  @Test
  void anotherThreadIsRefused() throws InterruptedException {
    scheduler.execute(() -> {});
    AtomicReference<Throwable> refused = new AtomicReference<>();
    Thread other = new Thread(() -> scheduler.execute(() -> {}), "another");
    other.setUncaughtExceptionHandler((thread, failure) -> refused.set(failure));

    other.start();
    other.join();

    assertThatIllegalStateException()
        .isThrownBy(
            () -> {
              throw refused.get();
            })
        .withMessageContaining("got=another");
  }

  @Test
  void whatFallsDueInASuspensionWaitsForTheWaking() {
    SimScheduler scheduler = SimScheduler.ofSeed(1);
    SimScheduler client = scheduler.client("c");
    List<String> done = new ArrayList<>();
    client.after(10, () -> done.add("first"));
    client.after(20, () -> done.add("second"));
    Timer cancelled = client.after(15, () -> done.add("cancelled"));

    client.suspend();
    scheduler.run(Duration.ofSeconds(1), 100);
    assertThat(done).isEmpty();
    cancelled.cancel();
    client.wake();
    scheduler.run(Duration.ofSeconds(1), 100);

    assertThat(done).containsExactlyInAnyOrder("first", "second");
  }
}
