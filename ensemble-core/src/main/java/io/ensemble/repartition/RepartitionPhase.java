package io.ensemble.repartition;

/** How far a change of parts has come. */
public enum RepartitionPhase {
  /** Marks are put and outwaited; the former parts serve all keys for those who trust them. */
  MARKING,
  /** Keys of the moving share are moved; they are served at their new part once theirs is done. */
  MOVING
}
