package io.ensemble.simulation.swmr;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.ensemble.Acknowledgement;
import io.ensemble.FormerStorePolicy;
import io.ensemble.InDoubtWrites;
import io.ensemble.InDoubtWrites.Fate;
import io.ensemble.QuorumUnavailableException;
import io.ensemble.SiteIncompleteException;
import io.ensemble.SplitBrainException;
import io.ensemble.StoreIntactException;
import io.ensemble.WriteOutcome;
import io.ensemble.cache.Payload;
import io.ensemble.cache.swmr.FaultyVoterSetEnd;
import io.ensemble.cache.swmr.FaultyVoterSetEnd.Way;
import io.ensemble.cache.swmr.OpenSwmrCache;
import io.ensemble.cache.swmr.SwmrInternals;
import io.ensemble.primary.TermLeaseRules;
import io.ensemble.simulation.Fault;
import io.ensemble.simulation.Fault.LostState;
import io.ensemble.simulation.SimClient;
import io.ensemble.simulation.SimFederation;
import io.ensemble.simulation.swmr.TwoSiteWorkload.Run;
import io.ensemble.site.Bytes;
import io.ensemble.site.SiteStore;
import io.ensemble.site.StoreKind;
import io.ensemble.testkit.linearizability.FailureArtifacts;
import io.ensemble.testkit.linearizability.LinearizabilityVerdict;
import java.time.Duration;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.LongFunction;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;

/** An SWMR cache over two sites. An operator declares one site lost, later the other. */
@Execution(ExecutionMode.CONCURRENT)
class SwmrTwoSitesTest {

  /** The number of seeds and the first seed; deep runs can be divided. */
  private static final int SEEDS =
      Integer.getInteger("ensemble.seeds", Boolean.getBoolean("ensemble.deep") ? 600 : 8);

  private static final long FIRST = Long.getLong("ensemble.firstSeed", 0);

  private static final Bytes KEY = Bytes.of((byte) 7);

  /** A run of the correct protocol, which must end and be linearizable. */
  private static Run right(long seed, Acknowledgement acknowledgement) {
    Run run =
        new TwoSiteWorkload(seed, acknowledgement, FaultyVoterSetEnd.leases(), Way.RIGHT).run();
    FailureArtifacts.requireLinearizable(
        run.verdict(), run.history(), SwmrTwoSitesTest.class, acknowledgement + "-" + seed);
    assertThat(run.finished()).as("every call and command ends; seed=%d %s", seed, run).isTrue();
    return run;
  }

  @Test
  void everyHistoryIsLinearizableThoughStoresOfEitherSiteAreDiscardedRepeatedly() {
    requireLinearizable(FIRST, SEEDS);
  }

  @Tag("nightly")
  @Test
  void moreHistoriesAreLinearizableThoughStoresOfEitherSiteAreDiscarded() {
    requireLinearizable(8, 32);
  }

  private static void requireLinearizable(long first, int seeds) {
    int done = 0;
    for (long seed = first; seed < first + seeds; seed++) {
      Run run = right(seed, Acknowledgement.MAJORITY);
      done += run.done();
    }
    System.out.printf("two sites, %d seeds: %d done%n", seeds, done);
    assertThat(done).isGreaterThan(seeds * 60);
  }

  @Test
  void whatThePrimaryAloneAcknowledgedIsKeptOrReportedThoughStoresOfEitherSiteAreDiscarded() {
    requireKeptOrReported(FIRST, SEEDS);
  }

  @Tag("nightly")
  @Test
  void moreOfWhatThePrimaryAloneAcknowledgedIsKeptOrReported() {
    requireKeptOrReported(8, 32);
  }

