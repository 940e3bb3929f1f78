package io.ensemble.rest.http;

/** Where a caller must have a route's role. */
public enum RoleScope {
  /** In the cache that the path names. */
  CACHE,
  /** In the federation. */
  FEDERATION,
  /**
   * In any cache or in the federation, to be admitted at all. The handler then checks each thing
   * that the request concerns, or omits things that the caller may not see.
   */
  EACH;

  static RoleScope of(String path) {
    if (path.contains("{operation}")) {
      return EACH; // The operation's name contains its cache or site.
    }
    return path.contains("{cache}") ? CACHE : FEDERATION;
  }
}
