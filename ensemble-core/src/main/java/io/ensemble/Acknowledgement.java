package io.ensemble;

/** The condition under which a write returns. */
public enum Acknowledgement {
  /** One site has acknowledged: the local one if it answers. WEAK only. */
  LOCAL,
  /**
   * The primary alone has acknowledged; the other sites follow through a {@link CopyWindow}. SWMR
   * only. A fail-over may drop the writes in the window, although readers may have seen them.
   * Ensemble reports these writes as {@link InDoubtWrites}. A dropped write may reappear until a
   * later term is whole ({@link PrimaryTerm#whole}), and never after that.
   */
  PRIMARY,
  /** More than half of the cache's sites have acknowledged. */
  MAJORITY;

  /** Whether a cache of {@code mode} may use this acknowledgement. */
  public boolean isFor(Mode mode) {
    return switch (this) {
      case LOCAL -> mode == Mode.WEAK;
      case PRIMARY -> mode == Mode.SWMR;
      case MAJORITY -> true;
    };
  }
}
