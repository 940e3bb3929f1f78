package io.ensemble.site.hotrod;

import io.ensemble.site.SiteStatistics;
import io.ensemble.site.StoreStatistics;
import java.util.List;
import java.util.Map;
import java.util.OptionalLong;
import org.infinispan.client.hotrod.ServerStatistics;

/**
 * Adds up the counts of a site's caches, by the sums that its nodes compute over all nodes, up to 3
 * s old. A cache without statistics reports -1 for every count. The servers' own caches do not
 * count. Not thread-safe.
 */
final class HotRodStatistics {

  private static final List<String> REQUESTS =
      List.of("globalRetrievals", "globalStores", "globalRemoveHits", "globalRemoveMisses");

  private static final List<String> REQUESTS_OF_ONE_NODE =
      List.of(
          ServerStatistics.RETRIEVALS,
          ServerStatistics.STORES,
          ServerStatistics.REMOVE_HITS,
          ServerStatistics.REMOVE_MISSES);

  private long entries;
  private double requestsPerSecond;
  private boolean any;
  private boolean silent;

  /** Whether a cache of that name is one of the servers' own. */
  static boolean isOwn(String cache) {
    return cache.startsWith("___");
  }

  /** The counts of one cache of the site. */
  static StoreStatistics ofSite(Map<String, String> cache) {
    return counts(
        figure(cache, ServerStatistics.CLUSTER_APPROXIMATE_ENTRIES_UNIQUE), REQUESTS, cache);
  }

  /** The counts that the node of a store reports; the marker does not count. */
  static StoreStatistics ofOneNode(Map<String, String> cache) {
    long held = figure(cache, ServerStatistics.APPROXIMATE_ENTRIES);
    return counts(held < 0 ? held : Math.max(0, held - 1), REQUESTS_OF_ONE_NODE, cache);
  }

  private static StoreStatistics counts(long held, List<String> kinds, Map<String, String> cache) {
    if (held < 0) {
      return StoreStatistics.UNKNOWN;
    }
    long requests = 0;
    for (String kind : kinds) {
      requests += Math.max(0, figure(cache, kind));
    }
    return new StoreStatistics(OptionalLong.of(held), OptionalLong.of(requests));
  }

  /** Adds the counts of one cache. */
  void add(Map<String, String> cache) {
    add(ofSite(cache), cache);
  }

  private void add(StoreStatistics counts, Map<String, String> cache) {
    if (counts.entries().isEmpty()) {
      silent = true;
      return;
    }
    any = true;
    entries += counts.entries().getAsLong();
    long seconds = Math.max(1, figure(cache, ServerStatistics.TIME_SINCE_START));
    requestsPerSecond += (double) counts.requests().orElse(0) / seconds;
  }

  /** Records a cache that reports no counts. */
  void silent() {
    silent = true;
  }

  /** Adds the counts that the node of a store reports; the marker does not count. */
  void addOfOneNode(Map<String, String> cache) {
    add(ofOneNode(cache), cache);
  }

  /** The sums so far; unknown when there are caches and none reports. */
  SiteStatistics sums() {
    return any || !silent
        ? new SiteStatistics(
            OptionalLong.of(entries), OptionalLong.of(Math.round(requestsPerSecond)))
        : SiteStatistics.UNKNOWN;
  }

  private static long figure(Map<String, String> cache, String name) {
    try {
      return Long.parseLong(cache.getOrDefault(name, "-1"));
    } catch (NumberFormatException strange) {
      return -1;
    }
  }
}
