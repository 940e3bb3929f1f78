package io.ensemble.tree;

import io.ensemble.tree.runtime.PageCache;

/**
 * Copies of pages in memory, for one tree or for several. The least used ones are removed when the
 * copies of all trees together exceed the bound. Thread-safe.
 */
public final class TreePageCache {

  final PageCache pages;

  private TreePageCache(PageCache pages) {
    this.pages = pages;
  }

  /**
   * Makes a cache.
   *
   * @param bytes about the memory that the copies take; not negative
   */
  public static TreePageCache ofBytes(long bytes) {
    if (bytes < 0) {
      throw new IllegalArgumentException("the bytes of a cache must not be negative; got " + bytes);
    }
    return new TreePageCache(new PageCache(bytes));
  }

  /** About the memory that the copies take, in bytes. */
  public long sizeBytes() {
    return pages.sizeBytes();
  }
}
