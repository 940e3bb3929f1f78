package io.ensemble.catalog;

import io.ensemble.placement.Placed;
import io.ensemble.placement.Wish;
import java.util.List;

/**
 * Where a cache was placed when it was created, and why.
 *
 * @param birth of the cache that this was decided for; one of the same name may be another
 * @param wish what was wished for
 * @param sites where it came to be, best first
 * @param reasons what was decided about each site, then notes, as {@link Placed#text()} tells them
 */
public record StoredPlacement(String birth, Wish wish, List<String> sites, List<String> reasons) {

  public StoredPlacement {
    sites = List.copyOf(sites);
    reasons = List.copyOf(reasons);
  }

  /** What was decided for the cache of that birth. */
  public static StoredPlacement of(String birth, Wish wish, Placed placed) {
    return new StoredPlacement(birth, wish, placed.sites(), placed.text().lines().toList());
  }
}
