package io.ensemble.benchmarks.store;

import io.ensemble.Mode;
import java.util.Locale;

/** What is measured. */
public enum StoreMode {
  /** A WEAK cache. */
  WEAK,
  /** An SWMR cache, whose one writer is the process that measures. */
  SWMR,
  /** An MWMR cache. */
  MWMR,
  /** One plain {@code RemoteCache} at the first site: what there was before Ensemble. */
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
    throw new IllegalArgumentException("a mode is weak, swmr, mwmr or raw; got '" + name + "'");
  }

  /** Over how many of {@code sites} a cache of this mode spreads when nobody says. */
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
