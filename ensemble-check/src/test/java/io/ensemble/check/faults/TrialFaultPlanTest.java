package io.ensemble.check.faults;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.ensemble.check.faults.TrialFaultPlan.Round;
import io.ensemble.check.faults.TrialFaultPlan.Settings;
import io.ensemble.check.objects.ObjectStoreKind;
import java.util.EnumSet;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.MethodSource;

class TrialFaultPlanTest {
  private static final Set<TrialFaultKind> ALL = EnumSet.allOf(TrialFaultKind.class);
  private static final Settings ONE_SITE =
      new Settings(1, 3, ObjectStoreKind.HOTROD.faults(), 0, false);
  private static final int SEEDS = 200;
  private static final int ROUNDS = 60;

  static Stream<Settings> settings() {
    return Stream.of(
        new Settings(3, 3, ALL, 1, false),
        new Settings(3, 3, TrialFaultKind.ofSites(), 1, true),
        new Settings(3, 3, EnumSet.of(TrialFaultKind.CATALOG, TrialFaultKind.KILL), 1, false),
        new Settings(5, 3, ALL, 2, false),
        new Settings(5, 4, EnumSet.of(TrialFaultKind.AMNESIA), 2, true),
        new Settings(2, 3, ALL, 1, false),
        new Settings(3, 1, EnumSet.of(TrialFaultKind.KILL, TrialFaultKind.CUT), 1, false));
  }

  /** A round begins after the former one has been repaired, so the bound applies to each round. */
  @ParameterizedTest
  @MethodSource("settings")
  void noMoreSitesLoseTheirMemoryInARoundThanMay(Settings settings) {
    int most = 0;
    for (long seed = 0; seed < SEEDS; seed++) {
      for (Round round : rounds(seed, settings)) {
        int lost =
            (int)
                round.faults().stream()
                    .filter(
                        f -> f.kind().takesMemory(settings.killedSitesRemember(), settings.sites()))
                    .map(PlannedFault::site)
                    .distinct()
                    .count();
        assertThat(lost).as("seed %d %s", seed, round).isLessThanOrEqualTo(settings.forgetful());
        most = Math.max(most, lost);
      }
    }
    assertThat(most).as("the bound is reached").isEqualTo(settings.forgetful());
  }

  /** Each of two sites may hold one replica, on any of its nodes. */
  @Test
  void atTwoSitesOneFaultOfARoundTakesMemory() {
    Set<TrialFaultKind> takers =
        EnumSet.of(
            TrialFaultKind.AMNESIA,
            TrialFaultKind.KILL,
            TrialFaultKind.NODE,
            TrialFaultKind.REPLACE);
    Settings settings = new Settings(2, 3, ALL, 1, false);
    for (long seed = 0; seed < SEEDS; seed++) {
      for (Round round : rounds(seed, settings)) {
        assertThat(round.faults().stream().filter(f -> takers.contains(f.kind())).count())
            .as("seed %d %s", seed, round)
            .isLessThanOrEqualTo(1);
      }
    }
  }

  @ParameterizedTest
  @MethodSource("settings")
  void aSiteHasOneFaultInARoundAndAtMostOneOfItsNodesDies(Settings settings) {
    for (long seed = 0; seed < SEEDS; seed++) {
      for (Round round : rounds(seed, settings)) {
        assertThat(round.faults()).hasSizeBetween(1, 2);
        assertThat(
                round.faults().stream()
                    .map(PlannedFault::site)
                    .filter(site -> site != PlannedFault.NO_SITE))
            .doesNotHaveDuplicates();
        for (PlannedFault fault : round.faults()) {
          if (fault.kind().isOfASite()) {
            assertThat(fault.site()).isBetween(0, settings.sites() - 1);
          } else {
            assertThat(fault.site()).isEqualTo(PlannedFault.NO_SITE);
            assertThat(fault.node()).isEqualTo(PlannedFault.ALL);
          }
          assertThat(fault.node()).isBetween(PlannedFault.ALL, settings.nodes() - 1);
          assertThat(fault.kind()).isIn(settings.kinds());
          assertThat(fault.node() == PlannedFault.ALL || fault.kind() != TrialFaultKind.KILL)
              .isTrue();
          assertThat(fault.node() != PlannedFault.ALL || fault.kind() != TrialFaultKind.NODE)
              .isTrue();
          assertThat(fault.forMillis()).isBetween(500, 7_000);
          assertThat(fault.afterMillis()).isBetween(0, 7_000);
        }
      }
    }
  }

