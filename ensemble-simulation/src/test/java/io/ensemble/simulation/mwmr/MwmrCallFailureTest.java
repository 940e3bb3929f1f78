package io.ensemble.simulation.mwmr;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.ensemble.CacheDefinition;
import io.ensemble.QuorumUnavailableException;
import io.ensemble.WriteOutcome;
import io.ensemble.cache.mwmr.MwmrInternals;
import io.ensemble.register.Update.Decision;
import io.ensemble.simulation.SimFaultKind;
import io.ensemble.simulation.SimFaultPlan;
import io.ensemble.simulation.mwmr.MwmrSimCache.Opened;
import io.ensemble.site.Bytes;
import io.ensemble.site.SiteStore;
import io.ensemble.site.StoreKind;
import io.ensemble.testkit.mwmr.HistoryPayloads;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;

/** Failures outside the protocol end the call by its deadline, with a reason. */
class MwmrCallFailureTest {

  private static final class Refusal extends RuntimeException {
    private static final long serialVersionUID = 1L;
  }

  private static long millis(MwmrSimFixture scene) {
    return scene.federation.scheduler().nanos() / 1_000_000;
  }

  private static void putStrange(MwmrSimFixture scene, Opened by, String... sites) {
    for (String site : sites) {
      SiteStore store =
          scene
              .federation
              .stores(by.client(), scene.cache.stored().store(site).get(), StoreKind.ACCEPTOR)
              .get(site);
      scene.get(
          store.putIfAbsent(
              HistoryPayloads.key("k"),
              Bytes.of((byte) 9, (byte) 9),
              MwmrSimFixture.in(by.client(), 900)));
    }
  }

  @Test
  void anEntryThatIsNotOursAtOneSiteIsOverruled() {
    MwmrSimFixture scene = new MwmrSimFixture();
    Opened one = scene.process();
    putStrange(scene, one, "oslo");

    scene.put(one, "k", 1);

    assertThat(scene.read(one, "k")).isEqualTo(1);
  }

  @Test
  void entriesThatAreNotOursFailACallAtOnceAndSayWhy() {
    MwmrSimFixture scene = new MwmrSimFixture();
    Opened one = scene.process();
    putStrange(scene, one, "oslo", "rome");
    long before = millis(scene);

    assertThatThrownBy(() -> scene.read(one, "k"))
        .isInstanceOf(QuorumUnavailableException.class)
        .hasMessageContaining("malformed entry");
    assertThat(scene.put(one, "k", 1)).isInstanceOf(WriteOutcome.Refused.class);
    assertThat(millis(scene) - before).isLessThan(200);
  }

  @Test
  void noOperationOutlivesATombstoneHoweverLongItsCallerWouldWait() {
    MwmrSimFixture scene = new MwmrSimFixture();
    Opened one = scene.process();
    scene.put(one, "k", 1);
    scene.federation.siteNames().forEach(site -> scene.cut(one, site));
    long before = millis(scene);
    CompletableFuture<WriteOutcome<Void>> write =
        one.engine()
            .write(
                HistoryPayloads.key("k"),
                HistoryPayloads.payload(2),
                MwmrSimFixture.in(one.client(), 3_600_000))
            .toCompletableFuture();

    scene.pass(CacheDefinition.MAX_DEADLINE.toMillis() + 100);

    assertThat(write).isDone();
    assertThat(millis(scene) - before).isLessThan(61_000);
  }

  @Test
  void whatAnUpdateThrowsFailsTheCallAndNothingIsWritten() {
    MwmrSimFixture scene = new MwmrSimFixture();
    Opened one = scene.process();
    scene.put(one, "k", 1);

    assertThatThrownBy(
            () ->
                scene.update(
                    one,
                    "k",
                    now -> {
                      throw new Refusal();
                    }))
        .isInstanceOf(Refusal.class);
    assertThat(MwmrInternals.busyKeys(one.engine())).isZero();
    assertThat(scene.read(one, "k")).isEqualTo(1);
    assertThat(scene.put(one, "k", 2)).isInstanceOf(WriteOutcome.Applied.class);
  }

  @Test
  void whatAnUpdateThrowsAtWhatWeWroteLastAndOthersHaveOverwrittenIsNotHeard() {
    MwmrSimFixture scene = new MwmrSimFixture();
    Opened one = scene.process();
    Opened other = scene.process();
    scene.put(one, "k", 0);
    scene.put(one, "k", 1); // The engine remembers the second of two writes in a row.
    scene.pass(1_000);
    scene.put(other, "k", 2);

    WriteOutcome<Void> outcome =
        scene.update(
            one,
            "k",
            now -> {
              if (HistoryPayloads.number(now) != 2) {
                throw new Refusal();
              }
              return Decision.write(HistoryPayloads.payload(3), null);
            });

    assertThat(outcome).isInstanceOf(WriteOutcome.Applied.class);
    assertThat(scene.read(other, "k")).isEqualTo(3);
  }

