package io.ensemble;

/** What a write waits for before it returns. */
public enum Acknowledgement {
  /** One site, the local one when it answers. WEAK only. */
  LOCAL,
  /** More than half of the cache's sites. */
  MAJORITY
}
