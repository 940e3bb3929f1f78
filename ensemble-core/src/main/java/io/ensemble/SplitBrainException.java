package io.ensemble;

/**
 * SWMR over two sites: a site was to be recovered that has itself gone on without the other one.
 * Somebody made both go on alone, which takes two catalogs, such as a copy of the one. What was
 * written at the one is not at the other. Nothing was done; {@link FormerStorePolicy#GIVE_UP} gives
 * up what was written at the site, and there is no other way: save first what is to be kept.
 */
public final class SplitBrainException extends IllegalStateException {

  private static final long serialVersionUID = 1L;

  private final String cache;
  private final String site;
  private final String other;

  /**
   * @param cache the cache's name
   * @param site the site that was to be recovered
   * @param other where the cache goes on by this catalog
   */
  public SplitBrainException(String cache, String site, String other) {
    super(
        ("both sites went on without the other, and what was written at the one is not at the other;"
                + " nothing was done; cache=%s site=%s other=%s")
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

  /** Where the cache goes on by this catalog. */
  public String other() {
    return other;
  }
}
