package io.ensemble.site;

import java.util.OptionalLong;

/**
 * What a site has to do, by its own statistics, over all its stores that keep any.
 *
 * @param entries how many entries they hold, each once however many nodes have it; what removals
 *     left counts too, and while nodes come or go it is an estimate; empty if there are stores and
 *     none tells
 * @param requestsPerSecond how many requests they have had, each on the mean since the node that
 *     was asked started it; empty if there are stores and none tells
 */
public record SiteStatistics(OptionalLong entries, OptionalLong requestsPerSecond) {

  /** None is known. */
  public static final SiteStatistics UNKNOWN =
      new SiteStatistics(OptionalLong.empty(), OptionalLong.empty());
}
