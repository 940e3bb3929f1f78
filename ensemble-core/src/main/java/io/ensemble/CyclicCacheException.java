package io.ensemble;

import java.util.List;

/**
 * A distributed cache would be a part of itself, directly or through other caches. Nothing was
 * done. A retry fails again until a cache on the path has changed.
 */
public final class CyclicCacheException extends IllegalArgumentException {

  private static final long serialVersionUID = 1L;

  private final transient List<String> path;

  public CyclicCacheException(List<String> path) {
    super("a distributed cache must not be a part of itself; path=" + String.join(" -> ", path));
    this.path = List.copyOf(path);
  }

  /** The caches from one cache, through its parts, to the same cache. */
  public List<String> path() {
    return path;
  }
}