  private static void requireKeptOrReported(long first, int seeds) {
    Map<Fate, Integer> fates = new EnumMap<>(Fate.class);
    int done = 0;
    for (long seed = first; seed < first + seeds; seed++) {
      Run run = right(seed, Acknowledgement.PRIMARY);
      assertThat(run.mistakes()).as("seed=%d", seed).isEmpty();
      assertThat(run.losses().unsettled()).as("seed=%d", seed).isEmpty();
      done += run.done();
      for (Fate fate : Fate.values()) {
        fates.merge(fate, run.losses().count(fate), Integer::sum);
      }
    }
    System.out.printf(
        "two sites, %d seeds, by the primary: %d done, fates %s%n", seeds, done, fates);
    assertThat(done).isGreaterThan(seeds * 60);
    assertThat(fates.get(Fate.LOST) + fates.get(Fate.OVERWRITTEN)).isPositive();
    assertThat(fates.get(Fate.KEPT)).isPositive();
  }

  @Test
  void aWindowThatIsNotReportedIsCaught() {
    assertThat(
            isCaught(
                seed ->
                    new TwoSiteWorkload(
                            28 + seed,
                            Acknowledgement.PRIMARY,
                            FaultyVoterSetEnd.leases(),
                            Way.RIGHT)
                        .unheard()))
        .isTrue();
  }

  /** A process whose lease has not expired reads and acknowledges without the new voter set. */
  @Test
  void goingOnWithoutOutwaitingTheLeasesIsCaught() {
    assertThat(isCaught(128, FaultyVoterSetEnd.withoutWaiting(), Way.RIGHT)).isTrue();
  }

  /**
   * A process that reaches both sites uses the former voter set, beside those that use the new one.
   */
  @Test
  @Tag("nightly")
  void aRecordThatStaysOpenIsCaught() {
    assertThat(isCaught(8, FaultyVoterSetEnd.leases(), Way.NOT_CLOSED)).isTrue();
  }

  /** The site that came back lacks the keys that were neither read nor written since. */
  @Test
  void aSiteThatCountsAsFilledAtOnceIsCaught() {
    assertThat(isCaught(0, FaultyVoterSetEnd.leases(), Way.FILLED_AT_ONCE)).isTrue();
  }

  /**
   * Site s1 has its store, and a process with a copy of the catalog has continued to write to it.
   */
  @Test
  void aSiteThatWentOnByACopyOfTheCatalogIsNotTakenForALeftover() {
    SimFederation federation = SimFederation.builder().sites("s0", "s1").clients(0).build();
    SwmrSimCache scene = new SwmrSimCache(federation);
    SimClient here = federation.newClient();
    SimClient there = federation.newClient();
    OpenSwmrCache first = scene.open(here);
    assertThat(write(scene, here, first, 1)).isTrue();
    SwmrSimCache copied = new SwmrSimCache(scene);
    OpenSwmrCache second = copied.open(there);

    goOn(scene, here, first, "s0");
    assertThat(write(scene, here, first, 2)).isTrue();
    scene.get(
        first.end(
            scene.stored().roll(),
            store(scene, here, "s0"),
            List.of("s0", "s1"),
            SwmrSimCache.soon(here)));
    goOn(scene, here, first, "s0"); // The state after a recovery that ended half-way.
    assertThat(scene.stored().roll().number()).isEqualTo(3);
    goOn(copied, there, second, "s1");
    assertThat(write(copied, there, second, 3)).isTrue();

    assertThatThrownBy(() -> scene.get(scene.recover(here, "s1", first)))
        .isInstanceOf(SplitBrainException.class)
        .hasMessageContaining("site=s1 other=s0");
    assertThatThrownBy(() -> copied.get(copied.recover(there, "s0", second)))
        .isInstanceOf(SplitBrainException.class)
        .hasMessageContaining("site=s0 other=s1");
    assertThat(read(copied, there, second)).contains(3L);

    scene.get(scene.recover(here, "s1", FormerStorePolicy.DISCARD, first));
    scene.get(scene.look(first));
    scene.get(first.filled("s1", SwmrSimCache.soon(here)));
    assertThat(read(scene, here, first)).contains(2L);
    assertThat(write(copied, there, second, 4)).as("it has lost its store").isFalse();
  }

