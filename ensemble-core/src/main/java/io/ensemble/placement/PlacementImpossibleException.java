package io.ensemble.placement;

import java.util.Collection;
import java.util.Map;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.stream.Collectors;

/**
 * No placement keeps the conditions of a wish. Nothing was done; a retry helps when the sites or
 * the wish have changed.
 */
public final class PlacementImpossibleException extends RuntimeException {

  private static final long serialVersionUID = 1L;

  private final transient SortedMap<String, String> reasons;
  private final String conditions;

  PlacementImpossibleException(
      String cache,
      int wanted,
      int found,
      PlacementConstraints conditions,
      Map<String, String> reasons,
      Collection<SiteLoad> sites) {
    super(
        "too few sites may hold the cache; cache=%s wanted=%d found=%d%s%s"
            .formatted(
                cache,
                wanted,
                found,
                new TreeMap<>(reasons)
                    .entrySet().stream()
                        .map(reason -> "; " + reason.getKey() + ": " + reason.getValue())
                        .collect(Collectors.joining()),
                conditions.nobodys(sites)));
    this.reasons = new TreeMap<>(reasons);
    this.conditions = conditions.text();
  }

  /** What was wanted of each site, for people; empty if nothing was but that it serves. */
  public String conditions() {
    return conditions;
  }

  /** For each site that may not hold the cache, why not. */
  public Map<String, String> reasons() {
    return Map.copyOf(reasons);
  }
}