  @Test
  void atOneSiteAloneItsFaultsMeetOnlyThoseOfClients() {
    TrialFaultPlan plan = new TrialFaultPlan(1, ONE_SITE);
    List<TrialFaultPlan.Round> rounds = Stream.generate(plan::next).limit(200).toList();

    assertThat(rounds).anyMatch(round -> round.faults().size() == 2);
    assertThat(rounds)
        .allMatch(
            round ->
                round.faults().stream().filter(fault -> fault.kind().isOfASite()).count() <= 1);
    assertThat(rounds.stream().flatMap(round -> round.faults().stream()).map(PlannedFault::kind))
        .containsAll(ObjectStoreKind.HOTROD.faults());
  }

  @Test
  void aMajorityOutOfReachIsSoForAMomentOnly() {
    Settings settings = new Settings(3, 3, ALL, 1, false);
    int blackouts = 0;
    for (long seed = 0; seed < SEEDS; seed++) {
      for (Round round : rounds(seed, settings)) {
        List<PlannedFault> silent =
            round.faults().stream().filter(f -> f.kind().silences()).toList();
        if (silent.size() > 1) {
          blackouts++;
          assertThat(silent).anyMatch(f -> f.forMillis() <= 1_500);
        }
      }
    }
    assertThat(blackouts).isPositive();
  }

  @ParameterizedTest
  @MethodSource("settings")
  void everyKindComesOnceBeforeAnyComesAgain(Settings settings) {
    for (long seed = 0; seed < SEEDS; seed++) {
      Set<TrialFaultKind> came = new HashSet<>();
      rounds(seed, settings).stream()
          .limit(settings.kinds().size())
          .forEach(round -> round.faults().forEach(fault -> came.add(fault.kind())));
      assertThat(came).as("seed %d", seed).isEqualTo(settings.kinds());
    }
  }

  @ParameterizedTest
  @MethodSource("settings")
  void whileTheCacheComesToOtherStoresNoSiteLosesItsMemoryAndItComesToNoOthers(Settings settings) {
    int besides = 0;
    for (long seed = 0; seed < SEEDS; seed++) {
      for (Round round : rounds(seed, settings)) {
        List<TrialFaultKind> kinds = round.faults().stream().map(PlannedFault::kind).toList();
        if (kinds.stream().anyMatch(TrialFaultKind::isAChange)) {
          besides += kinds.size() - 1;
          assertThat(kinds)
              .noneMatch(
                  kind -> kind.takesMemory(settings.killedSitesRemember(), settings.sites()));
          assertThat(kinds.stream().filter(TrialFaultKind::isAChange)).hasSize(1);
        }
      }
    }
    assertThat(besides > 0)
        .isEqualTo(settings.kinds().stream().anyMatch(TrialFaultKind::isAChange));
  }

  @Test
  void aSeedGivesOnePlanAndAnotherAnother() {
    Settings settings = new Settings(3, 3, ALL, 1, false);

    assertThat(rounds(7, settings))
        .isEqualTo(rounds(7, settings))
        .isNotEqualTo(rounds(8, settings));
  }

