package io.ensemble.catalog.definition;

import io.ensemble.placement.PlacementPolicy;
import io.ensemble.placement.PlacementResult;
import java.util.List;

/**
 * The placement of a cache at its creation, with the reasons.
 *
 * @param birth of the placed cache; one of the same name may be another cache
 * @param wish the placement policy
 * @param sites the chosen sites, best first
 * @param reasons the decision about each site, then notes, as {@link PlacementResult#text()}
 *     formats them
 */
public record StoredPlacement(
    String birth, PlacementPolicy wish, List<String> sites, List<String> reasons) {

  public StoredPlacement {
    sites = List.copyOf(sites);
    reasons = List.copyOf(reasons);
  }

  /** The placement of the cache of that birth. */
  public static StoredPlacement of(
      String birth, PlacementPolicy wish, PlacementResult placementResult) {
    return new StoredPlacement(
        birth, wish, placementResult.sites(), placementResult.text().lines().toList());
  }
}
