package io.ensemble.placement;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import io.ensemble.partition.StableHash;
import io.ensemble.placement.PlacementPolicy.Extent.Copies;
import io.ensemble.placement.SiteLoad.State;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.OptionalLong;
import java.util.Random;
import java.util.Set;
import java.util.TreeMap;
import org.junit.jupiter.api.Test;

/** Random federations of up to seven sites, compared with a naive scorer of whole sets. */
class PlacementPropertyTest {

  private static final int ROUNDS = 3000;

  /** A federation, a placement policy, and the sites of caches. */
  private record Case(
      PlacementPolicy wish, List<SiteLoad> sites, Map<String, List<String>> allocations) {

    static Case random(Random random) {
      List<SiteLoad> sites = new ArrayList<>();
      List<String> names = new ArrayList<>();
      int count = 1 + random.nextInt(7);
      for (int i = 0; i < count; i++) {
        names.add("s" + random.nextInt(1000) + i);
        sites.add(site(names.get(i), random));
      }
      Map<String, List<String>> allocations = new TreeMap<>();
      for (String cache : List.of("c", "d", "e")) {
        if (random.nextBoolean()) {
          allocations.put(cache, some(names, random, 0.4));
        }
      }
      PlacementPolicy.Builder wish = PlacementPolicy.copies("c", 1 + random.nextInt(count));
      wish.ban(some(names, random, 0.15).toArray(String[]::new));
      if (random.nextInt(4) == 0) {
        wish.require("region", "r0");
      }
      if (random.nextBoolean()) {
        wish.spreadBy("zone");
      }
      if (random.nextBoolean()) {
        wish.near("d", "e");
      }
      if (random.nextInt(4) == 0) {
        wish.entries(random.nextInt(100));
      }
      PlacementPolicy unpreferred = wish.build();
      some(names, random, 0.2).stream()
          .filter(name -> !unpreferred.banned().contains(name))
          .forEach(wish::prefer);
      return new Case(wish.build(), sites, allocations);
    }

    private static SiteLoad site(String name, Random random) {
      Map<String, String> labels = new HashMap<>();
      if (random.nextInt(5) > 0) {
        labels.put("zone", "z" + random.nextInt(3));
      }
      if (random.nextInt(5) > 0) {
        labels.put("region", "r" + random.nextInt(2));
      }
      State state = random.nextInt(6) > 0 ? State.SERVING : State.DRAINING;
      return new SiteLoad(
          name,
          labels,
          state,
          figure(random),
          figure(random),
          figure(random),
          random.nextInt(5) > 0,
          random.nextInt(3) > 0);
    }

    /** One of few values, so that scores are often equal. */
    private static OptionalLong figure(Random random) {
      return random.nextInt(3) == 0
          ? OptionalLong.empty()
          : OptionalLong.of(random.nextInt(4) * 30L);
    }

    private static List<String> some(List<String> names, Random random, double share) {
      return names.stream().filter(name -> random.nextDouble() < share).toList();
    }

    PlacementResult placed() {
      return Placement.place(wish, sites, allocations);
    }

    boolean isPossible() {
      return allowed().size() >= factor();
    }

    int factor() {
      return ((Copies) wish.extent()).factor();
    }

    /** The conditions, implemented a second time. */
    List<SiteLoad> allowed() {
      List<SiteLoad> allowed = new ArrayList<>();
      for (SiteLoad site : sites) {
        if (site.state() == State.SERVING
            && !wish.banned().contains(site.name())
            && site.labels().entrySet().containsAll(wish.required().entrySet())
            && site.freeEntries().orElse(Long.MAX_VALUE) >= wish.entries()) {
          allowed.add(site);
        }
      }
      return allowed;
    }

    /** The scores, implemented a second time, in floating point where that is exact enough. */
    int score(SiteLoad site) {
      double score = wish.preferred().contains(site.name()) ? 5000 : 0;
      double together = 0;
      for (String cache : wish.near()) {
        together += allocations.getOrDefault(cache, List.of()).contains(site.name()) ? 1 : 0;
      }
      score += wish.near().isEmpty() ? 0 : Math.floor(1200 * together / wish.near().size());
      score += allocations.getOrDefault("c", List.of()).contains(site.name()) ? 150 : 0;
      score += keptOnDisk() && site.onDisk() ? 2400 : 0;
      score -=
          Math.floor(
              0.3 * permille(site.entries(), sites.stream().map(SiteLoad::entries).toList())
                  + 1e-9);
      score -=
          Math.floor(
              0.2
                      * permille(
                          site.requestsPerSecond(),
                          sites.stream().map(SiteLoad::requestsPerSecond).toList())
                  + 1e-9);
      return (int) score;
    }

    boolean keptOnDisk() {
      return allocations.containsKey("c") && isOnDisk(allocations.get("c"));
    }

    boolean isOnDisk(List<String> names) {
      return !names.isEmpty()
          && sites.stream().allMatch(site -> site.onDisk() || !names.contains(site.name()));
    }

    /** Whether the sites were to keep the cache on disk, and it is not on disk there. */
    boolean leavesDisk() {
      return keptOnDisk() && !isOnDisk(placed().sites());
    }

    private static double permille(OptionalLong figure, List<OptionalLong> all) {
      double mean =
          all.stream()
              .filter(OptionalLong::isPresent)
              .mapToLong(OptionalLong::getAsLong)
              .average()
              .orElse(0);
      if (mean == 0) {
        return 0;
      }
      return figure.isEmpty()
          ? 1000
          : Math.min(2000, Math.floor(figure.getAsLong() * 1000 / mean + 1e-9));
    }

    /**
     * The best set: the most sites that answer, then the most even spread, then the highest sum of
     * scores, then the highest bids.
     */
    Set<String> bestSet() {
      List<SiteLoad> allowed = allowed();
      List<SiteLoad> byBid = new ArrayList<>(allowed);
      long key = StableHash.of("c");
      byBid.sort(
          (a, b) ->
              Long.compareUnsigned(StableHash.bid(key, a.name()), StableHash.bid(key, b.name())));
      Set<String> best = Set.of();
      long bestWorth = Long.MIN_VALUE;
      for (int set = 0; set < 1 << allowed.size(); set++) {
        if (Integer.bitCount(set) != factor()) {
          continue;
        }
        Set<String> names = new HashSet<>();
        Map<String, Integer> zones = new HashMap<>();
        long worth = 0;
        for (int i = 0; i < allowed.size(); i++) {
          if ((set >> i & 1) == 1) {
            SiteLoad site = allowed.get(i);
            names.add(site.name());
            worth += 1000L * score(site) + byBid.indexOf(site);
            worth += site.answers() ? 1L << 50 : 0;
            String zone = wish.spreadBy().map(l -> site.labels().getOrDefault(l, "")).orElse("");
            zones.merge(zone, 1, Integer::sum);
          }
        }
        if (wish.spreadBy().isPresent()) {
          worth -= zones.values().stream().mapToLong(n -> n * (n - 1L) / 2).sum() << 40;
        }
        if (worth > bestWorth) {
          bestWorth = worth;
          best = names;
        }
      }
      return best;
    }
  }

