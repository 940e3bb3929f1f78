package io.ensemble.manager;

import io.ensemble.Mode;
import io.ensemble.cache.EngineFactory;
import io.ensemble.cache.mwmr.MwmrEngine;
import io.ensemble.cache.swmr.OpenSwmrCache;
import io.ensemble.cache.weak.OpenWeakCache;
import java.util.EnumMap;
import java.util.Map;

/** The default engines of the modes. */
public final class ModeEngines {

  private ModeEngines() {}

  /** Returns an engine for every mode, in a new map that the caller may change. */
  public static Map<Mode, EngineFactory> all() {
    Map<Mode, EngineFactory> engines = new EnumMap<>(Mode.class);
    for (Mode mode : Mode.values()) {
      engines.put(mode, of(mode));
    }
    return engines;
  }

  private static EngineFactory of(Mode mode) {
    return switch (mode) {
      case WEAK -> OpenWeakCache::open;
      case SWMR -> OpenSwmrCache::open;
      case MWMR -> MwmrEngine::open;
    };
  }
}