  @ParameterizedTest
  @EnumSource(
      value = TrialFaultKind.class,
      names = {"KILL", "AMNESIA"})
  void aMajorityWithoutMemoryIsRefused(TrialFaultKind kind) {
    assertThatThrownBy(() -> new Settings(2, 3, Set.of(kind), 0, false))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("--faults " + kind.word() + " requires more sites");
  }

  @Test
  void aSiteThatKeepsItsMemoryMayBeKilledWhereNoneMayForget() {
    Settings settings = new Settings(2, 3, Set.of(TrialFaultKind.KILL), 0, true);

    assertThat(rounds(1, settings)).isNotEmpty();
  }

  @Test
  void aNodeOfTwoIsNotKilled() {
    assertThatThrownBy(() -> new Settings(3, 2, Set.of(TrialFaultKind.NODE), 1, false))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("--faults node requires sites of 3 nodes or more; a site has 2");
    assertThat(Settings.possible(ALL, 3, 1, 1, false)).doesNotContain(TrialFaultKind.NODE);
    assertThat(Settings.possible(ALL, 2, 3, 0, false))
        .doesNotContain(TrialFaultKind.KILL, TrialFaultKind.AMNESIA)
        .contains(TrialFaultKind.NODE, TrialFaultKind.CUT);
  }

  @Test
  void aSiteOfTwoNodesIsNotSplit() {
    assertThatThrownBy(() -> new Settings(3, 2, Set.of(TrialFaultKind.SPLIT), 1, false))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("--faults split requires sites of 3 nodes or more; a site has 2");
  }

  @Test
  void nodesAreRestartedInTurnWhereAReplicaOrASiteMayBeLost() {
    Set<TrialFaultKind> rolling = Set.of(TrialFaultKind.ROLLING);

    assertThat(Settings.possible(rolling, 1, 3, 0, false)).isNotEmpty();
    assertThat(Settings.possible(rolling, 2, 3, 0, false)).isNotEmpty();
    assertThat(Settings.possible(rolling, 3, 1, 1, false)).isNotEmpty();
    assertThat(Settings.possible(rolling, 3, 2, 1, false)).isEmpty();
    assertThatThrownBy(() -> new Settings(1, 1, rolling, 0, false))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining(
            "--faults rolling requires sites of 3 nodes or more, or 3 sites of one");
  }

  @ParameterizedTest
  @MethodSource("settings")
  void whileNodesAreRestartedInTurnNothingElseStopsOrStartsNodes(Settings settings) {
    Set<TrialFaultKind> besides = new HashSet<>();
    for (long seed = 0; seed < SEEDS; seed++) {
      for (Round round : rounds(seed, settings)) {
        List<TrialFaultKind> kinds = round.faults().stream().map(PlannedFault::kind).toList();
        if (kinds.contains(TrialFaultKind.ROLLING)) {
          assertThat(kinds).containsOnlyOnce(TrialFaultKind.ROLLING);
          besides.addAll(kinds);
        }
      }
    }
    if (settings.kinds().contains(TrialFaultKind.ROLLING)) {
      Set<TrialFaultKind> allowed =
          EnumSet.of(
              TrialFaultKind.ROLLING,
              TrialFaultKind.CUT,
              TrialFaultKind.ONEWAY,
              TrialFaultKind.SLOW);
      if (settings.kinds().contains(TrialFaultKind.LISTENER)) {
        allowed.add(TrialFaultKind.LISTENER);
      }
      assertThat(besides).containsExactlyInAnyOrderElementsOf(allowed);
    } else {
      assertThat(besides).isEmpty();
    }
  }

  @ParameterizedTest
  @MethodSource("settings")
  void noSiteIsSplitWhileTheCacheComesToOtherStores(Settings settings) {
    for (long seed = 0; seed < SEEDS; seed++) {
      for (Round round : rounds(seed, settings)) {
        List<TrialFaultKind> kinds = round.faults().stream().map(PlannedFault::kind).toList();
        if (kinds.contains(TrialFaultKind.SPLIT)) {
          assertThat(kinds).noneMatch(TrialFaultKind::isAChange);
        }
      }
    }
  }

