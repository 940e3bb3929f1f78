package io.ensemble.membership;

import io.ensemble.CacheDefinition;
import io.ensemble.SiteInUseException;
import io.ensemble.catalog.definition.StoredDefinition;
import io.ensemble.change.ConfigurationChange;
import io.ensemble.placement.ReplicaName;
import io.ensemble.reconfiguration.Alterations;
import java.util.ArrayList;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

/**
 * Determines which caches have to leave a site, and their new sites.
 *
 * @param sites all sites of the federation
 */
record DrainPlanner(String site, SiteSelector choice, List<SiteUsage> sites) {

  /** Whether a cache is at a site, or moves to it. */
  static boolean isAt(String site, StoredDefinition cache) {
    return cache.definition().isAtSite(site)
        || cache
            .change()
            .filter(change -> !change.isEnding() && change.to().isAtSite(site))
            .isPresent();
  }

  /**
   * Those of {@code all} that are at the site.
   *
   * @throws SiteInUseException if there are too few other sites for one of them
   */
  List<CacheRelocation> of(Collection<StoredDefinition> all) {
    List<CacheRelocation> leaving = new ArrayList<>();
    Map<String, String> stuck = new LinkedHashMap<>();
    for (StoredDefinition cache : all) {
      if (isAt(site, cache)) {
        RelocationTarget where = where(cache);
        if (where instanceof RelocationTarget.Found found) {
          leaving.add(departure(cache, found));
        } else {
          stuck.put(cache.definition().name(), ((RelocationTarget.None) where).why());
        }
      }
    }
    if (!stuck.isEmpty()) {
      throw new SiteInUseException(
          site,
          "too few other sites may hold the caches of the site",
          List.copyOf(stuck.keySet()),
          only(stuck.keySet()),
          stuck);
    }
    return leaving;
  }

  private List<String> only(Set<String> names) {
    return sites.stream()
        .filter(use -> use.entry().name().equals(site))
        .flatMap(use -> use.only().stream())
        .filter(names::contains)
        .toList();
  }

  private static CacheDefinition next(StoredDefinition cache) {
    return cache
        .change()
        .filter(change -> !change.isEnding())
        .map(ConfigurationChange::to)
        .orElse(cache.definition());
  }

  private RelocationTarget where(StoredDefinition cache) {
    CacheDefinition next = next(cache);
    return next.isAtSite(site)
        ? fitting(next, choice.without(site, next, sites))
        : new RelocationTarget.Found(next.sites(), List.of());
  }

  /**
   * Adapts a target to a cache with several replicas at a site. At one or two sites, the number of
   * replicas is computed anew for the new site. At three or more sites, the new site needs as many
   * nodes as the cache has replicas at the site that it leaves.
   */
  private RelocationTarget fitting(CacheDefinition cache, RelocationTarget where) {
    if (!(where instanceof RelocationTarget.Found found) || !cache.hasNumberedReplicas()) {
      return where;
    }
    List<String> to = ReplicaName.sitesOf(found.sites());
    if (to.size() < 3) {
      return new RelocationTarget.Found(to, found.notes());
    }
    for (SiteUsage use : sites) {
      String name = use.entry().name();
      int needed = ReplicaName.at(name, found.sites()).size();
      int nodes = use.entry().endpoints().size();
      if (nodes < needed) {
        return new RelocationTarget.None(
            "site %s has %d nodes, but %d replicas would be placed there"
                .formatted(name, nodes, needed));
      }
    }
    return where;
  }

  private static CacheRelocation departure(StoredDefinition cache, RelocationTarget.Found found) {
    CacheDefinition now = cache.definition();
    List<String> to = found.sites();
    return new CacheRelocation(
        now.name(), now.sites(), to, refusal(cache, next(cache).at(to)), found.notes());
  }

  /** The replicas of {@code cache} with another site instead of {@code leaving}. */
  static List<String> replaced(CacheDefinition cache, String leaving, String instead) {
    return cache.sites().stream()
        .map(ReplicaName::of)
        .map(
            replica ->
                replica.site().equals(leaving)
                    ? new ReplicaName(instead, replica.number())
                    : replica)
        .map(ReplicaName::toString)
        .toList();
  }

  private static Optional<String> refusal(StoredDefinition cache, CacheDefinition to) {
    try {
      Alterations.check(cache, to);
      return Optional.empty();
    } catch (UnsupportedOperationException | IllegalStateException cannot) {
      return Optional.of(String.valueOf(cannot.getMessage()));
    }
  }
}
