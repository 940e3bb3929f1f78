package io.ensemble;

/** What a write waits for before it returns. */
public enum Acknowledgement {
  /** One site, the local one when it answers. WEAK only. */
  LOCAL,
  /**
   * The primary alone, the others following through a {@link CopyWindow}. SWMR only: a fail-over
   * may drop the writes in the window, which are then reported as {@link InDoubtWrites}, though
   * readers may have seen them. What was dropped may come back until a later term is whole ({@link
   * PrimaryTerm#whole}), and never after that.
   */
  PRIMARY,
  /** More than half of the cache's sites. */
  MAJORITY;

  /** Whether caches of {@code mode} may acknowledge so. */
  public boolean isFor(Mode mode) {
    return switch (this) {
      case LOCAL -> mode == Mode.WEAK;
      case PRIMARY -> mode == Mode.SWMR;
      case MAJORITY -> true;
    };
  }
}
