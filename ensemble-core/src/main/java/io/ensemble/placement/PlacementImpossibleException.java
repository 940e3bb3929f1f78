package io.ensemble.placement;

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

  PlacementImpossibleException(
      String cache, int wanted, int found, Map<String, String> reasons, String more) {
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
                more));
    this.reasons = new TreeMap<>(reasons);
  }

  /** For each site that may not hold the cache, why not. */
  public Map<String, String> reasons() {
    return Map.copyOf(reasons);
  }
}
