package io.ensemble.redundancy;

import static org.assertj.core.api.Assertions.assertThat;

import io.ensemble.CacheDefinition;
import io.ensemble.Mode;
import io.ensemble.RecordingLogger;
import io.ensemble.catalog.SiteDirectory;
import io.ensemble.catalog.StubSite;
import io.ensemble.catalog.definition.StoredDefinition;
import io.ensemble.detect.SuspicionLevel;
import io.ensemble.primary.VoterSet;
import io.ensemble.schedule.ThreadScheduler;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** How redundant a cache is, and what is reported when that changes. */
class CacheRedundancyTest {

  private static final String BIRTH = "0123456789abcdef01234567";
  private static final String TOKEN = "00000001";
  private static final Map<String, String> STORES = Map.of("a", TOKEN, "b", TOKEN, "c", TOKEN);

  private final ThreadScheduler scheduler = new ThreadScheduler(1);
  private final StubSite a = new StubSite("a");
  private final StubSite b = new StubSite("b");
  private final List<String> lines = new ArrayList<>();
  private final RedundancyMonitor monitor =
      new RedundancyMonitor(
          SiteDirectory.of(Map.of("a", a, "b", b)), scheduler, new RecordingLogger(lines));

  @AfterEach
  void stop() {
    scheduler.close();
  }

  private static StoredDefinition stored(Mode mode, Map<String, String> stores) {
    return StoredDefinition.first(
        CacheDefinition.of("s", mode).sites("a", "b", "c").build(), BIRTH, stores);
  }

  private static CacheRedundancy of(StoredDefinition stored, String... away) {
    return CacheRedundancy.of(
        stored,
        replica ->
            Set.of(away).contains(replica) ? ReplicaState.NODE_UNREACHABLE : ReplicaState.WHOLE);
  }

  @Test
  void aMajorityHasToBeWholeAndInWeakOne() {
    for (Mode mode : new Mode[] {Mode.SWMR, Mode.MWMR}) {
      StoredDefinition strong = stored(mode, STORES);
      assertThat(of(strong).needed()).isEqualTo(2);
      assertThat(of(strong).canLose()).isEqualTo(1);
      assertThat(of(strong).isUnderReplicated()).isFalse();
      assertThat(of(strong, "b").canLose()).isZero();
      assertThat(of(strong, "b").isServed()).isTrue();
      assertThat(of(strong, "b").isUnderReplicated()).isTrue();
      assertThat(of(strong, "b", "c").isServed()).isFalse();
      assertThat(of(strong, "b", "c").canLose()).isZero();
    }
    StoredDefinition weak = stored(Mode.WEAK, STORES);
    assertThat(of(weak).canLose()).isEqualTo(2);
    assertThat(of(weak, "a", "b").isServed()).isTrue();
    assertThat(of(weak, "a", "b", "c").isServed()).isFalse();
  }

  @Test
  void aReplicaWithoutAStoreInTheRecordIsMissing() {
    CacheRedundancy two = of(stored(Mode.MWMR, Map.of("a", TOKEN, "b", TOKEN)));

    assertThat(two.whole()).isEqualTo(2);
    assertThat(two.asked()).isEqualTo(3);
    assertThat(two.missing())
        .containsExactly(new CacheRedundancy.Replica("c", ReplicaState.NO_STORE));
  }

  /** After a promotion without the other site, the remaining site is the only voter. */
  @Test
  void inSwmrThoseOfTheRollCount() {
    StoredDefinition alone =
        new StoredDefinition(
            CacheDefinition.of("s", Mode.SWMR).sites("a", "b").build(),
            BIRTH,
            1,
            new VoterSet(2, List.of("b"), 7, 7, 2),
            Map.of("b", TOKEN),
            2,
            Optional.empty(),
            true);

    assertThat(of(alone).isServed()).isTrue();
    assertThat(of(alone).needed()).isEqualTo(1);
    assertThat(of(alone).missing())
        .containsExactly(new CacheRedundancy.Replica("a", ReplicaState.LEFT_OUT));
    assertThat(of(alone, "b").isServed()).isFalse();
  }

  @Test
  void aReplicaThatGoesMissingIsReportedOnceAndSoIsItsReturn() {
    StoredDefinition stored =
        StoredDefinition.first(
            CacheDefinition.of("s", Mode.MWMR).sites("a").replicas(3).build(),
            BIRTH,
            Map.of("a/1", "00000001", "a/2", "00000002", "a/3", "00000003"));
    String second = stored.store("a/2").orElseThrow();
    List<CacheRedundancy> told = new ArrayList<>();
    monitor.listen(told::add);

    check(stored);
    monitor.found(second, ReplicaState.NODE_UNREACHABLE);
    check(stored);
    check(stored);
    monitor.found(second, ReplicaState.LOST);
    check(stored);
    monitor.found(second, ReplicaState.WHOLE);
    check(stored);

    assertThat(lines)
        .containsExactly(
            "WARN a replica is missing: its node does not answer; cache=s replica=a/2"
                + " state=NODE_UNREACHABLE whole=2 asked=3 canLose=0",
            "INFO a replica is no longer missing; cache=s replica=a/2 was=LOST whole=3 asked=3"
                + " canLose=1");
    assertThat(told).extracting(CacheRedundancy::whole).containsExactly(2, 2, 3);
  }

  private void check(StoredDefinition stored) {
    monitor.update(List.of(stored), List.of());
  }

  @Test
  void aSiteThatIsSuspectedHasNoWholeReplica() {
    a.health = new SuspicionLevel(SuspicionLevel.State.SUSPECTED, 9, 1_000);

    CacheRedundancy two = monitor.of(stored(Mode.MWMR, STORES));

    assertThat(two.missing())
        .containsExactly(new CacheRedundancy.Replica("a", ReplicaState.SITE_DOWN));
  }

  @Test
  void aCacheThatIsClosedIsForgottenWithoutAWord() {
    StoredDefinition stored = stored(Mode.MWMR, Map.of("a", TOKEN, "b", TOKEN));

    check(stored);
    monitor.update(List.of(), List.of());

    assertThat(monitor.of("s")).isEmpty();
    assertThat(lines).hasSize(1);
  }
}
