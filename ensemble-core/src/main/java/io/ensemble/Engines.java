package io.ensemble;

import io.ensemble.cache.EngineFactory;
import java.util.EnumMap;
import java.util.Map;

/** The engines of the modes. */
final class Engines {

  private Engines() {}

  /** A map of its own, to be changed at will. */
  static Map<Mode, EngineFactory> all() {
    return new EnumMap<>(Mode.class);
  }
}
