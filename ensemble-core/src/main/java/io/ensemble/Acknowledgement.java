package io.ensemble;

/** What a write waits for before it returns. */
public enum Acknowledgement {
  /** One site, the local one when it answers. WEAK only. */
  LOCAL,
  /**
   * The primary alone, the others following through a {@link CopyWindow}. SWMR only: a fail-over
   * may drop the writes in the window, which are then reported as {@link DoubtfulWrites}, though
   * readers may have seen them. Known to be wrong in rare schedules: what was dropped, and not read
   * for a while, can come back while processes that began calls before all keys were recovered
   * still end them. Where that matters take {@link #MAJORITY}.
   */
  PRIMARY,
  /** More than half of the cache's sites. */
  MAJORITY;

  /** Whether caches of {@code mode} may acknowledge so. */
  boolean isFor(Mode mode) {
    return switch (this) {
      case LOCAL -> mode == Mode.WEAK;
      case PRIMARY -> mode == Mode.SWMR;
      case MAJORITY -> true;
    };
  }
}
