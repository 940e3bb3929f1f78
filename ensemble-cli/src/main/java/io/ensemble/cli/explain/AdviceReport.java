package io.ensemble.cli.explain;

import com.fasterxml.jackson.annotation.JsonInclude;
import io.ensemble.CacheDefinition;
import io.ensemble.EnsembleCacheManager;
import io.ensemble.EnsembleException;
import io.ensemble.catalog.definition.StoredDefinition;
import io.ensemble.catalog.definition.StoredPlacement;
import io.ensemble.cli.output.TextTable;
import io.ensemble.heat.HeatMap;
import io.ensemble.heat.HeatMaps;
import io.ensemble.placement.CacheUsage;
import io.ensemble.placement.PlacementAdvice;
import io.ensemble.placement.PlacementAdvice.MeanLatency;
import io.ensemble.placement.PlacementAdvice.NearCacheGain;
import io.ensemble.placement.PlacementAdvisor;
import io.ensemble.placement.PlacementImpossibleException;
import io.ensemble.placement.PlacementPolicy;
import io.ensemble.placement.PlacementPolicy.Extent;
import io.ensemble.placement.SiteDecision;
import java.io.PrintWriter;
import java.time.Duration;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * Advice for the placement of a cache, from its heat map of the last hour.
 *
 * @param cache the cache
 * @param verdict {@code move}, {@code stay}, {@code not_enough_operations}, {@code
 *     distances_unknown}, or {@code heat_map_unavailable}
 * @param operations the recorded operations of the last hour
 * @param sites the advised sites; the present ones if no move is advised
 * @param now mean latencies at the present sites, in milliseconds; null if not known
 * @param then mean latencies at the advised sites; null if not known
 * @param unknown sites that were not considered, because their distance is not known
 * @param nearCache advice for near caches; null for none
 * @param command the command that carries the move out; null for none
 * @param why why the heat map is unavailable; null if it is available
 */
