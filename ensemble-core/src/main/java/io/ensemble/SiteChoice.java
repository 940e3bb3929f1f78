package io.ensemble;

import java.util.Comparator;
import java.util.List;
import java.util.stream.Collectors;

/** Decides where a cache goes that leaves a site. The same for the same arguments. */
@FunctionalInterface
public interface SiteChoice {

  /** The site that is serving and has the fewest caches, the first by its name of several. */
  SiteChoice FEWEST_CACHES = SiteChoice::fewestCaches;

  /**
   * The replicas of {@code cache} without those at {@code leaving}, as many as before.
   *
   * @param sites all of the federation
   */
  Destination without(String leaving, CacheDefinition cache, List<SiteUse> sites);

  private static Destination fewestCaches(
      String leaving, CacheDefinition cache, List<SiteUse> sites) {
    return sites.stream()
        .filter(site -> unfit(leaving, cache, site).isEmpty())
        .min(
            Comparator.comparingInt((SiteUse site) -> site.caches().size())
                .thenComparing(site -> site.entry().name()))
        .<Destination>map(
            site ->
                new Destination.Found(
                    Departures.replaced(cache, leaving, site.entry().name()), List.of()))
        .orElseGet(
            () ->
                new Destination.None(
                    "wanted one more site that is serving, there are "
                        + sites.stream()
                            .map(site -> site.entry().name() + ": " + unfit(leaving, cache, site))
                            .collect(Collectors.joining("; "))));
  }

  /** Why a site does not come into question; empty if it does. */
  private static String unfit(String leaving, CacheDefinition cache, SiteUse site) {
    String name = site.entry().name();
    if (name.equals(leaving)) {
      return "is to be left";
    }
    if (cache.isAtSite(name)) {
      return "holds it already";
    }
    return site.isServing() ? "" : "draining";
  }
}
