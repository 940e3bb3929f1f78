package io.ensemble.placement;

import io.ensemble.partition.StableHash;
import io.ensemble.placement.PlacementPolicy.Extent;
import io.ensemble.placement.SiteDecision.ChosenSite;
import io.ensemble.placement.SiteDecision.ExcludedSite;
import io.ensemble.placement.SiteDecision.NamedSite;
import io.ensemble.placement.SiteDecision.NotChosenSite;
import io.ensemble.placement.SiteScore.StoreMedium;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.TreeSet;

/**
 * Decides at which sites a cache is placed.
 *
 * <p>Sites that may not hold the cache are left out. Of the others, sites that answer come first,
 * whatever their scores: a silent site is taken only when there are too few others. Of the sites
 * that answer, the best ones are taken, by {@link SiteScore}. If the cache is spread by a label, a
 * value of the label is taken again only when every other value with sites left has been taken as
 * often. Of two sites with equal scores, the one with the higher bid for this cache ({@link
 * StableHash#bid}) is taken. So caches without figures spread over the sites instead of filling up
 * the first by name.
 *
 * <p>Taking the best site one by one gives the best set as a whole. The sites' scores do not depend
 * on the other sites taken, and under a spread each value gives its best sites first.
 *
 * <p>A cache on disk stays on disk: sites that keep their stores there are {@linkplain
 * SiteScore.StoreMedium better} by more than every term except a preference of the policy.
 */
public final class Placement {

  private static final int MOST_SITES = 1000;

  private final PlacementPolicy placementPolicy;
  private final SortedMap<String, SiteLoad> sites = new TreeMap<>();
  private final Map<String, List<String>> allocations;
  private final Map<String, String> excluded = new HashMap<>();
  private final Map<String, Integer> used = new HashMap<>();
  private final Map<String, SiteDecision> verdicts = new TreeMap<>();
  private final Map<String, String> reasons = new TreeMap<>();

  private Placement(
      PlacementPolicy placementPolicy,
      Collection<SiteLoad> given,
      Map<String, ? extends List<String>> allocations) {
    this.placementPolicy = placementPolicy;
    this.allocations = Map.copyOf(allocations);
    given.forEach(site -> sites.put(site.name(), site));
    if (sites.size() != given.size() || sites.size() > MOST_SITES) {
      throw new IllegalArgumentException(
          "a placement must have at most %d sites, each listed once; got %d, of which %d differ"
              .formatted(MOST_SITES, given.size(), sites.size()));
    }
  }

  /**
   * The placement of the cache of {@code placementPolicy}.
   *
   * @param sites the sites of the federation, in any order
   * @param allocations the sites of each cache, by name. A site that holds this cache already is
   *     kept unless another is better by more than the term for {@linkplain SiteScore#held holding}
   *     it
   * @throws PlacementImpossibleException if too few sites may hold it, or a named one may not
   */
  public static PlacementResult place(
      PlacementPolicy placementPolicy,
      Collection<SiteLoad> sites,
      Map<String, ? extends List<String>> allocations) {
    Placement placement = new Placement(placementPolicy, sites, allocations);
    List<String> taken =
        placementPolicy.extent() instanceof Extent.Exactly exactly
            ? placement.named(exactly.sites())
            : placement.best(
                ((Extent.Copies) placementPolicy.extent()).factor(), placement.isOnDisk());
    return placement.placed(taken);
  }

  /**
   * The one site that replaces {@code leaving} for the cache of {@code placementPolicy}, besides
   * those of {@code present} that stay. Under a spread, the sites that stay count as taken. The
   * replacement is on disk if {@code leaving} is.
   *
   * @param present the cache's sites, including {@code leaving}
   * @throws PlacementImpossibleException if no other site may hold it
   */
  public static PlacementResult instead(
      String leaving,
      List<String> present,
      PlacementPolicy placementPolicy,
      Collection<SiteLoad> sites,
      Map<String, ? extends List<String>> allocations) {
    Placement placement = new Placement(placementPolicy, sites, allocations);
    for (String site : present) {
      boolean stays = !site.equals(leaving);
      placement.excluded.put(site, stays ? "has a replica already" : "is being drained");
      SiteLoad load = placement.sites.get(site);
      if (stays && load != null) {
        placement.used.merge(placement.value(load), 1, Integer::sum);
      }
    }
    SiteLoad left = placement.sites.get(leaving);
    return placement.placed(placement.best(1, left != null && left.onDisk()));
  }

  private PlacementResult placed(List<String> taken) {
    List<SiteDecision> all = new ArrayList<>();
    taken.forEach(site -> all.add(verdicts.remove(site)));
    all.addAll(verdicts.values());
    return new PlacementResult(taken, all, notes());
  }

  /** Whether the cache exists, and is on disk at each of its sites. */
  private boolean isOnDisk() {
    List<String> holders = allocations.getOrDefault(placementPolicy.cache(), List.of());
    return !holders.isEmpty()
        && holders.stream().map(sites::get).allMatch(site -> site != null && site.onDisk());
  }

