package io.ensemble;

import java.util.List;

/**
 * A distributed cache would be a part of itself, at once or by way of others. Nothing was done; a
 * retry is in vain until one of the caches on the path is another.
 */
public final class CyclicCacheException extends IllegalArgumentException {

  private static final long serialVersionUID = 1L;

  private final transient List<String> path;

  public CyclicCacheException(List<String> path) {
    super("a distributed cache would be a part of itself; path=" + String.join(" -> ", path));
    this.path = List.copyOf(path);
  }

  /** From a cache, by way of parts, to the same cache. */
  public List<String> path() {
    return path;
  }
}