  @Test
  void aSiteThatIsNotFilledYetDoesNotGoOnAloneAndTheOtherMay() {
    SimFederation federation = SimFederation.builder().sites("s0", "s1").clients(0).build();
    SwmrSimCache scene = new SwmrSimCache(federation);
    SimClient client = federation.newClient();
    OpenSwmrCache cache = scene.open(client);
    assertThat(write(scene, client, cache, 1)).isTrue();
    goOn(scene, client, cache, "s1");

    scene.get(scene.recover(client, "s0", cache));
    assertThatThrownBy(() -> scene.get(scene.goOnAt(client, "s0", cache)))
        .isInstanceOf(SiteIncompleteException.class);
    goOn(scene, client, cache, "s1");
    scene.get(scene.recover(client, "s0", cache));
    scene.get(scene.look(cache));
    assertThat(scene.get(cache.filled("s0", SwmrSimCache.soon(client)))).isEqualTo(1);

    goOn(scene, client, cache, "s0");
    assertThat(read(scene, client, cache)).contains(1L);
  }

  @Test
  void whatOnlyTheLostPrimaryHadIsReportedByAWriterThatLives() {
    SimFederation federation = SimFederation.builder().sites("s0", "s1").clients(0).build();
    SwmrSimCache scene =
        new SwmrSimCache(federation, Acknowledgement.PRIMARY, FaultyVoterSetEnd.leases());
    SimClient client = federation.newClient();
    OpenSwmrCache writer = scene.open(client);
    List<InDoubtWrites<Bytes>> reports = new ArrayList<>();
    writer.listen(reports::add);
    assertThat(write(scene, client, writer, 1)).isTrue();
    federation.run(() -> writer.window().writes() == 0, SwmrSimCache.LONG);
    federation.inject(new Fault.Cut(client.name(), "s1", true, true));
    assertThat(write(scene, client, writer, 2)).as("by the primary alone").isTrue();

    federation.inject(new Fault.SiteDown("s0", LostState.STORES));
    SimClient operator = federation.newClient();
    goOn(scene, operator, scene.open(operator), "s1");
    federation.inject(new Fault.Heal(client.name(), "s1"));

    federation.run(() -> reports.size() == 2, Duration.ofMinutes(2));
    assertThat(reports).extracting(InDoubtWrites::fate).containsExactly(Fate.UNKNOWN, Fate.LOST);
    assertThat(reports).allMatch(told -> told.writes().size() == 1);
    assertThat(read(scene, client, writer)).contains(1L);
  }

  /** The process relies on its term until the lease expires, while the primary has a new store. */
  @Test
  void whoSleptThroughALossAndARecoveryDoesNotTakeTheNewStoreForTheOld() {
    SimFederation federation = SimFederation.builder().sites("s0", "s1").clients(0).build();
    SwmrSimCache scene = new SwmrSimCache(federation);
    SimClient operator = federation.newClient();
    OpenSwmrCache commands = scene.open(operator);
    SimClient client = federation.newClient();
    OpenSwmrCache cache = scene.open(client);
    assertThat(write(scene, client, cache, 1)).isTrue();
    scene.get(cache.promote("s1", SwmrSimCache.soon(client)));
    federation.run(Duration.ofSeconds(20));
    assertThat(scene.get(cache.term(SwmrSimCache.soon(client))).whole()).isTrue();

    scene.get(scene.goOnAt(operator, "s0", commands));
    scene.get(scene.recover(operator, "s1", FormerStorePolicy.DISCARD, commands));
    assertThat(scene.stored().roll().number()).isEqualTo(3);
    scene.get(scene.look(cache));

    assertThat(read(scene, client, cache)).contains(1L);
  }