  private List<String> named(List<String> names) {
    PlacementConstraints conditions = new PlacementConstraints(placementPolicy);
    for (String name : names) {
      SiteLoad site = sites.get(name);
      if (site == null) {
        reasons.put(name, "does not exist");
      } else {
        conditions.against(site).ifPresent(why -> reasons.put(name, why));
      }
    }
    if (!reasons.isEmpty()) {
      throw impossible(names.size(), names.size() - reasons.size());
    }
    sites
        .keySet()
        .forEach(site -> verdicts.put(site, new ExcludedSite(site, "not named by the policy")));
    for (int i = 0; i < names.size(); i++) {
      String name = names.get(i);
      boolean answers = Objects.requireNonNull(sites.get(name)).answers();
      verdicts.put(name, new NamedSite(name, i + 1, answers));
    }
    return names;
  }

  /** A site that may hold the cache. */
  private record Candidate(SiteLoad site, SiteScore score, long bid) {

    /**
     * Worse ones first. Candidates that are equal in score and bid are compared by name, which is
     * needed in one case of 2^64.
     */
    static final Comparator<Candidate> ORDER =
        Comparator.comparingInt((Candidate candidate) -> candidate.score().total())
            .thenComparing(Candidate::bid, Long::compareUnsigned)
            .thenComparing(Candidate::name);

    String name() {
      return site.name();
    }

    boolean answers() {
      return site.answers();
    }
  }

  private List<String> best(int factor, boolean onDisk) {
    List<Candidate> ranked = candidates(onDisk);
    if (ranked.size() < factor) {
      throw impossible(factor, ranked.size());
    }
    ranked.sort(Candidate.ORDER.reversed());
    List<String> taken = new ArrayList<>();
    while (taken.size() < factor) {
      Candidate next = leastUsed(ranked);
      ranked.remove(next);
      used.merge(value(next.site()), 1, Integer::sum);
      taken.add(next.name());
      verdicts.put(
          next.name(), new ChosenSite(next.name(), taken.size(), next.answers(), next.score()));
    }
    ranked.forEach(
        rest ->
            verdicts.put(
                rest.name(), new NotChosenSite(rest.name(), rest.answers(), rest.score())));
    return taken;
  }

  /**
   * The first candidate with the label value taken the fewest times, among those that answer if any
   * does.
   */
  private Candidate leastUsed(List<Candidate> ranked) {
    return ranked.stream()
        .min(
            Comparator.comparing(Candidate::answers, Comparator.reverseOrder())
                .thenComparing(candidate -> used.getOrDefault(value(candidate.site()), 0)))
        .orElseThrow();
  }

  /** The value of a site under the spread; sites without the label share one value. */
  private String value(SiteLoad site) {
    return placementPolicy
        .spreadBy()
        .map(label -> site.labels().getOrDefault(label, ""))
        .orElseGet(site::name);
  }

  private List<Candidate> candidates(boolean onDisk) {
    PlacementConstraints conditions = new PlacementConstraints(placementPolicy);
    LoadTotal entries = LoadTotal.of(sites.values(), SiteLoad::entries, SiteScore.ENTRIES);
    LoadTotal load = LoadTotal.of(sites.values(), SiteLoad::requestsPerSecond, SiteScore.LOAD);
    List<String> holders = allocations.getOrDefault(placementPolicy.cache(), List.of());
    long key = StableHash.of(placementPolicy.cache());
    List<Candidate> candidates = new ArrayList<>();
    for (SiteLoad site : sites.values()) {
      String name = site.name();
      Optional<String> why =
          Optional.ofNullable(excluded.get(name)).or(() -> conditions.against(site));
      if (why.isPresent()) {
        reasons.put(name, why.get());
        verdicts.put(name, new ExcludedSite(name, why.get()));
        continue;
      }
      SiteScore score =
          new SiteScore(
              placementPolicy.preferred().contains(name) ? SiteScore.PREFERRED : 0,
              near(name),
              holders.contains(name) ? SiteScore.HELD : 0,
              keeping(onDisk, site),
              entries.share(site.entries()),
              load.share(site.requestsPerSecond()));
      candidates.add(new Candidate(site, score, StableHash.bid(key, name)));
    }
    return candidates;
  }

  private static StoreMedium keeping(boolean onDisk, SiteLoad site) {
    if (!onDisk) {
      return StoreMedium.ANY;
    }
    return site.onDisk() ? StoreMedium.DISK : StoreMedium.MEMORY;
  }

  private int near(String site) {
    Set<String> near = placementPolicy.near();
    long there =
        near.stream()
            .filter(cache -> allocations.getOrDefault(cache, List.of()).contains(site))
            .count();
    return near.isEmpty() ? 0 : (int) (SiteScore.NEAR * there / near.size());
  }

  /**
   * Notes for names of sites and caches that do not exist, because a mistyped ban protects nothing.
   */
  private List<String> notes() {
    List<String> notes = new ArrayList<>();
    new TreeSet<>(placementPolicy.banned())
        .forEach(
            site -> note(notes, sites.containsKey(site), "banned site does not exist: " + site));
    new TreeSet<>(placementPolicy.preferred())
        .forEach(
            site -> note(notes, sites.containsKey(site), "preferred site does not exist: " + site));
    new TreeSet<>(placementPolicy.near())
        .forEach(
            cache ->
                note(
                    notes,
                    allocations.containsKey(cache),
                    "cache in 'near' does not exist: " + cache));
    return notes;
  }

  private static void note(List<String> notes, boolean known, String otherwise) {
    if (!known) {
      notes.add(otherwise);
    }
  }

  private PlacementImpossibleException impossible(int wanted, int found) {
    return new PlacementImpossibleException(
        placementPolicy.cache(),
        wanted,
        found,
        new PlacementConstraints(placementPolicy),
        reasons,
        sites.values());
  }
}
