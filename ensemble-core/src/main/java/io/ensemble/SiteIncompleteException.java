package io.ensemble;

import java.util.List;

/**
 * SWMR over two sites: a site was to be the primary, to go on alone, or to fill the other one,
 * which does not have all that was acknowledged: the cache has gone on at the other one without it,
 * and it has not been recovered since, or is not filled yet. Nothing was changed. Once {@link
 * EnsembleCacheManager#recoverSite} has returned, a retry succeeds.
 */
public final class SiteIncompleteException extends IllegalStateException {

  private static final long serialVersionUID = 1L;

  private final String cache;
  private final String site;
  private final List<String> complete;

  /**
   * @param cache the cache's name
   * @param site the site that does not have all
   * @param counted the sites that count, among them one that has all
   */
  public SiteIncompleteException(String cache, String site, List<String> counted) {
    super(
        "the site does not have all that was acknowledged, recover it first, while the other answers;"
            + " cache=%s site=%s goes on at=%s".formatted(cache, site, without(counted, site)));
    this.cache = cache;
    this.site = site;
    this.complete = without(counted, site);
  }

  private static List<String> without(List<String> sites, String site) {
    return sites.stream().filter(other -> !other.equals(site)).toList();
  }

  /** The cache's name. */
  public String cache() {
    return cache;
  }

  /** The site that does not have all. */
  public String site() {
    return site;
  }

  /** Where the cache goes on. */
  public List<String> complete() {
    return complete;
  }
}
