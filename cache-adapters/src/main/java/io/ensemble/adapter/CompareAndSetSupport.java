package io.ensemble.adapter;

import java.util.Optional;

/**
 * A cache that reports whether {@code putIfAbsent} and {@code replace} of one key, by several
 * processes, take effect one after the other, and whether every read finds what they wrote. Stores
 * of atomic objects and of versions require that.
 */
public interface CompareAndSetSupport {

  /**
   * Why the cache does not support this, and the remedy, as in {@code "mode is WEAK; use a cache in
   * mode MWMR"}; empty if it does. Sends nothing. Never null; thread-safe.
   */
  Optional<String> compareAndSetObstacle();
}
