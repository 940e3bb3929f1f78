package io.ensemble.site;

import java.util.OptionalLong;

/**
 * The load of a site, by its own statistics, over all its stores that keep statistics.
 *
 * @param entries how many entries they hold, each once however many nodes have it; tombstones count
 *     too, and while nodes join or leave it is an estimate; empty if there are stores and none
 *     reports
 * @param requestsPerSecond how many requests they have had, each on average since the node that was
 *     asked started it; empty if there are stores and none reports
 */
public record SiteStatistics(OptionalLong entries, OptionalLong requestsPerSecond) {

  /** No figure is known. */
  public static final SiteStatistics UNKNOWN =
      new SiteStatistics(OptionalLong.empty(), OptionalLong.empty());
}