@JsonInclude(JsonInclude.Include.NON_NULL)
public record AdviceReport(
    String cache,
    String verdict,
    long operations,
    List<String> sites,
    @Nullable LatencyReport now,
    @Nullable LatencyReport then,
    List<String> unknown,
    @Nullable NearCacheReport nearCache,
    @Nullable String command,
    @Nullable String why) {

  private static final Duration PERIOD = Duration.ofHours(1);

  /** Mean latencies, in milliseconds. */
  public record LatencyReport(double readMillis, double writeMillis, double operationMillis) {

    static @Nullable LatencyReport of(Optional<MeanLatency> latency) {
      return latency
          .map(one -> new LatencyReport(one.read(), one.write(), one.operation()))
          .orElse(null);
    }

    private String text() {
      return String.format(
          Locale.ROOT,
          "read %.1f ms, write %.1f ms, mean %.1f ms",
          readMillis,
          writeMillis,
          operationMillis);
    }
  }

  /** The gain of a near cache. */
  @JsonInclude(JsonInclude.Include.NON_NULL)
  public record NearCacheReport(int keys, double hitRatio, @Nullable Double savedReadMillis) {

    static NearCacheReport of(NearCacheGain gain) {
      return new NearCacheReport(gain.keys(), gain.hitRatio(), gain.savedReadMillis().orElse(null));
    }

    private String text() {
      String saved =
          savedReadMillis == null
              ? ""
              : String.format(Locale.ROOT, ", reads %.1f ms shorter", savedReadMillis);
      return String.format(
          Locale.ROOT,
          "advised: nearCache of %d or more entries in each process, at least %.0f %% hits%s",
          keys,
          100 * hitRatio,
          saved);
    }
  }

  /**
   * Reads the heat map, and makes the advice.
   *
   * @param used the cache whose heat map counts: the cache itself, or the one that has it as a
   *     shard
   */
  public static AdviceReport of(
      EnsembleCacheManager manager, StoredDefinition stored, String used) {
    CacheDefinition definition = stored.definition();
    HeatMap map;
    try {
      map = HeatMaps.of(manager).read(used, PERIOD, HeatMaps.MOST_KEYS);
    } catch (EnsembleException unavailable) {
      return new AdviceReport(
          definition.name(),
          "heat_map_unavailable",
          0,
          definition.siteNames(),
          null,
          null,
          List.of(),
          null,
          null,
          unavailable.toString());
    }
    Optional<PlacementPolicy> policy =
        manager.placement(definition.name()).map(StoredPlacement::wish);
    PlacementAdvice advice =
        PlacementAdvisor.advise(
            new CacheUsage(
                definition.mode(),
                definition.acknowledgement(),
                definition.sites(),
                candidates(manager, definition, policy),
                policy.flatMap(PlacementPolicy::spreadBy),
                map.origins().stream().map(AdviceReport::origin).toList(),
                map.keys().stream().map(key -> key.operations().lower()).toList()));
    return new AdviceReport(
        definition.name(),
        advice.verdict().name().toLowerCase(Locale.ROOT),
        advice.operations(),
        advice.sites(),
        LatencyReport.of(advice.now()),
        LatencyReport.of(advice.then()),
        advice.unknown(),
        advice.nearCache().map(NearCacheReport::of).orElse(null),
        advice.verdict() == PlacementAdvice.Verdict.MOVE && used.equals(definition.name())
            ? command(definition, advice.sites())
            : null,
        null);
  }

  /** Keeps the number of replicas. A shard cannot be altered alone, so it has no command. */
  static String command(CacheDefinition definition, List<String> sites) {
    String replicas =
        definition.hasNumberedReplicas() ? " --replicas " + definition.sites().size() : "";
    return "caches alter " + definition.name() + " --sites " + String.join(",", sites) + replicas;
  }

  private static CacheUsage.Origin origin(HeatMap.OriginLoad load) {
    return new CacheUsage.Origin(
        load.site(), load.processes(), load.reads(), load.writes(), load.roundTripMillis());
  }

  /** The sites that answer and that the policy allows, with their labels. */
  private static Map<String, Map<String, String>> candidates(
      EnsembleCacheManager manager, CacheDefinition definition, Optional<PlacementPolicy> policy) {
    Map<String, Map<String, String>> candidates = new TreeMap<>();
    for (SiteDecision decision : decisions(manager, wish(definition, policy))) {
      boolean fits =
          decision instanceof SiteDecision.ChosenSite chosen && chosen.answers()
              || decision instanceof SiteDecision.NotChosenSite other && other.answers();
      if (fits) {
        candidates.put(
            decision.site(),
            manager.membership().entry(decision.site()).map(one -> one.labels()).orElse(Map.of()));
      }
    }
    return candidates;
  }

  private static List<SiteDecision> decisions(EnsembleCacheManager manager, PlacementPolicy wish) {
    try {
      return manager.place(wish).verdicts();
    } catch (PlacementImpossibleException impossible) {
      return List.of(); // Only the present sites remain.
    }
  }

  /** The policy of the cache, or none; without the sites that it may name. */
  private static PlacementPolicy wish(
      CacheDefinition definition, Optional<PlacementPolicy> policy) {
    Extent.Copies copies = new Extent.Copies(definition.siteNames().size());
    return policy
        .map(
            kept ->
                new PlacementPolicy(
                    kept.cache(),
                    copies,
                    kept.banned(),
                    kept.required(),
                    kept.spreadBy(),
                    kept.preferred(),
                    kept.near(),
                    kept.entries()))
        .orElseGet(() -> PlacementPolicy.copies(definition.name(), copies.factor()).build());
  }

  /** Prints the advice for people. */
  public void show(PrintWriter out) {
    TextTable.line(out, "advice", text());
    if (now != null) {
      TextTable.line(out, "latency now", now.text());
    }
    if (then != null && verdict.equals("move")) {
      TextTable.line(out, "latency then", then.text());
    }
    if (!unknown.isEmpty()) {
      TextTable.line(out, "not measured", String.join(",", unknown));
    }
    if (nearCache != null) {
      TextTable.line(out, "near cache", nearCache.text());
    }
    if (command != null) {
      TextTable.line(out, "to move it", "./ensemble " + command);
    }
  }

  private String text() {
    return switch (verdict) {
      case "move" -> "move to " + String.join(",", sites);
      case "stay" -> "stay: no other sites are better by a tenth and 0.1 ms";
      case "not_enough_operations" ->
          "none: not enough operations, %d of %d in the last hour"
              .formatted(operations, PlacementAdvisor.LEAST_OPERATIONS);
      case "distances_unknown" -> "none: distances to its sites are not known from every origin";
      default -> "none: the heat map is not available: " + why;
    };
  }
}
