package io.ensemble.membership;

import io.ensemble.CacheDefinition;
import io.ensemble.placement.PlacementImpossibleException;
import io.ensemble.placement.SiteDecision;
import io.ensemble.placement.SiteLoad;
import io.ensemble.placement.SiteScore.StoreMedium;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.TreeMap;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * Chooses the best present placement for a cache that leaves a site, by the placement policy of the
 * cache and the present allocations. Sites are asked once, at the first use: silent ones delay only
 * that use, and all caches are placed by the same statistics. The caller supplies the states of the
 * sites. Thread-safe.
 */
final class PlacementSiteSelector implements SiteSelector {

  private final CachePlacer cachePlacer;

  // Guarded by this object's lock.
  private CachePlacer.@Nullable PlacementInput look;

  PlacementSiteSelector(CachePlacer cachePlacer) {
    this.cachePlacer = cachePlacer;
  }

  private synchronized CachePlacer.PlacementInput look() {
    CachePlacer.PlacementInput now = look;
    if (now == null) {
      now = cachePlacer.look();
      look = now;
    }
    return now;
  }

  @Override
  public RelocationTarget without(String leaving, CacheDefinition cache, List<SiteUsage> sites) {
    try {
      SiteDecision.ChosenSite instead = cachePlacer.instead(leaving, cache, as(sites, look()));
      return new RelocationTarget.Found(
          DrainPlanner.replaced(cache, leaving, instead.site()), notes(instead));
    } catch (PlacementImpossibleException none) {
      return new RelocationTarget.None(why(leaving, none));
    }
  }

  /**
   * The statistics, with the present states of the sites, because a further site may be draining by
   * now.
   */
  private static CachePlacer.PlacementInput as(
      List<SiteUsage> sites, CachePlacer.PlacementInput seen) {
    Set<String> closed =
        sites.stream()
            .filter(site -> !site.isServing())
            .map(site -> site.entry().name())
            .collect(Collectors.toSet());
    List<SiteLoad> loads =
        seen.loads().stream()
            .map(load -> closed.contains(load.name()) ? load.in(SiteLoad.State.DRAINING) : load)
            .toList();
    return new CachePlacer.PlacementInput(loads, seen.allocations());
  }

  private static List<String> notes(SiteDecision.ChosenSite instead) {
    List<String> notes = new ArrayList<>();
    if (!instead.answers()) {
      notes.add(instead.site() + " does not answer, nor does any other site that may hold it");
    }
    if (instead.score().keeping() == StoreMedium.MEMORY) {
      notes.add(instead.site() + " keeps its stores in memory, the site that is left on disk");
    }
    return notes;
  }

  private static String why(String leaving, PlacementImpossibleException none) {
    String conditions = none.conditions();
    String others =
        new TreeMap<>(none.reasons())
            .entrySet().stream()
                .filter(reason -> !reason.getKey().equals(leaving))
                .map(reason -> reason.getKey() + ": " + reason.getValue())
                .collect(Collectors.joining("; "));
    return "one more site%s is required; there %s"
        .formatted(
            conditions.isEmpty() ? "" : " (" + conditions + ")",
            others.isEmpty() ? "is none" : "are " + others);
  }
}
