package io.ensemble;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;

/** Decides where a cache goes that leaves a site. The same for the same arguments. */
@FunctionalInterface
public interface SiteChoice {

  /** The site that is serving and has the fewest caches, the first by its name of several. */
  SiteChoice FEWEST_CACHES = SiteChoice::fewestCaches;

  /**
   * The sites of {@code cache} without {@code leaving}, as many as before.
   *
   * @param sites all of the federation
   * @return empty if there are too few
   */
  Optional<List<String>> without(String leaving, CacheDefinition cache, List<SiteUse> sites);

  private static Optional<List<String>> fewestCaches(
      String leaving, CacheDefinition cache, List<SiteUse> sites) {
    return sites.stream()
        .filter(SiteUse::isServing)
        .filter(site -> !site.entry().name().equals(leaving))
        .filter(site -> !cache.sites().contains(site.entry().name()))
        .min(
            Comparator.comparingInt((SiteUse site) -> site.caches().size())
                .thenComparing(site -> site.entry().name()))
        .map(site -> replaced(cache.sites(), leaving, site.entry().name()));
  }

  private static List<String> replaced(List<String> sites, String leaving, String instead) {
    List<String> next = new ArrayList<>(sites);
    next.set(next.indexOf(leaving), instead);
    return next;
  }

  /** By what was wished for the cache when it was placed, and by what is where. */
  static SiteChoice of(Placing placing) {
    return (leaving, cache, sites) ->
        placing.another(cache).map(instead -> replaced(cache.sites(), leaving, instead));
  }
}
