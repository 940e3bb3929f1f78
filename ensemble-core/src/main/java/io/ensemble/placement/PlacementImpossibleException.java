package io.ensemble.placement;

import java.util.Collection;
import java.util.Map;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.stream.Collectors;

/**
 * No placement satisfies the constraints of a placement policy. The call had no effect; retry it
 * after the sites or the policy have changed.
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
        "too few sites may hold the cache; cache=%s required=%d found=%d%s%s"
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

  /** The requirements on each site, as text for people; empty if a site only has to serve. */
  public String conditions() {
    return conditions;
  }

  /** For each site that may not hold the cache, the reason. */
  public Map<String, String> reasons() {
    return Map.copyOf(reasons);
  }
}
