package io.ensemble.placement;

import io.ensemble.placement.SiteScore.Share;
import java.util.Collection;
import java.util.OptionalLong;
import java.util.function.Function;

/** The sum of a figure over all sites, with which the figure of each site is compared. */
record LoadTotal(long sum, long known, int weight) {

  static LoadTotal of(
      Collection<SiteLoad> sites, Function<SiteLoad, OptionalLong> figure, int weight) {
    long sum = 0;
    long known = 0;
    for (SiteLoad site : sites) {
      OptionalLong value = figure.apply(site);
      if (value.isPresent()) {
        sum += value.getAsLong();
        known++;
      }
    }
    return new LoadTotal(sum, known, weight);
  }

  /**
   * The share of one site. Figures are at most 10^12 and sites 1,000, so that nothing overflows.
   */
  Share share(OptionalLong figure) {
    long permille = 0;
    if (sum > 0) {
      permille =
          figure.isPresent()
              ? Math.min(Share.MOST_PERMILLE, figure.getAsLong() * 1000 * known / sum)
              : 1000;
    }
    return new Share(figure, (int) permille, (int) (-weight * permille / 1000));
  }
}
