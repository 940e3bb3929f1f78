package io.ensemble.cache.adapter;

import io.ensemble.CacheDeletedException;

/** Whether a cache is open: from its creation until it is closed or deleted. Thread-safe. */
final class OpenFlag {

  private volatile boolean open = true;
  private volatile boolean deleted;

  void close() {
    open = false;
  }

  /** Closes the cache, because it is deleted. */
  void delete() {
    deleted = true;
    open = false;
  }

  boolean isOpen() {
    return open;
  }

  boolean isDeleted() {
    return deleted;
  }

  /**
   * Fails with {@link IllegalStateException} once closed, with {@link CacheDeletedException} once
   * deleted.
   */
  void check(String cache) {
    if (!open) {
      if (deleted) {
        throw new CacheDeletedException(cache);
      }
      throw new IllegalStateException(
          "the cache is stopped: ask its manager for it again; cache=" + cache);
    }
  }
}
