package io.ensemble.placement;

import io.ensemble.Acknowledgement;
import io.ensemble.Mode;
import io.ensemble.placement.CacheUsage.Origin;
import io.ensemble.placement.PlacementAdvice.MeanLatency;
import io.ensemble.placement.PlacementAdvice.NearCacheGain;
import io.ensemble.placement.PlacementAdvice.Verdict;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.Comparator;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;

/**
 * Advises sites and near caches for a cache, by where its operations come from.
 *
 * <p>The number of sites and of replicas stays. All sets of so many sites are compared by the mean
 * latency of the operations that were seen, if they are few enough; otherwise those of the {@value
 * #MOST_CANDIDATES} sites that are nearest to the operations. A set of sites counts only if the
 * round trips that it needs are known from every origin. The round trip from an origin to a site is
 * that which its processes measured, or else that of processes near the site to the origin. Within
 * a site where none was measured, it is the shortest one measured within another. Operations of
 * unknown origin count for the near cache only.
 */
public final class PlacementAdvisor {

  /** Fewer operations are no basis for advice. */
  public static final long LEAST_OPERATIONS = 1_000;

  /** Of more sites than this, only the nearest ones are combined. */
  static final int MOST_CANDIDATES = 14;

  private static final double LEAST_GAIN = 0.1;
  private static final double LEAST_GAIN_MILLIS = 0.1;

  /** A near cache pays if reads dominate, and enough of them are hits. */
  private static final double LEAST_READ_SHARE = 0.8;

  private static final double LEAST_HIT_RATIO = 0.3;

  private final CacheUsage usage;
  private final List<Origin> origins;
  private final Map<String, Origin> bySite = new HashMap<>();
  private final double withinSite;

  private PlacementAdvisor(CacheUsage usage) {
    this.usage = usage;
    this.origins =
        usage.origins().stream()
            .filter(one -> one.operations() > 0 && !one.site().isEmpty())
            .toList();
    usage.origins().forEach(one -> bySite.put(one.site(), one));
    this.withinSite =
        usage.origins().stream()
            .mapToDouble(one -> one.roundTripMillis().getOrDefault(one.site(), Double.MAX_VALUE))
            .filter(millis -> millis < Double.MAX_VALUE)
            .min()
            .orElse(0);
  }

  /** Advice for the cache of {@code usage}. The same input gives the same advice. */
  public static PlacementAdvice advise(CacheUsage usage) {
    return new PlacementAdvisor(usage).advise();
  }

  private PlacementAdvice advise() {
    List<String> present = ReplicaName.sitesOf(usage.replicas());
    long operations = usage.reads() + usage.writes();
    if (operations < LEAST_OPERATIONS) {
      return new PlacementAdvice(
          Verdict.NOT_ENOUGH_OPERATIONS,
          operations,
          present,
          Optional.empty(),
          Optional.empty(),
          List.of(),
          Optional.empty());
    }
    Optional<MeanLatency> now = latency(usage.replicas());
    Optional<NearCacheGain> nearCache = nearCache(now);
    List<String> unknown = unknown(present);
    if (now.isEmpty()) {
      return new PlacementAdvice(
          Verdict.DISTANCES_UNKNOWN,
          operations,
          present,
          now,
          Optional.empty(),
          unknown,
          nearCache);
    }
    Choice best = best(present, now.get());
    return new PlacementAdvice(
        best.sites().equals(present) ? Verdict.STAY : Verdict.MOVE,
        operations,
        best.sites(),
        now,
        Optional.of(best.latency()),
        unknown,
        nearCache);
  }

  /** Sites in the order of a definition, and the latency there. */
  private record Choice(List<String> sites, MeanLatency latency, long kept) {

    static final Comparator<Choice> ORDER =
        Comparator.comparingDouble((Choice choice) -> choice.latency().operation())
            .thenComparing(Choice::kept, Comparator.reverseOrder())
            .thenComparing(choice -> String.join(",", choice.sites()));
  }

  private Choice best(List<String> present, MeanLatency now) {
    Choice stay = new Choice(present, now, present.size());
    Choice best = stay;
    List<String> candidates = candidates(present);
    for (List<String> sites : Combinations.of(candidates, present.size())) {
      if (isSpread(sites, present)) {
        for (Choice choice : choices(sites, present)) {
          best = Choice.ORDER.compare(choice, best) < 0 ? choice : best;
        }
      }
    }
    double gain = now.operation() - best.latency().operation();
    boolean isWorthIt = gain >= LEAST_GAIN * now.operation() && gain >= LEAST_GAIN_MILLIS;
    return isWorthIt ? best : stay;
  }

  /** The ways to order a set of sites: one in MWMR; otherwise each of them first. */
  private List<Choice> choices(List<String> sites, List<String> present) {
    List<Choice> choices = new ArrayList<>();
    long kept = sites.stream().filter(present::contains).count();
    int firsts = usage.mode() == Mode.MWMR ? 1 : sites.size();
    for (int i = 0; i < firsts; i++) {
      List<String> ordered = new ArrayList<>(sites);
      Collections.swap(ordered, 0, i);
      latency(ReplicaName.spread(ordered, Math.max(sites.size(), usage.replicas().size())))
          .ifPresent(latency -> choices.add(new Choice(List.copyOf(ordered), latency, kept)));
    }
    return choices;
  }

