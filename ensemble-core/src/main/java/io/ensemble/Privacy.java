package io.ensemble;

/** Which part of a cache its clients encrypt, so that operators of a site cannot read it. */
public enum Privacy {
  /** Nothing. */
  NONE,
  /** Values. Keys, the length of values and their expiry are visible to sites. */
  VALUES,
  /**
   * Values and keys. Equal keys have equal names at the sites, so the length of a key and the
   * number of its writes are visible.
   */
  VALUES_AND_KEYS;

  /** Whether the cache can be opened only with a keyset. */
  public boolean isPrivate() {
    return this != NONE;
  }
}
