package io.ensemble.testkit.mwmr;

import static org.assertj.core.api.Assertions.assertThat;

import io.ensemble.WriteOutcome;
import io.ensemble.cache.Payload;
import io.ensemble.cache.mwmr.Inside;
import io.ensemble.cache.mwmr.Swept;
import io.ensemble.testkit.mwmr.SimCache.Opened;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;

/** Removed keys are forgotten at last, and not too early; so are keys whose values expired. */
class MwmrSweepTest {

  private final Scene scene = Scene.inStep();
  private final Opened one = scene.process();

  private Swept swept() {
    return scene.get(one.engine().sweep(Scene.in(one.client(), 30_000)));
  }

  private int sweep() {
    return swept().forgotten();
  }

  private Payload until(int value, long millis) {
    return Values.payload(value, one.client().scheduler().epochMicros() + millis * 1_000);
  }

  private long entries() {
    return scene.federation.siteNames().stream()
        .mapToLong(
            site ->
                scene
                    .federation
                    .contents(site, scene.cache.stored().store(site).get())
                    .get()
                    .size())
        .sum();
  }

  @Test
  void aWriterThatSleepsWhileItBringsAValueToASlowSiteDoesNotReviveTheKey() {
    Opened sleeper = scene.process();
    scene.down("rome");
    scene.put(one, "k", 1); // Leaves a promise, so that the next write is a classic ballot.
    scene.up("rome");
    CompletableFuture<WriteOutcome<Void>> put =
        sleeper
            .engine()
            .write(Values.key("k"), Values.payload(2), Scene.in(sleeper.client(), 900))
            .toCompletableFuture();
    scene.until(3, "= ");
    scene.cut(sleeper, "rome"); // It has been read, and is not heard of any more.
    assertThat(scene.get(put)).isInstanceOf(WriteOutcome.Applied.class);
    sleeper.client().scheduler().suspend();
    scene.put(one, "k", null);
    scene.pass(65_000);
    sweep();
    assertThat(entries()).isZero();

    scene.heal(sleeper, "rome");
    sleeper.client().scheduler().wake();
    scene.pass(10_000);

    assertThat(entries()).isZero();
    assertThat(scene.read(one, "k")).isNull();
  }

  @Test
  void anOldTombstoneGoesEverywhereAndAYoungOneStays() {
    scene.put(one, "kept", 1);
    for (int i = 0; i < 100; i++) {
      scene.put(one, "k" + i, i);
      scene.put(one, "k" + i, null);
    }
    assertThat(sweep()).isZero();
    scene.pass(45_000);
    scene.put(one, "young", null);
    scene.pass(5_000);
    assertThat(sweep()).as("a little too young").isZero();
    assertThat(entries()).isEqualTo(3 * 102);

    scene.pass(15_000);

    // A few went by themselves, for an engine sweeps now and then.
    assertThat(sweep()).isBetween(1, 100);
    assertThat(entries()).isEqualTo(3 * 2);
    assertThat(scene.read(one, "kept")).isEqualTo(1);
    assertThat(scene.read(one, "k7")).isNull();
    scene.put(one, "k7", 8);
    assertThat(scene.read(scene.process(), "k7")).isEqualTo(8);
  }

  @Test
  void whatASiteMissedIsLevelledFirst() {
    scene.put(one, "k", 1);
    scene.down("lyon");
    scene.put(one, "k", null);
    scene.put(one, "unseen", 1);
    scene.put(one, "unseen", null);
    scene.up("lyon");
    for (int i = 0; i < 3; i++) {
      scene.pass(61_000);
      sweep();
    }

    scene.pass(61_000);
    sweep();

    assertThat(entries()).isZero();
  }

  @Test
  void nothingGoesWhileASiteIsDown() {
    scene.put(one, "k", null);
    scene.pass(61_000);
    scene.down("rome");
    assertThat(sweepOrNothing()).isZero();
    assertThat(sweepOrNothing()).isZero();
    assertThat(sweepOrNothing()).isZero();
    assertThat(Inside.failing(one.engine())).containsExactly("rome");
    scene.up("rome");
    assertThat(entries()).isEqualTo(3);

    assertThat(sweep()).isEqualTo(1);
    assertThat(Inside.failing(one.engine())).isEmpty();
  }

  private int sweepOrNothing() {
    return scene.get(
        one.engine()
            .sweep(Scene.in(one.client(), 3_000))
            .thenApply(Swept::forgotten)
            .exceptionally(failure -> 0));
  }

  @Test
  void anExpiredValueThatNobodyReadsBecomesATombstoneAndGoes() {
    scene.put(one, "kept", 1);
    scene.put(one, "later", until(2, 500_000));
    for (int i = 0; i < 100; i++) {
      scene.put(one, "k" + i, until(i, 5_000));
    }
    scene.pass(4_000);
    assertThat(swept().ended()).as("not over yet").isZero();
    scene.pass(2_000);

    assertThat(swept()).isEqualTo(new Swept(100, 0));

    assertThat(swept()).as("done, and too young to go").isEqualTo(new Swept(0, 0));
    assertThat(entries()).isEqualTo(3 * 102);
    scene.pass(61_000);
    sweep();
    assertThat(entries()).isEqualTo(3 * 2);
    assertThat(scene.read(one, "kept")).isEqualTo(1);
    assertThat(scene.read(one, "later")).isEqualTo(2);
    assertThat(scene.read(one, "k7")).isNull();
  }

  @Test
  void anExpiredValueGoesByItselfInTime() {
    scene.put(one, "k", until(1, 5_000));

    scene.pass(300_000);

    assertThat(entries()).isZero();
  }

  @Test
  void whatExpiredAndWasWrittenAgainIsNotEndedByASiteThatMissedIt() {
    scene.put(one, "k", until(1, 5_000));
    scene.down("lyon");
    scene.put(one, "k", 2);
    scene.up("lyon");
    scene.pass(6_000);

    for (int i = 0; i < 3; i++) {
      assertThat(swept().ended()).isZero();
    }

    assertThat(scene.read(one, "k")).isEqualTo(2);
  }

  @Test
  void anExpiredValueIsEndedWhileASiteIsDownAndItsKeyGoesOnceTheSiteIsBack() {
    scene.put(one, "k", until(1, 5_000));
    scene.down("rome");
    scene.pass(6_000);
    assertThat(swept().ended()).isEqualTo(1);
    scene.up("rome");
    assertThat(scene.read(scene.process(), "k")).isNull();

    scene.pass(400_000);

    assertThat(entries()).isZero();
  }
}
