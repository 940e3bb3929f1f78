package io.ensemble.cache.weak;

import static org.assertj.core.api.Assertions.assertThat;

import io.ensemble.cache.weak.entry.StampGenerator;
import io.ensemble.cache.weak.replica.WeakContext;
import io.ensemble.cache.weak.replica.WeakMetrics;
import io.ensemble.cache.weak.replica.WeakOptions;
import io.ensemble.stamp.HybridClock;
import io.ensemble.stamp.WriterId;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;

class HedgeTimerTest {

  private static final Duration DELAY = Duration.ofMillis(50);

  private final WeakManualScheduler scheduler = new WeakManualScheduler();
  private final HedgeTimer hedgeTimer =
      new HedgeTimer(
          new WeakContext(
              "c",
              scheduler,
              new StampGenerator(new HybridClock(scheduler::epochMicros), new WriterId(1, 2)),
              WeakOptions.DEFAULTS.withHedge(DELAY),
              WeakMetrics.NONE,
              new SplittableRandom(1)));
  private final List<String> looked = new ArrayList<>();

  @Test
  void onlySlowOperationsGetASecondLookAndEachAfterItsOwnDelay() {
    Looked quick = new Looked("quick");
    hedgeTimer.add(quick);
    scheduler.run(Duration.ofMillis(10));
    hedgeTimer.add(new Looked("slow"));
    quick.done = true;

    scheduler.run(Duration.ofMillis(49));
    assertThat(looked).isEmpty();
    scheduler.run(Duration.ofMillis(1));
    assertThat(looked).containsExactly("slow");
  }

  @Test
  void theTimerFiresOnceInADelayHoweverManyOperationsThereAre() {
    for (int i = 0; i < 1_000; i++) {
      Looked quick = new Looked("quick");
      hedgeTimer.add(quick);
      quick.done = true;
      scheduler.run(Duration.ofMillis(1));
    }

    assertThat(looked).isEmpty();
    assertThat(scheduler.scheduled()).isBetween(19L, 21L);
  }

  @Test
  void whatHasLongBeenDoneIsForgottenAsOthersComeAndNotWalkedOverWhenTheDelayIsOver() {
    List<Looked> before = added(300);
    before.forEach(operation -> operation.done = true);
    added(100).forEach(operation -> operation.done = true);
    before.forEach(operation -> operation.asked = 0);

    scheduler.run(DELAY);

    assertThat(before).extracting(operation -> operation.asked).containsOnly(0);
    assertThat(looked).isEmpty();
  }

  @Test
  void whoComesPaysForAFewThatAreDoneHoweverManyThereAre() {
    List<Looked> before = added(1_000);
    before.forEach(operation -> operation.done = true);
    before.forEach(operation -> operation.asked = 0);

    hedgeTimer.add(new Looked("late"));

    assertThat(before.stream().mapToInt(operation -> operation.asked).sum()).isBetween(1, 10);
  }

  private List<Looked> added(int count) {
    List<Looked> all = new ArrayList<>();
    for (int i = 0; i < count; i++) {
      Looked operation = new Looked("operation");
      hedgeTimer.add(operation);
      all.add(operation);
    }
    return all;
  }

  @Test
  void aSlowOperationIsLookedAtUntilItIsDoneEvenIfALookGoesWrong() {
    Looked slow = new Looked("slow");
    slow.broken = new NoClassDefFoundError("told to");
    hedgeTimer.add(slow);
    hedgeTimer.add(new Looked("other"));

    scheduler.run(Duration.ofMillis(100));
    assertThat(looked).containsExactly("slow", "other", "slow", "other");
    slow.done = true;
    scheduler.run(Duration.ofMillis(50));
    assertThat(looked).hasSize(5).endsWith("other");
  }

  @Test
  void theCloseEndsWhatIsThereAndWhatComes() {
    Looked quick = new Looked("quick");
    hedgeTimer.add(quick);
    scheduler.run(Duration.ofMillis(120));
    looked.clear();

    hedgeTimer.close();
    hedgeTimer.add(new Looked("late"));
    scheduler.run(Duration.ofSeconds(1));

    assertThat(looked).containsExactly("quick closed", "late closed");
  }

  private final class Looked implements HedgeTimer.HedgedOperation {

    private final String name;
    private boolean done;
    private int asked;
    private Error broken;

    Looked(String name) {
      this.name = name;
    }

    @Override
    public boolean isDone() {
      asked++;
      return done;
    }

    @Override
    public void sendHedge() {
      looked.add(name);
      if (broken != null) {
        throw broken;
      }
    }

    @Override
    public void close() {
      looked.add(name + " closed");
    }
  }
}
