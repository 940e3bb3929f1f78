package io.ensemble.membership;

import io.ensemble.CacheDefinition;
import java.util.Comparator;
import java.util.List;
import java.util.stream.Collectors;

/**
 * Chooses the new site of a cache that leaves a site. Deterministic: equal arguments have equal
 * results.
 */
@FunctionalInterface
public interface SiteSelector {

  /** The serving site with the fewest caches; of several, the first by name. */
  SiteSelector FEWEST_CACHES = SiteSelector::fewestCaches;

  /**
   * The replicas of {@code cache} without those at {@code leaving}, as many as before.
   *
   * @param sites all sites of the federation
   */
  RelocationTarget without(String leaving, CacheDefinition cache, List<SiteUsage> sites);

  private static RelocationTarget fewestCaches(
      String leaving, CacheDefinition cache, List<SiteUsage> sites) {
    return sites.stream()
        .filter(site -> unfit(leaving, cache, site).isEmpty())
        .min(
            Comparator.comparingInt((SiteUsage site) -> site.caches().size())
                .thenComparing(site -> site.entry().name()))
        .<RelocationTarget>map(
            site ->
                new RelocationTarget.Found(
                    DrainPlanner.replaced(cache, leaving, site.entry().name()), List.of()))
        .orElseGet(
            () ->
                new RelocationTarget.None(
                    "one more serving site is required, there are "
                        + sites.stream()
                            .map(site -> site.entry().name() + ": " + unfit(leaving, cache, site))
                            .collect(Collectors.joining("; "))));
  }

  /** Why a site is no candidate; empty if it is one. */
  private static String unfit(String leaving, CacheDefinition cache, SiteUsage site) {
    String name = site.entry().name();
    if (name.equals(leaving)) {
      return "is being drained";
    }
    if (cache.isAtSite(name)) {
      return "has a replica already";
    }
    return site.isServing() ? "" : "draining";
  }
}
