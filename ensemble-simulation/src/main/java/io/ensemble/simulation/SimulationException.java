package io.ensemble.simulation;

/** A simulation could not continue. Its message ends with the seed, which replays it. */
public final class SimulationException extends RuntimeException {

  private static final long serialVersionUID = 1L;

  private final long seed;

  SimulationException(String what, long seed, long atNanos, Throwable cause) {
    super(message(what, seed, atNanos), cause);
    this.seed = seed;
  }

  SimulationException(String what, long seed, long atNanos) {
    super(message(what, seed, atNanos));
    this.seed = seed;
  }

  private static String message(String what, long seed, long atNanos) {
    return what + "; atNanos=" + atNanos + " seed=" + seed;
  }

  /** The seed that replays it. */
  public long seed() {
    return seed;
  }
}