  @Test
  void theRegistersOfRollsThatAreOverAreClosed() {
    SimFederation federation = SimFederation.builder().sites("s0", "s1").clients(0).build();
    SwmrSimCache scene = new SwmrSimCache(federation);
    SimClient client = federation.newClient();
    OpenSwmrCache cache = scene.open(client);
    for (int i = 0; i < 3; i++) {
      goOn(scene, client, cache, "s0");
      scene.get(scene.recover(client, "s1", cache));
      scene.get(scene.look(cache));
      scene.get(cache.filled("s1", SwmrSimCache.soon(client)));
    }
    assertThat(scene.stored().roll().number()).isEqualTo(7);

    federation.run(Duration.ofSeconds(10));
    assertThat(SwmrInternals.registers(cache)).isEqualTo(1);
  }

  /** As after the restart of an in-memory node: no operator has to let the cache continue. */
  @Test
  void aLostStoreIsReplacedWhileTheOtherSiteHasAll() {
    SimFederation federation = SimFederation.builder().sites("s0", "s1").clients(0).build();
    SwmrSimCache scene = new SwmrSimCache(federation);
    SimClient client = federation.newClient();
    OpenSwmrCache cache = scene.open(client);
    assertThat(write(scene, client, cache, 1)).isTrue();
    assertThatThrownBy(() -> scene.get(scene.recover(client, "s0", cache)))
        .isInstanceOf(StoreIntactException.class);
    assertThat(scene.stored().roll().number()).isEqualTo(1);
    for (String lost : List.of("s0", "s1", "s1", "s0")) {
      federation.inject(new Fault.SiteDown(lost, LostState.STORES));
      federation.inject(new Fault.SiteUp(lost));

      scene.get(scene.recover(client, lost, cache));

      scene.get(scene.look(cache));
      assertThat(scene.stored().roll().sites()).containsExactlyInAnyOrder("s0", "s1");
      assertThat(scene.get(cache.filled(lost, SwmrSimCache.soon(client)))).isEqualTo(1);
      assertThat(read(scene, client, cache)).contains(1L);
    }
    assertThat(write(scene, client, cache, 2)).isTrue();
  }

  /** The process that gave the store up died before it published the next voter set. */
  @Test
  void aRecoveryThatDiedHalfWayIsFinished() {
    SimFederation federation = SimFederation.builder().sites("s0", "s1").clients(0).build();
    SwmrSimCache scene = new SwmrSimCache(federation);
    SimClient client = federation.newClient();
    OpenSwmrCache cache = scene.open(client);
    assertThat(write(scene, client, cache, 1)).isTrue();
    scene.get(
        cache.end(
            scene.stored().roll(),
            store(scene, client, "s1"),
            List.of("s1", "s0"),
            SwmrSimCache.soon(client)));

    scene.get(scene.recover(client, "s0", cache));

    scene.get(scene.look(cache));
    assertThat(scene.stored().roll().number()).isEqualTo(2);
    assertThat(read(scene, client, cache)).contains(1L);
  }

  /** The process that replaced the store may have ended. */
  @Test
  void anybodyFillsAReplacedStore() {
    SimFederation federation = SimFederation.builder().sites("s0", "s1").clients(0).build();
    SwmrSimCache scene = new SwmrSimCache(federation);
    SimClient client = federation.newClient();
    OpenSwmrCache writer = scene.open(client);
    assertThat(write(scene, client, writer, 1)).isTrue();
    SimClient refiller = federation.newClient();
    federation.inject(new Fault.SiteDown("s0", LostState.STORES));
    federation.inject(new Fault.SiteUp("s0"));
    scene.get(scene.recover(refiller, "s0", scene.open(refiller)));
    federation.inject(new Fault.ClientCrash(refiller.name()));
    SimClient reader = federation.newClient();
    OpenSwmrCache readers = scene.open(reader);

    scene.get(readers.fill(SwmrSimCache.soon(reader)));

    federation.inject(new Fault.SiteDown("s1", LostState.STORES));
    goOn(scene, reader, readers, "s0");
    assertThat(read(scene, reader, readers)).contains(1L);
  }

