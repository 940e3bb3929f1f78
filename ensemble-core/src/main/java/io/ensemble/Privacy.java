package io.ensemble;

/** What of a cache is encrypted by its clients, so that whoever runs a site does not see it. */
public enum Privacy {
  /** Nothing. */
  NONE,
  /** Values; keys, how long values are and when they end are seen. */
  VALUES,
  /**
   * Values and keys. Equal keys have equal names at the sites, so how often one is written is seen,
   * and how long it is.
   */
  VALUES_AND_KEYS;

  /** Whether a keyset is wanted to open the cache. */
  public boolean isPrivate() {
    return this != NONE;
  }
}