  @Test
  void theBestSetIsTakenAndImpossibleOnesAreRefused() {
    Random random = new Random(1);
    int refused = 0;
    for (int i = 0; i < ROUNDS; i++) {
      Case some = Case.random(random);
      if (!some.isPossible()) {
        refused++;
        assertThatExceptionOfType(PlacementImpossibleException.class)
            .isThrownBy(some::placed)
            .satisfies(
                e -> assertThat(e.reasons()).hasSize(some.sites().size() - some.allowed().size()));
        continue;
      }

      assertThat(Set.copyOf(some.placed().sites())).as("%s", some).isEqualTo(some.bestSet());
    }
    assertThat(refused).isBetween(ROUNDS / 20, ROUNDS * 3 / 4);
  }

  @Test
  void theOrderOfWhatIsSeenDoesNotMatter() {
    Random random = new Random(2);
    for (int i = 0; i < ROUNDS; i++) {
      Case some = Case.random(random);
      if (some.isPossible()) {
        List<SiteLoad> shuffled = new ArrayList<>(some.sites());
        Collections.shuffle(shuffled, random);
        Map<String, List<String>> hashed = new HashMap<>(some.allocations());

        assertThat(Placement.place(some.wish(), shuffled, hashed)).isEqualTo(some.placed());
      }
    }
  }

  @Test
  void cachesThatAreNotNearDoNotMatter() {
    Random random = new Random(3);
    for (int i = 0; i < ROUNDS; i++) {
      Case some = Case.random(random);
      if (some.isPossible()) {
        Map<String, List<String>> more = new HashMap<>(some.allocations());
        more.put("unrelated", List.of(some.sites().get(0).name()));

        assertThat(Placement.place(some.wish(), some.sites(), more)).isEqualTo(some.placed());
      }
    }
  }

  @Test
  void whatIsPlacedStays() {
    Random random = new Random(4);
    for (int i = 0; i < ROUNDS; i++) {
      Case some = Case.random(random);
      if (some.isPossible() && !some.leavesDisk()) {
        Set<String> before = Set.copyOf(some.placed().sites());
        Map<String, List<String>> placed = new HashMap<>(some.allocations());
        placed.put("c", List.copyOf(before));

        assertThat(Placement.place(some.wish(), some.sites(), placed).sites())
            .as("%s", some)
            .containsExactlyInAnyOrderElementsOf(before);
      }
    }
  }

  @Test
  void oneSiteThatDrainsMovesOnePlace() {
    Random random = new Random(5);
    int moved = 0;
    for (int i = 0; i < ROUNDS; i++) {
      Case some = Case.random(random);
      if (!some.isPossible() || some.leavesDisk()) {
        continue;
      }
      List<String> before = some.placed().sites();
      String leaving = before.get(random.nextInt(before.size()));
      Map<String, List<String>> placed = new HashMap<>(some.allocations());
      placed.put("c", before);
      List<SiteLoad> draining = new ArrayList<>();
      some.sites().forEach(s -> draining.add(s.name().equals(leaving) ? s.in(State.DRAINING) : s));
      Case after = new Case(some.wish(), draining, placed);
      if (!after.isPossible()) {
        continue;
      }

      Set<String> stayed = new HashSet<>(after.placed().sites());
      stayed.retainAll(before);

      assertThat(stayed).as("%s %s", some, leaving).hasSize(before.size() - 1);
      moved++;
    }
    assertThat(moved).isGreaterThan(ROUNDS / 10);
  }

  @Test
  void aPreferredSiteThatMayHoldItAndAnswersIsTaken() {
    Random random = new Random(6);
    for (int i = 0; i < ROUNDS; i++) {
      Case some = Case.random(random);
      if (some.isPossible() && some.wish().spreadBy().isEmpty()) {
        List<String> wanted =
            some.allowed().stream()
                .filter(SiteLoad::answers)
                .map(SiteLoad::name)
                .filter(some.wish().preferred()::contains)
                .toList();
        List<String> taken = some.placed().sites();

        if (wanted.size() <= taken.size()) {
          assertThat(taken).containsAll(wanted);
        } else {
          assertThat(wanted).containsAll(taken);
        }
      }
    }
  }
}
