package io.ensemble.membership;

import io.ensemble.CacheDefinition;
import io.ensemble.placement.PlacementImpossibleException;
import io.ensemble.placement.SiteDecision;
import io.ensemble.placement.SiteLoad;
import io.ensemble.placement.SiteScore.Keeping;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.TreeMap;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * A cache that leaves a site goes where it would be placed, by what was wished for it when it was
 * created, and by what is where. Asks the sites once, when it is first asked itself: those that do
 * not answer are waited for once, and all caches are placed by the same figures. Whether a site
 * serves is what the caller says. Thread-safe.
 */
final class PlacementSiteSelector implements SiteSelector {

  private final CachePlacer cachePlacer;

  // Belongs to this object's lock.
  private CachePlacer.@Nullable Look look;

  PlacementSiteSelector(CachePlacer cachePlacer) {
    this.cachePlacer = cachePlacer;
  }

  private synchronized CachePlacer.Look look() {
    CachePlacer.Look now = look;
    if (now == null) {
      now = cachePlacer.look();
      look = now;
    }
    return now;
  }

  @Override
  public RelocationTarget without(String leaving, CacheDefinition cache, List<SiteUsage> sites) {
    try {
      SiteDecision.Taken instead = cachePlacer.instead(leaving, cache, as(sites, look()));
      return new RelocationTarget.Found(
          DrainPlanner.replaced(cache, leaving, instead.site()), notes(instead));
    } catch (PlacementImpossibleException none) {
      return new RelocationTarget.None(why(leaving, none));
    }
  }

  /** What was seen, with the states that the sites have by now: another may be drained too. */
  private static CachePlacer.Look as(List<SiteUsage> sites, CachePlacer.Look seen) {
    Set<String> closed =
        sites.stream()
            .filter(site -> !site.isServing())
            .map(site -> site.entry().name())
            .collect(Collectors.toSet());
    List<SiteLoad> loads =
        seen.loads().stream()
            .map(load -> closed.contains(load.name()) ? load.in(SiteLoad.State.DRAINING) : load)
            .toList();
    return new CachePlacer.Look(loads, seen.allocations());
  }

  private static List<String> notes(SiteDecision.Taken instead) {
    List<String> notes = new ArrayList<>();
    if (!instead.answers()) {
      notes.add(instead.site() + " does not answer, nor does any other site that may hold it");
    }
    if (instead.score().keeping() == Keeping.MEMORY) {
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
    return "wanted one more site%s, there %s"
        .formatted(
            conditions.isEmpty() ? "" : " (" + conditions + ")",
            others.isEmpty() ? "is none" : "are " + others);
  }
}
