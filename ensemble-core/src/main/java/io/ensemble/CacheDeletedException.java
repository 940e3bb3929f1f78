package io.ensemble;

/**
 * The cache was deleted, by this process or another one, after the caller obtained this view of it.
 * A cache that has its name now is a different cache, which no call on this view reads or writes:
 * ask the manager for it. Calls in progress may have reached the deleted cache, which no reader
 * sees any more.
 */
public final class CacheDeletedException extends IllegalStateException {

  private static final long serialVersionUID = 1L;

  private final String cache;

  /**
   * @param cache the cache's name
   */
  public CacheDeletedException(String cache) {
    super(
        "the cache was deleted, and this handle does not use a later cache of the same name: ask "
            + "the manager for the cache again; cache="
            + cache);
    this.cache = cache;
  }

  /** The cache's name. */
  public String cache() {
    return cache;
  }
}
