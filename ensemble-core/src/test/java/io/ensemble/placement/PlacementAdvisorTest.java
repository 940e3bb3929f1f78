package io.ensemble.placement;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import io.ensemble.Acknowledgement;
import io.ensemble.Mode;
import io.ensemble.placement.CacheUsage.Origin;
import io.ensemble.placement.PlacementAdvice.MeanLatency;
import io.ensemble.placement.PlacementAdvice.NearCacheGain;
import io.ensemble.placement.PlacementAdvice.Verdict;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Advice where the right answer is evident. Sites lie on a line, at round trips in ms. */
class PlacementAdvisorTest {

  private static final Map<String, Double> LINE =
      Map.of("a", 0.0, "b", 10.0, "c", 20.0, "d", 100.0, "e", 110.0, "f", 120.0);

  /** Processes near {@code site} that know the way to {@code known}. */
  private static Origin origin(String site, long reads, long writes, String... known) {
    Map<String, Double> trips = new TreeMap<>();
    for (String to : known) {
      trips.put(to, Math.max(0.2, Math.abs(LINE.get(site) - LINE.get(to))));
    }
    return new Origin(site, 1, reads, writes, trips);
  }

  private static Origin origin(String site, long reads, long writes) {
    return origin(site, reads, writes, "a", "b", "c", "d", "e", "f");
  }

  private static CacheUsage usage(Mode mode, List<String> replicas, Origin... origins) {
    return usage(
        mode,
        mode == Mode.WEAK ? Acknowledgement.LOCAL : Acknowledgement.MAJORITY,
        replicas,
        Optional.empty(),
        List.of(),
        origins);
  }

  private static CacheUsage usage(
      Mode mode,
      Acknowledgement acknowledgement,
      List<String> replicas,
      Optional<String> spreadBy,
      List<Long> hotKeys,
      Origin... origins) {
    Map<String, Map<String, String>> candidates = new TreeMap<>();
    for (String site : LINE.keySet()) {
      candidates.put(site, Map.of("region", LINE.get(site) < 50 ? "west" : "east"));
    }
    return new CacheUsage(
        mode, acknowledgement, replicas, candidates, spreadBy, List.of(origins), hotKeys);
  }

  @Test
  void tooFewOperationsAreNoBasis() {
    PlacementAdvice advice =
        PlacementAdvisor.advise(
            usage(Mode.WEAK, List.of("d"), origin("a", PlacementAdvisor.LEAST_OPERATIONS - 1, 0)));

    assertThat(advice.verdict()).isEqualTo(Verdict.NOT_ENOUGH_OPERATIONS);
    assertThat(advice.sites()).containsExactly("d");
    assertThat(advice.now()).isEmpty();
    assertThat(
            PlacementAdvisor.advise(
                    usage(
                        Mode.WEAK, List.of("d"), origin("a", PlacementAdvisor.LEAST_OPERATIONS, 0)))
                .verdict())
        .isEqualTo(Verdict.MOVE);
  }

  @ParameterizedTest
  @EnumSource(Mode.class)
  void aCacheFarFromItsUsersMovesToThem(Mode mode) {
    PlacementAdvice advice =
        PlacementAdvisor.advise(usage(mode, List.of("d", "e", "f"), origin("b", 9_000, 1_000)));

    assertThat(advice.verdict()).isEqualTo(Verdict.MOVE);
    assertThat(advice.sites()).contains("b").hasSize(3);
    if (mode != Mode.WEAK) { // One near replica is enough for WEAK.
      assertThat(advice.sites()).as("a majority nearby").containsAnyOf("a", "c");
    }
    if (mode == Mode.SWMR) {
      assertThat(advice.sites().get(0)).as("the primary").isEqualTo("b");
    }
    assertThat(advice.then().orElseThrow().operation())
        .isLessThan(0.3 * advice.now().orElseThrow().operation());
    assertThat(advice.unknown()).isEmpty();
  }

