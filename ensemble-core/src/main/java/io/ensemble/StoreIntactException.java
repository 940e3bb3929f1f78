package io.ensemble;

/**
 * A site was to be recovered but has its store: there is nothing to recover, and nothing was done.
 * Removing the store could remove the last copy of an entry; {@link FormerStorePolicy#DISCARD}
 * removes the store nevertheless.
 */
public final class StoreIntactException extends IllegalStateException {

  private static final long serialVersionUID = 1L;

  private final String cache;
  private final String site;

  /**
   * @param cache the cache's name
   * @param site the site that has its store
   */
  public StoreIntactException(String cache, String site) {
    super(
        "the site has its store, recovery is not needed; cache=%s site=%s".formatted(cache, site));
    this.cache = cache;
    this.site = site;
  }

  /** The cache's name. */
  public String cache() {
    return cache;
  }

  /** The site that has its store. */
  public String site() {
    return site;
  }
}