  @Test
  void theNodeThatIsReplacedDiesOrIsCutOff() {
    Settings settings =
        new Settings(3, 3, EnumSet.of(TrialFaultKind.REPLACE, TrialFaultKind.NODE), 1, false);
    for (long seed = 0; seed < SEEDS; seed++) {
      for (Round round : rounds(seed, settings)) {
        for (PlannedFault fault : round.faults()) {
          assertThat(fault.node()).isBetween(0, 2);
          assertThat(fault.siteAfter(1).kind()).isIn(TrialFaultKind.NODE, TrialFaultKind.CUT);
          assertThat(fault.siteAfter(1).node()).isEqualTo(1);
        }
      }
    }
    assertThat(new Settings(1, 4, EnumSet.of(TrialFaultKind.REPLACE), 0, false).kinds()).hasSize(1);
    assertThatThrownBy(() -> new Settings(1, 3, EnumSet.of(TrialFaultKind.REPLACE), 0, false))
        .hasMessageContaining("--faults replace requires 4 nodes or more at one site");
    assertThatThrownBy(() -> new Settings(3, 1, EnumSet.of(TrialFaultKind.REPLACE), 1, false))
        .hasMessageContaining("--faults replace requires sites of 3 nodes or more");
  }

  /** Each of two sites holds two replicas of four, and three are a majority. */
  @Test
  void atTwoSitesOneNodeAtMostLosesItsReplicasInARound() {
    Settings settings =
        new Settings(2, 3, EnumSet.of(TrialFaultKind.NODE, TrialFaultKind.SPLIT), 0, false);
    for (long seed = 0; seed < SEEDS; seed++) {
      assertThat(rounds(seed, settings))
          .noneMatch(
              round ->
                  round.faults().stream().filter(f -> f.kind() == TrialFaultKind.NODE).count() > 1);
    }
  }

  @Test
  void aSplitLeavesEachNodeAloneOrOneAndTheOthers() {
    PlannedFault all = new PlannedFault(TrialFaultKind.SPLIT, 0, PlannedFault.ALL, 0, 0, 0);
    PlannedFault one = new PlannedFault(TrialFaultKind.SPLIT, 0, 1, 0, 0, 0);
    Settings settings = new Settings(1, 3, Set.of(TrialFaultKind.SPLIT), 0, false);

    assertThat(all.groups(3)).containsExactly(List.of(0), List.of(1), List.of(2));
    assertThat(one.groups(3)).containsExactly(List.of(1), List.of(0, 2));
    assertThat(rounds(1, settings).stream().map(round -> round.faults().get(0).node()))
        .contains(PlannedFault.ALL, 0, 1, 2);
  }

  @Test
  void ofNodesThatAreRestartedInTurnEverySecondIsKilled() {
    PlannedFault even =
        new PlannedFault(
            TrialFaultKind.ROLLING, PlannedFault.NO_SITE, PlannedFault.ALL, 0, 700, 42);
    PlannedFault odd =
        new PlannedFault(
            TrialFaultKind.ROLLING, PlannedFault.NO_SITE, PlannedFault.ALL, 0, 700, 43);

    assertThat(even.restartOf(0, 0, 0).kills()).isTrue();
    assertThat(even.restartOf(0, 1, 1).kills()).isFalse();
    assertThat(odd.restartOf(0, 0, 0).kills()).isFalse();
    assertThat(odd.restartOf(1, 2, 5).words("oslo")).isEqualTo("restart oslo-2 (killed)");
    assertThat(odd.restartOf(1, 2, 5).forMillis()).isEqualTo(700);
  }

  private static List<Round> rounds(long seed, Settings settings) {
    TrialFaultPlan plan = new TrialFaultPlan(seed, settings);
    return Stream.generate(plan::next).limit(ROUNDS).toList();
  }
}
