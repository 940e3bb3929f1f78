package io.ensemble.testkit.mwmr;

import static org.assertj.core.api.Assertions.assertThat;

import io.ensemble.WriteOutcome;
import io.ensemble.cache.Payload;
import io.ensemble.cache.mwmr.MwmrInternals;
import io.ensemble.cache.mwmr.SweepResult;
import io.ensemble.testkit.mwmr.MwmrSimCache.Opened;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;

/** A sweep removes tombstones and expired values when they are old enough, and not before. */
class MwmrSweepTest {

  private final MwmrSimFixture mwmrSimFixture = MwmrSimFixture.inStep();
  private final Opened one = mwmrSimFixture.process();

  private SweepResult swept() {
    return mwmrSimFixture.get(one.engine().sweep(MwmrSimFixture.in(one.client(), 30_000)));
  }

  private int sweep() {
    return swept().forgotten();
  }

  private Payload until(int value, long millis) {
    return HistoryPayloads.payload(value, one.client().scheduler().epochMicros() + millis * 1_000);
  }

  private long entries() {
    return mwmrSimFixture.federation.siteNames().stream()
        .mapToLong(
            site ->
                mwmrSimFixture
                    .federation
                    .contents(site, mwmrSimFixture.cache.stored().store(site).get())
                    .get()
                    .size())
        .sum();
  }

  @Test
  void aWriterThatSleepsWhileItBringsAValueToASlowSiteDoesNotReviveTheKey() {
    Opened sleeper = mwmrSimFixture.process();
    mwmrSimFixture.down("rome");
    mwmrSimFixture.put(
        one, "k", 1); // Leaves a promise, so that the next write uses a classic ballot.
    mwmrSimFixture.up("rome");
    CompletableFuture<WriteOutcome<Void>> put =
        sleeper
            .engine()
            .write(
                HistoryPayloads.key("k"),
                HistoryPayloads.payload(2),
                MwmrSimFixture.in(sleeper.client(), 900))
            .toCompletableFuture();
    mwmrSimFixture.until(3, "= ");
    mwmrSimFixture.cut(sleeper, "rome"); // Rome has been read; from now on it is unreachable.
    assertThat(mwmrSimFixture.get(put)).isInstanceOf(WriteOutcome.Applied.class);
    sleeper.client().scheduler().suspend();
    mwmrSimFixture.put(one, "k", null);
    mwmrSimFixture.pass(65_000);
    sweep();
    assertThat(entries()).isZero();

    mwmrSimFixture.heal(sleeper, "rome");
    sleeper.client().scheduler().wake();
    mwmrSimFixture.pass(10_000);

    assertThat(entries()).isZero();
    assertThat(mwmrSimFixture.read(one, "k")).isNull();
  }

  @Test
  void anOldTombstoneGoesEverywhereAndAYoungOneStays() {
    mwmrSimFixture.put(one, "kept", 1);
    for (int i = 0; i < 100; i++) {
      mwmrSimFixture.put(one, "k" + i, i);
      mwmrSimFixture.put(one, "k" + i, null);
    }
    assertThat(sweep()).isZero();
    mwmrSimFixture.pass(45_000);
    mwmrSimFixture.put(one, "young", null);
    mwmrSimFixture.pass(5_000);
    assertThat(sweep()).as("a little too young").isZero();
    assertThat(entries()).isEqualTo(3 * 102);

    mwmrSimFixture.pass(15_000);

    // The engine's periodic sweep has removed a few.
    assertThat(sweep()).isBetween(1, 100);
    assertThat(entries()).isEqualTo(3 * 2);
    assertThat(mwmrSimFixture.read(one, "kept")).isEqualTo(1);
    assertThat(mwmrSimFixture.read(one, "k7")).isNull();
    mwmrSimFixture.put(one, "k7", 8);
    assertThat(mwmrSimFixture.read(mwmrSimFixture.process(), "k7")).isEqualTo(8);
  }

