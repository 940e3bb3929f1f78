package io.ensemble.rest.http;

/** Where a caller must have a route's role. */
public enum RoleScope {
  /** In the cache that the path names. */
  CACHE,
  /** In the federation. */
  FEDERATION,
  /**
   * Somewhere, to come in at all; the handler checks each thing that the request is about, or
   * leaves out what the caller may not see.
   */
  EACH;

  static RoleScope of(String path) {
    if (path.contains("{operation}")) {
      return EACH; // Its name says of what it is.
    }
    return path.contains("{cache}") ? CACHE : FEDERATION;
  }
}
