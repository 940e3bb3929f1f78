package io.ensemble.cache.face;

/** Whether a cache is open: from its creation until it is closed, once. Thread-safe. */
final class OpenFlag {

  private volatile boolean open = true;

  void close() {
    open = false;
  }

  /** Fails with {@link IllegalStateException} once closed. */
  void check(String cache) {
    if (!open) {
      throw new IllegalStateException(
          "the cache is stopped: ask its manager again; cache=" + cache);
    }
  }
}
