package io.ensemble;

import io.ensemble.catalog.StoredDefinition;
import io.ensemble.change.Change;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Optional;

/**
 * Which caches are to leave a site, and where they go.
 *
 * @param sites all of the federation
 */
record Departures(String site, SiteChoice choice, List<SiteUse> sites) {

  /** Whether a cache is at a site, or comes there. */
  static boolean isAt(String site, StoredDefinition cache) {
    return cache.definition().sites().contains(site)
        || cache
            .change()
            .filter(change -> !change.isEnding() && change.to().sites().contains(site))
            .isPresent();
  }

  /**
   * Those of {@code all} that are at the site.
   *
   * @throws SiteInUseException if there are too few other sites for one
   */
  List<Departure> of(Collection<StoredDefinition> all) {
    List<Departure> leaving = new ArrayList<>();
    List<String> stuck = new ArrayList<>();
    for (StoredDefinition cache : all) {
      if (isAt(site, cache)) {
        of(cache).ifPresentOrElse(leaving::add, () -> stuck.add(cache.definition().name()));
      }
    }
    if (!stuck.isEmpty()) {
      throw new SiteInUseException(
          site, "too few other sites are serving to hold what is there", stuck, only(stuck));
    }
    return leaving;
  }

  private List<String> only(List<String> names) {
    return sites.stream()
        .filter(use -> use.entry().name().equals(site))
        .flatMap(use -> use.only().stream())
        .filter(names::contains)
        .toList();
  }

  private Optional<Departure> of(StoredDefinition cache) {
    CacheDefinition now = cache.definition();
    CacheDefinition next =
        cache.change().filter(change -> !change.isEnding()).map(Change::to).orElse(now);
    Optional<List<String>> elsewhere =
        next.sites().contains(site) ? choice.without(site, next, sites) : Optional.of(next.sites());
    return elsewhere.map(
        to -> new Departure(now.name(), now.sites(), to, refusal(cache, next.at(to))));
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
