package io.ensemble.catalog.definition;

import io.ensemble.placement.PlacementPolicy;
import io.ensemble.placement.PlacementResult;
import java.util.List;

/**
 * Where a cache was placed when it was created, and why.
 *
 * @param birth of the cache that this was decided for; one of the same name may be another
 * @param wish what was wished for
 * @param sites where it came to be, best first
 * @param reasons what was decided about each site, then notes, as {@link PlacementResult#text()}
 *     tells them
 */
public record StoredPlacement(
    String birth, PlacementPolicy wish, List<String> sites, List<String> reasons) {

  public StoredPlacement {
    sites = List.copyOf(sites);
    reasons = List.copyOf(reasons);
  }

  /** What was decided for the cache of that birth. */
  public static StoredPlacement of(
      String birth, PlacementPolicy wish, PlacementResult placementResult) {
    return new StoredPlacement(
        birth, wish, placementResult.sites(), placementResult.text().lines().toList());
  }
}