  /** Its former store is kept until the other site has all entries. */
  @Test
  void theOnlyCompleteSiteIsNotDiscarded() {
    SimFederation federation = SimFederation.builder().sites("s0", "s1").clients(0).build();
    SwmrSimCache scene = new SwmrSimCache(federation);
    SimClient client = federation.newClient();
    OpenSwmrCache cache = scene.open(client);
    assertThat(write(scene, client, cache, 1)).isTrue();
    scene.get(scene.recover(client, "s1", FormerStorePolicy.DISCARD, cache));

    assertThatThrownBy(
            () -> scene.get(scene.recover(client, "s0", FormerStorePolicy.DISCARD, cache)))
        .isInstanceOf(SiteIncompleteException.class);

    scene.get(scene.look(cache));
    scene.get(cache.filled("s1", SwmrSimCache.soon(client)));
    assertThat(read(scene, client, cache)).contains(1L);
    scene.get(scene.recover(client, "s0", FormerStorePolicy.DISCARD, cache));
    scene.get(scene.look(cache));
    scene.get(cache.filled("s0", SwmrSimCache.soon(client)));
    assertThat(read(scene, client, cache)).contains(1L);
  }

  @Test
  void theOnlySiteThatCountsIsNotRecoveredFromAnother() {
    SimFederation federation = SimFederation.builder().sites("s0", "s1").clients(0).build();
    SwmrSimCache scene = new SwmrSimCache(federation);
    SimClient client = federation.newClient();
    OpenSwmrCache cache = scene.open(client);
    goOn(scene, client, cache, "s1");
    federation.inject(new Fault.SiteDown("s1", LostState.STORES));
    federation.inject(new Fault.SiteUp("s1"));

    assertThatThrownBy(() -> scene.get(scene.recover(client, "s1", cache)))
        .isInstanceOf(QuorumUnavailableException.class)
        .hasMessageContaining("no other voter is left");
  }

  private static SiteStore store(SwmrSimCache scene, SimClient by, String site) {
    String name = scene.stored().store(site).orElseThrow();
    return scene.federation.stores(by, name, StoreKind.REPLICA).get(site);
  }

  private static void goOn(SwmrSimCache scene, SimClient by, OpenSwmrCache engine, String site) {
    scene.get(scene.goOnAt(by, site, engine));
    scene.get(scene.look(engine));
    assertThat(scene.get(engine.promote(site, SwmrSimCache.soon(by))).primary()).isEqualTo(site);
  }

  private static boolean write(SwmrSimCache scene, SimClient by, OpenSwmrCache engine, long value) {
    Payload payload = new Payload(Bytes.of((byte) value), 0);
    return scene.get(engine.write(KEY, payload, SwmrSimCache.soon(by)))
        instanceof WriteOutcome.Applied<Void>;
  }

  private static Optional<Long> read(SwmrSimCache scene, SimClient by, OpenSwmrCache engine) {
    return scene
        .get(engine.read(KEY, SwmrSimCache.soon(by)))
        .map(payload -> (long) payload.value().array()[0]);
  }

  private static boolean isCaught(long first, TermLeaseRules termLeaseRules, Way way) {
    return isCaught(
        seed -> new TwoSiteWorkload(first + seed, Acknowledgement.MAJORITY, termLeaseRules, way));
  }

  private static boolean isCaught(LongFunction<TwoSiteWorkload> planted) {
    for (long seed = 0; seed < 200; seed++) {
      Run run = planted.apply(seed).run();
      if (run.verdict() instanceof LinearizabilityVerdict.Violation) {
        System.out.printf("caught by run %d%n", seed);
        return true;
      }
    }
    return false;
  }
}