  @Test
  void whatAnUpdateThrowsAfterItsProposalCameToNothingIsHeard() {
    MwmrSimFixture scene = MwmrSimFixture.inStep();
    Opened one = scene.process();
    scene.put(one, "k", 1);
    boolean[] proposed = new boolean[1];
    CompletableFuture<WriteOutcome<Void>> update =
        one.engine()
            .<Void>update(
                HistoryPayloads.key("k"),
                now -> {
                  if (proposed[0]) {
                    throw new Refusal();
                  }
                  return Decision.write(HistoryPayloads.payload(2), null);
                },
                MwmrSimFixture.in(one.client(), 9_000))
            .toCompletableFuture();
    scene.until(3, "= 01");
    scene.federation.siteNames().forEach(site -> scene.cut(one, site));
    scene.pass(1_000);
    proposed[0] = true;
    scene.federation.siteNames().forEach(site -> scene.heal(one, site));

    assertThatThrownBy(() -> scene.get(update)).isInstanceOf(Refusal.class);
    assertThat(MwmrInternals.busyKeys(one.engine())).isZero();
    scene.pass(5_000);
    assertThat(scene.read(one, "k")).isEqualTo(1);
  }

  @Test
  void aDeadlineOfZeroIsRefused() {
    MwmrSimFixture scene = new MwmrSimFixture();
    Opened one = scene.process();

    assertThat(
            scene.get(
                one.engine()
                    .write(
                        HistoryPayloads.key("k"),
                        HistoryPayloads.payload(1),
                        MwmrSimFixture.in(one.client(), 0))))
        .isInstanceOf(WriteOutcome.Refused.class);
    scene.pass(5_000);
    assertThat(scene.read(one, "k")).isNull();
  }

  @Test
  void closingEndsWhoeverWaits() {
    MwmrSimFixture scene = new MwmrSimFixture();
    Opened one = scene.process();
    scene.wipe("lyon");
    scene.wipe("oslo");
    List<CompletableFuture<WriteOutcome<Void>>> writes = new ArrayList<>();
    for (int i = 0; i < 5; i++) {
      writes.add(
          one.engine()
              .write(
                  HistoryPayloads.key("k"),
                  HistoryPayloads.payload(i),
                  MwmrSimFixture.in(one.client(), 60_000))
              .toCompletableFuture());
    }
    scene.pass(500);
    assertThat(writes).noneMatch(CompletableFuture::isDone);

    one.engine().close();
    scene.pass(500);

    for (CompletableFuture<WriteOutcome<Void>> write : writes) {
      assertThat(write).isCompletedWithValueMatching(WriteOutcome.Refused.class::isInstance);
    }
    assertThat(MwmrInternals.busyKeys(one.engine())).isZero();
    assertThat(MwmrInternals.waiting(one.engine())).isZero();
  }

  @Test
  void nothingGrowsWhileASiteIsSilent() {
    MwmrSimFixture scene = new MwmrSimFixture(0, SimFaultPlan.none(), 16);
    Opened one = scene.process();
    scene.cut(one, "rome");
    int applied = 0;
    for (int i = 0; i < 400; i++) {
      applied += scene.put(one, "k" + i % 20, i) instanceof WriteOutcome.Applied ? 1 : 0;
      assertThat(MwmrInternals.waiting(one.engine())).isLessThan(20);
      assertThat(MwmrInternals.busyKeys(one.engine())).isZero();
    }

    assertThat(applied).isEqualTo(400);
    assertThat(scene.federation.trace().count(SimFaultKind.BUSY)).isPositive();
  }

  @Test
  void aSiteThatIsFarAwayIsWaitedForOnceItIsKnown() {
    MwmrSimFixture scene = MwmrSimFixture.inStep();
    Opened one = scene.process();
    scene.federation.inject(new io.ensemble.simulation.Fault.Slow("rome", 60));
    for (int i = 0; i < 60; i++) {
      scene.put(one, "k" + i, i);
      scene.pass(500);
    }
    scene.rounds();

    scene.put(one, "another", 1);

    assertThat(scene.rounds()).isEqualTo(2);
  }
}
