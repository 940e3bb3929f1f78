package io.ensemble;

import java.util.List;

/**
 * SWMR at two sites: an operation needs all acknowledged writes at a site that does not have all of
 * them. The site was to become the primary, to continue alone, or to fill the other site. The cache
 * has continued at the other site without this one, and this one has not been recovered since, or
 * is not filled yet. Nothing was changed. Once {@link EnsembleCacheManager#recoverSite} has
 * returned, a retry succeeds.
 */
public final class SiteIncompleteException extends IllegalStateException {

  private static final long serialVersionUID = 1L;

  private final String cache;
  private final String site;
  private final List<String> complete;

  /**
   * @param cache the cache's name
   * @param site the site that does not have all
   * @param counted the sites that count, including a complete one
   */
  public SiteIncompleteException(String cache, String site, List<String> counted) {
    super(
        ("the site may lack acknowledged writes: recover it first, while the other site answers; "
                + "cache=%s site=%s active=%s")
            .formatted(cache, site, without(counted, site)));
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

  /** The sites at which the cache continues. */
  public List<String> complete() {
    return complete;
  }
}