  /** Sites that may hold the cache, by name; the nearest ones if there are too many to combine. */
  private List<String> candidates(List<String> present) {
    Set<String> all = new TreeSet<>(usage.candidates().keySet());
    all.addAll(present);
    if (all.size() <= MOST_CANDIDATES) {
      return List.copyOf(all);
    }
    Map<String, Double> cost = new TreeMap<>();
    for (String site : all) {
      double sum = 0;
      for (Origin origin : origins) {
        sum += origin.operations() * roundTrip(origin, site);
      }
      cost.put(site, sum);
    }
    return all.stream()
        .sorted(
            Comparator.comparingDouble((String site) -> cost.getOrDefault(site, Double.MAX_VALUE))
                .thenComparing(Comparator.naturalOrder()))
        .limit(MOST_CANDIDATES)
        .sorted()
        .toList();
  }

  /** Whether the sites have as many different values of the label as all sites allow. */
  private boolean isSpread(List<String> sites, List<String> present) {
    if (usage.spreadBy().isEmpty()) {
      return true;
    }
    String label = usage.spreadBy().get();
    Set<String> all = new TreeSet<>(usage.candidates().keySet());
    all.addAll(present);
    return values(sites, label) >= Math.min(sites.size(), values(List.copyOf(all), label));
  }

  private long values(List<String> sites, String label) {
    Set<String> values = new HashSet<>();
    sites.forEach(
        site ->
            values.add(usage.candidates().getOrDefault(site, Map.of()).getOrDefault(label, "")));
    return values.size();
  }

  private List<String> unknown(List<String> present) {
    Set<String> all = new TreeSet<>(usage.candidates().keySet());
    all.addAll(present);
    return all.stream()
        .filter(site -> origins.stream().anyMatch(one -> Double.isInfinite(roundTrip(one, site))))
        .toList();
  }

  /** In milliseconds; infinite if it is not known. */
  private double roundTrip(Origin origin, String site) {
    Double measured = origin.roundTripMillis().get(site);
    if (measured == null && bySite.containsKey(site) && !origin.site().isEmpty()) {
      measured = bySite.get(site).roundTripMillis().get(origin.site());
    }
    if (measured != null) {
      return measured;
    }
    return origin.site().equals(site) ? withinSite : Double.POSITIVE_INFINITY;
  }

  /** The mean latency with these replicas; empty if a round trip that counts is not known. */
  private Optional<MeanLatency> latency(List<String> replicas) {
    double reads = 0;
    double writes = 0;
    long readCount = 0;
    long writeCount = 0;
    for (Origin origin : origins) {
      readCount += origin.reads();
      writeCount += origin.writes();
      double[] trips =
          replicas.stream()
              .mapToDouble(replica -> roundTrip(origin, ReplicaName.siteOf(replica)))
              .toArray();
      if (origin.reads() > 0) {
        reads += origin.reads() * read(trips, used(origin, replicas));
      }
      if (origin.writes() > 0) {
        writes += origin.writes() * write(trips, used(origin, replicas));
      }
    }
    double all = reads + writes;
    if (origins.isEmpty() || Double.isInfinite(all)) {
      return Optional.empty();
    }
    return Optional.of(
        new MeanLatency(
            reads / Math.max(1, readCount),
            writes / Math.max(1, writeCount),
            all / (readCount + writeCount)));
  }

  /** The index of the replica that a WEAK cache uses: that of the own site, or the first one. */
  private static int used(Origin origin, List<String> replicas) {
    for (int i = 0; i < replicas.size(); i++) {
      if (ReplicaName.siteOf(replicas.get(i)).equals(origin.site())) {
        return i;
      }
    }
    return 0;
  }

  /**
   * @param trips to each replica, in the order of the definition
   * @param used the index of the replica that a WEAK cache uses
   */
  private double read(double[] trips, int used) {
    return switch (usage.mode()) {
      case WEAK -> trips[used];
      case SWMR -> trips[0];
      case MWMR -> nearest(trips, trips.length / 2 + 1);
    };
  }

  /** As the round trips in the table of modes, without contention. */
  private double write(double[] trips, int used) {
    int majority = trips.length / 2 + 1;
    return switch (usage.mode()) {
      case WEAK ->
          usage.acknowledgement() == Acknowledgement.LOCAL ? trips[used] : nearest(trips, majority);
      case SWMR -> {
        boolean byPrimary = usage.acknowledgement() == Acknowledgement.PRIMARY || majority == 1;
        double[] others = Arrays.copyOfRange(trips, 1, trips.length);
        yield 2 * trips[0] + (byPrimary ? 0 : nearest(others, majority - 1));
      }
      case MWMR -> 2 * nearest(trips, majority);
    };
  }

  /** The time until {@code count} of parallel requests are answered. */
  private static double nearest(double[] trips, int count) {
    double[] sorted = trips.clone();
    Arrays.sort(sorted);
    return sorted[count - 1];
  }

  /**
   * Each process reads its share of a key's operations, and misses once at first and once after
   * each write of any process: the least number of hits, whatever the order of the operations.
   */
  private Optional<NearCacheGain> nearCache(Optional<MeanLatency> now) {
    double operations = (double) usage.reads() + usage.writes();
    double readShare = usage.reads() / operations;
    if (readShare < LEAST_READ_SHARE) {
      return Optional.empty();
    }
    int keys = 0;
    double hits = 0;
    for (long hot : usage.hotKeys()) {
      double misses = Math.max(1, usage.processes()) * (hot * (1 - readShare) + 1);
      double hitsOfKey = hot * readShare - misses;
      if (hitsOfKey > 0) {
        keys++;
        hits += hitsOfKey;
      }
    }
    double hitRatio = Math.min(1, hits / usage.reads());
    return hitRatio < LEAST_HIT_RATIO
        ? Optional.empty()
        : Optional.of(
            new NearCacheGain(keys, hitRatio, now.map(latency -> hitRatio * latency.read())));
  }
}
