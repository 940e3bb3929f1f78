package io.ensemble;

/**
 * SWMR at two sites: the site to be recovered has itself continued without the other one. An
 * operator has made each site continue alone, which takes two catalogs, such as a copy of the one.
 * Writes made at one site are missing at the other. Nothing was done. The only remedy is {@link
 * FormerStorePolicy#DISCARD}, which discards the writes at the site: save those that are to be kept
 * first.
 */
public final class SplitBrainException extends IllegalStateException {

  private static final long serialVersionUID = 1L;

  private final String cache;
  private final String site;
  private final String other;

  /**
   * @param cache the cache's name
   * @param site the site that was to be recovered
   * @param other where the cache continues, by this catalog
   */
  public SplitBrainException(String cache, String site, String other) {
    super(
        ("each site continued without the other and may lack writes of the other; the operation "
                + "was not applied; cache=%s site=%s other=%s")
            .formatted(cache, site, other));
    this.cache = cache;
    this.site = site;
    this.other = other;
  }

  /** The cache's name. */
  public String cache() {
    return cache;
  }

  /** The site that was to be recovered. */
  public String site() {
    return site;
  }

  /** Where the cache continues, by this catalog. */
  public String other() {
    return other;
  }
}