  @ParameterizedTest
  @EnumSource(Mode.class)
  void aCacheAtItsUsersStays(Mode mode) {
    PlacementAdvice advice =
        PlacementAdvisor.advise(usage(mode, List.of("b", "a", "c"), origin("b", 9_000, 1_000)));

    assertThat(advice.verdict()).isEqualTo(Verdict.STAY);
    assertThat(advice.sites()).containsExactly("b", "a", "c");
    assertThat(advice.then()).isEqualTo(advice.now());
  }

  @Test
  void latenciesAreThoseOfTheModes() {
    Origin user = origin("a", 1_500, 500);

    assertThat(now(usage(Mode.MWMR, List.of("b", "c", "d"), user)))
        .as("a majority; two round trips for a write")
        .isEqualTo(new MeanLatency(20, 40, 25));
    assertThat(now(usage(Mode.WEAK, List.of("b", "c", "d"), user)))
        .isEqualTo(new MeanLatency(10, 10, 10));
    assertThat(now(usage(Mode.WEAK, List.of("d", "c", "b"), user)))
        .as("the first one, since the own site has no replica")
        .isEqualTo(new MeanLatency(100, 100, 100));
    assertThat(now(usage(Mode.SWMR, List.of("c", "b", "d"), user)))
        .as("the primary; twice there and once to the nearer of the others")
        .isEqualTo(new MeanLatency(20, 50, 27.5));
    assertThat(
            now(
                usage(
                    Mode.SWMR,
                    Acknowledgement.PRIMARY,
                    List.of("c", "b", "d"),
                    Optional.empty(),
                    List.of(),
                    user)))
        .isEqualTo(new MeanLatency(20, 40, 25));
    assertThat(now(usage(Mode.MWMR, List.of("b/1", "b/2", "d"), user)))
        .as("two replicas at a site")
        .isEqualTo(new MeanLatency(10, 20, 12.5));
  }

  private static MeanLatency now(CacheUsage usage) {
    return PlacementAdvisor.advise(usage).now().orElseThrow();
  }

  @Test
  void usersAtBothEndsAreWeighedByTheirOperations() {
    Origin few = origin("e", 1_000, 0);

    assertThat(sites(usage(Mode.SWMR, List.of("c"), origin("a", 9_000, 0), few)))
        .containsExactly("a");
    assertThat(sites(usage(Mode.SWMR, List.of("c"), origin("a", 100, 0), few)))
        .containsExactly("e");
  }

  private static List<String> sites(CacheUsage usage) {
    return PlacementAdvisor.advise(usage).sites();
  }

  @Test
  void aSpreadIsKept() {
    Origin user = origin("b", 9_000, 1_000);
    PlacementAdvice advice =
        PlacementAdvisor.advise(
            usage(
                Mode.MWMR,
                Acknowledgement.MAJORITY,
                List.of("d", "e", "f"),
                Optional.of("region"),
                List.of(),
                user));

    assertThat(advice.sites()).as("two values of the label").hasSize(3).contains("b");
    assertThat(advice.sites()).containsAnyOf("d", "e", "f");
  }

  @Test
  void aSmallGainMovesNothing() {
    Origin user = new Origin("a", 1, 10_000, 0, Map.of("a", 0.25, "b", 0.28, "c", 0.3, "d", 0.26));

    assertThat(PlacementAdvisor.advise(usage(Mode.WEAK, List.of("b"), user)).verdict())
        .as("0.03 ms, a tenth")
        .isEqualTo(Verdict.STAY);
  }

  @Test
  void aSiteAtAnUnknownDistanceIsNamedAndNotAdvised() {
    Origin user = origin("a", 10_000, 0, "b", "d");

    PlacementAdvice advice = PlacementAdvisor.advise(usage(Mode.WEAK, List.of("d"), user));

    assertThat(advice.sites()).as("within a site, nothing was measured").containsExactly("a");
    assertThat(advice.unknown()).containsExactly("c", "e", "f");
    assertThat(PlacementAdvisor.advise(usage(Mode.MWMR, List.of("d", "e", "f"), user)).verdict())
        .isEqualTo(Verdict.DISTANCES_UNKNOWN);
  }