  @Test
  void whatASiteMissedIsLevelledFirst() {
    mwmrSimFixture.put(one, "k", 1);
    mwmrSimFixture.down("lyon");
    mwmrSimFixture.put(one, "k", null);
    mwmrSimFixture.put(one, "unseen", 1);
    mwmrSimFixture.put(one, "unseen", null);
    mwmrSimFixture.up("lyon");
    for (int i = 0; i < 3; i++) {
      mwmrSimFixture.pass(61_000);
      sweep();
    }

    mwmrSimFixture.pass(61_000);
    sweep();

    assertThat(entries()).isZero();
  }

  @Test
  void nothingGoesWhileASiteIsDown() {
    mwmrSimFixture.put(one, "k", null);
    mwmrSimFixture.pass(61_000);
    mwmrSimFixture.down("rome");
    assertThat(sweepOrNothing()).isZero();
    assertThat(sweepOrNothing()).isZero();
    assertThat(sweepOrNothing()).isZero();
    assertThat(MwmrInternals.failing(one.engine())).containsExactly("rome");
    mwmrSimFixture.up("rome");
    assertThat(entries()).isEqualTo(3);

    assertThat(sweep()).isEqualTo(1);
    assertThat(MwmrInternals.failing(one.engine())).isEmpty();
  }

  private int sweepOrNothing() {
    return mwmrSimFixture.get(
        one.engine()
            .sweep(MwmrSimFixture.in(one.client(), 3_000))
            .thenApply(SweepResult::forgotten)
            .exceptionally(failure -> 0));
  }

  @Test
  void anExpiredValueThatNobodyReadsBecomesATombstoneAndGoes() {
    mwmrSimFixture.put(one, "kept", 1);
    mwmrSimFixture.put(one, "later", until(2, 500_000));
    for (int i = 0; i < 100; i++) {
      mwmrSimFixture.put(one, "k" + i, until(i, 5_000));
    }
    mwmrSimFixture.pass(4_000);
    assertThat(swept().ended()).as("not over yet").isZero();
    mwmrSimFixture.pass(2_000);

    assertThat(swept()).isEqualTo(new SweepResult(100, 0));

    assertThat(swept()).as("done, and too young to go").isEqualTo(new SweepResult(0, 0));
    assertThat(entries()).isEqualTo(3 * 102);
    mwmrSimFixture.pass(61_000);
    sweep();
    assertThat(entries()).isEqualTo(3 * 2);
    assertThat(mwmrSimFixture.read(one, "kept")).isEqualTo(1);
    assertThat(mwmrSimFixture.read(one, "later")).isEqualTo(2);
    assertThat(mwmrSimFixture.read(one, "k7")).isNull();
  }

  @Test
  void anExpiredValueGoesByItselfInTime() {
    mwmrSimFixture.put(one, "k", until(1, 5_000));

    mwmrSimFixture.pass(300_000);

    assertThat(entries()).isZero();
  }

  @Test
  void whatExpiredAndWasWrittenAgainIsNotEndedByASiteThatMissedIt() {
    mwmrSimFixture.put(one, "k", until(1, 5_000));
    mwmrSimFixture.down("lyon");
    mwmrSimFixture.put(one, "k", 2);
    mwmrSimFixture.up("lyon");
    mwmrSimFixture.pass(6_000);

    for (int i = 0; i < 3; i++) {
      assertThat(swept().ended()).isZero();
    }

    assertThat(mwmrSimFixture.read(one, "k")).isEqualTo(2);
  }

  @Test
  void anExpiredValueIsEndedWhileASiteIsDownAndItsKeyGoesOnceTheSiteIsBack() {
    mwmrSimFixture.put(one, "k", until(1, 5_000));
    mwmrSimFixture.down("rome");
    mwmrSimFixture.pass(6_000);
    assertThat(swept().ended()).isEqualTo(1);
    mwmrSimFixture.up("rome");
    assertThat(mwmrSimFixture.read(mwmrSimFixture.process(), "k")).isNull();

    mwmrSimFixture.pass(400_000);

    assertThat(entries()).isZero();
  }
}
