package io.ensemble.simulation.mwmr;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.ensemble.QuorumUnavailableException;
import io.ensemble.WriteOutcome;
import io.ensemble.cache.RecoverableEngine;
import io.ensemble.cache.mwmr.FaultyRefill;
import io.ensemble.catalog.Catalog.RecoveryResult;
import io.ensemble.schedule.Deadline;
import io.ensemble.simulation.Fault;
import io.ensemble.simulation.mwmr.MwmrSimCache.Opened;
import io.ensemble.testkit.mwmr.HistoryPayloads;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.function.Function;
import org.junit.jupiter.api.Test;

/** A site that was restarted with an empty store counts again only after its refill. */
class MwmrRecoveryTest {

  /**
   * Reads a key at lyon and rome after rome was refilled. Rome had voted for the first write of the
   * key and was then wiped, while the other votes were delayed by almost a second.
   */
  private static Long readAfterRecovery(Function<Opened, RecoverableEngine> refill) {
    MwmrSimFixture scene = MwmrSimFixture.inStep();
    Opened writer = scene.process();
    Opened operator = scene.process();
    CompletableFuture<WriteOutcome<Void>> write =
        writer
            .engine()
            .write(
                HistoryPayloads.key("k"),
                HistoryPayloads.payload(1),
                MwmrSimFixture.in(writer.client(), 5_000))
            .toCompletableFuture();
    scene.until(3, "= absent");
    scene.federation.inject(new Fault.Slow("lyon", 800));
    scene.federation.inject(new Fault.Slow("oslo", 800));
    scene.until(1, "rome #");
    scene.pass(2);
    assertThat(scene.federation.contents("rome", scene.cache.stored().store("rome").get()))
        .as("rome voted")
        .hasValueSatisfying(entries -> assertThat(entries).hasSize(1));
    scene.federation.inject(new Fault.Slow("lyon", 1));
    scene.federation.inject(new Fault.Slow("oslo", 1));
    scene.wipe("rome");
    scene.recover(operator, "rome", refill.apply(operator));
    assertThat(scene.get(write)).isInstanceOf(WriteOutcome.Applied.class);
    Opened reader = scene.process();
    scene.cut(reader, "oslo");
    return scene.read(reader, "k");
  }

  @Test
  void aVoteThatWasUnderWayIsNotForgotten() {
    assertThat(readAfterRecovery(Opened::engine)).isEqualTo(1);
  }

  @Test
  void aRefillThatDoesNotWaitLosesAnAcknowledgedWrite() {
    assertThat(readAfterRecovery(by -> FaultyRefill.withoutWaiting(by.engine()))).isNull();
  }

  @Test
  void everyKeyAndEveryTombstoneComesBack() {
    MwmrSimFixture scene = new MwmrSimFixture();
    Opened one = scene.process();
    for (int i = 0; i < 300; i++) {
      scene.put(one, "k" + i, i);
    }
    scene.put(one, "k7", null);
    scene.wipe("oslo");

    long keys = scene.recover(one, "oslo", one.engine()).keys();

    assertThat(keys).isEqualTo(300);
    scene.down("lyon");
    Opened other = scene.process();
    for (int i = 0; i < 300; i++) {
      assertThat(scene.read(other, "k" + i)).isEqualTo(i == 7 ? null : Long.valueOf(i));
    }
  }

  @Test
  void oneSiteAfterTheOtherMayForget() {
    MwmrSimFixture scene = new MwmrSimFixture();
    Opened one = scene.process();
    for (int round = 0; round < 9; round++) {
      scene.put(one, "k", round);
      scene.put(one, "only" + round, round);
      String site = scene.federation.siteNames().get(round % 3);
      scene.wipe(site);
      scene.recover(one, site, one.engine());
    }

    Opened other = scene.process();
    assertThat(scene.read(other, "k")).isEqualTo(8);
    for (int round = 0; round < 9; round++) {
      assertThat(scene.read(other, "only" + round)).isEqualTo(round);
    }
  }

  @Test
  void aRefillOutlastsASiteThatIsSilentForLongerThanACallMayTake() {
    MwmrSimFixture scene = new MwmrSimFixture();
    Opened one = scene.process();
    scene.put(one, "k", 1);
    scene.wipe("oslo");
    scene.cut(one, "rome");
    CompletableFuture<RecoveryResult> recovery =
        scene
            .cache
            .catalog(one.client())
            .recover(
                scene.cache.stored(), "oslo", one.engine(), MwmrSimFixture.in(one.client(), 60_000))
            .toCompletableFuture();

    scene.pass(8_000);
    scene.heal(one, "rome");

    assertThat(scene.get(recovery).keys()).isEqualTo(1);
  }

  @Test
  void aRefillWithoutAMajorityFailsByItsDeadlineAndMayBeRepeated() {
    MwmrSimFixture scene = new MwmrSimFixture();
    Opened one = scene.process();
    scene.put(one, "k", 1);
    scene.wipe("oslo");
    scene.down("lyon");
    long before = scene.federation.scheduler().nanos();
    Deadline deadline = MwmrSimFixture.in(one.client(), 8_000);

    assertThatThrownBy(
            () ->
                scene.get(
                    scene
                        .cache
                        .catalog(one.client())
                        .recover(scene.cache.stored(), "oslo", one.engine(), deadline)))
        .isInstanceOf(QuorumUnavailableException.class)
        .hasMessageContaining("oslo=the site is being refilled")
        .hasMessageContaining("lyon");
    Duration took = Duration.ofNanos(scene.federation.scheduler().nanos() - before);
    assertThat(took).isLessThan(Duration.ofSeconds(10));
    scene.up("lyon");
    assertThat(scene.recover(one, "oslo", one.engine()).keys()).isEqualTo(1);
  }
}