  @Test
  void theWayBackIsAsLong() {
    Origin user = origin("a", 10_000, 0, "d");
    Origin others = origin("b", 0, 0, "a", "d");

    PlacementAdvice advice =
        PlacementAdvisor.advise(usage(Mode.SWMR, List.of("b", "d", "e"), user, others));

    assertThat(advice.now().orElseThrow().read()).as("from a to b").isEqualTo(10);
  }

  @Test
  void operationsOfUnknownOriginDoNotDecide() {
    Origin unknown = new Origin("", 3, 1_000_000, 0, Map.of());

    assertThat(sites(usage(Mode.WEAK, List.of("d"), unknown, origin("a", 100, 0))))
        .containsExactly("a");
    assertThat(PlacementAdvisor.advise(usage(Mode.WEAK, List.of("d"), unknown)).verdict())
        .isEqualTo(Verdict.DISTANCES_UNKNOWN);
  }

  @Test
  void aNearCachePaysWhereReadsOfFewKeysDominate() {
    List<Long> hot = List.of(5_000L, 3_000L, 1_000L, 1L);

    NearCacheGain gain = nearCache(hot, origin("a", 9_900, 100)).orElseThrow();

    assertThat(gain.keys()).isEqualTo(3);
    assertThat(gain.hitRatio())
        .as("8,910 reads of three keys, less 90 invalidations and 3 first reads")
        .isCloseTo((8_910 - 90 - 3) / 9_900.0, within(1e-6));
    assertThat(gain.savedReadMillis().orElseThrow()).isCloseTo(gain.hitRatio() * 0.2, within(1e-6));
  }

  @Test
  void aNearCacheDoesNotPayOtherwise() {
    List<Long> hot = List.of(5_000L, 3_000L, 1_000L);

    assertThat(nearCache(hot, origin("a", 7_900, 2_100))).as("writes").isEmpty();
    assertThat(nearCache(List.of(2_000L), origin("a", 10_000, 0))).as("many keys").isEmpty();
    assertThat(nearCache(hot, new Origin("a", 100, 9_900, 100, Map.of("a", 0.2))))
        .as("each write costs each of 100 processes a miss")
        .isEmpty();
  }

  private static Optional<NearCacheGain> nearCache(List<Long> hot, Origin origin) {
    return PlacementAdvisor.advise(
            usage(Mode.WEAK, Acknowledgement.LOCAL, List.of("a"), Optional.empty(), hot, origin))
        .nearCache();
  }

  @Test
  void ofManySitesTheNearestAreCombined() {
    Map<String, Map<String, String>> candidates = new TreeMap<>();
    Map<String, Double> trips = new TreeMap<>();
    List<String> names = new ArrayList<>();
    for (int i = 0; i < 1_000; i++) {
      names.add("s%03d".formatted(i));
    }
    Collections.reverse(names); // The last by name is the nearest.
    for (int i = 0; i < names.size(); i++) {
      candidates.put(names.get(i), Map.of());
      trips.put(names.get(i), 1.0 + i);
    }

    PlacementAdvice advice =
        PlacementAdvisor.advise(
            new CacheUsage(
                Mode.MWMR,
                Acknowledgement.MAJORITY,
                List.of("s000", "s001", "s002", "s003", "s004"),
                candidates,
                Optional.empty(),
                List.of(new Origin("s999", 1, 10_000, 0, trips)),
                List.of()));

    assertThat(advice.sites()).contains("s997", "s998", "s999").hasSize(5);
    assertThat(advice.then().orElseThrow().read()).isEqualTo(3);
  }
}
