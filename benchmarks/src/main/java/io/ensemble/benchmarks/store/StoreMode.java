package io.ensemble.benchmarks.store;

import io.ensemble.Mode;
import java.util.Locale;

/** The measured modes. */
public enum StoreMode {
  /** A WEAK cache. */
  WEAK,
  /** An SWMR cache whose one writer is the measuring process. */
  SWMR,
  /** An MWMR cache. */
  MWMR,
  /** One plain {@code RemoteCache} at the first site, without Ensemble. */
  RAW;

  /**
   * The mode of that name, in any case.
   *
   * @throws IllegalArgumentException if there is none
   */
  public static StoreMode of(String name) {
    for (StoreMode mode : values()) {
      if (mode.name().equalsIgnoreCase(name)) {
        return mode;
      }
    }
    throw new IllegalArgumentException("mode must be weak, swmr, mwmr or raw; got '" + name + "'");
  }

  /** The default number of replicas of a cache of this mode, out of {@code sites}. */
  public int defaultReplication(int sites) {
    return switch (this) {
      case WEAK -> Math.min(2, sites);
      case SWMR, MWMR -> sites;
      case RAW -> 1;
    };
  }

  /** The mode of Ensemble's cache; a plain cache has none. */
  public Mode ensembleMode() {
    return switch (this) {
      case WEAK -> Mode.WEAK;
      case SWMR -> Mode.SWMR;
      case MWMR -> Mode.MWMR;
      case RAW -> throw new AssertionError("a plain cache has no mode of Ensemble's");
    };
  }

  @Override
  public String toString() {
    return name().toLowerCase(Locale.ROOT);
  }
}
