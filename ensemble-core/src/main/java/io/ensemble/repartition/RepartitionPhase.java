package io.ensemble.repartition;

/** The phase of a change of parts. */
public enum RepartitionPhase {
  /**
   * Marks are written and the mover waits for the end of the leases. The former parts serve all
   * keys for processes with a lease.
   */
  MARKING,
  /**
   * The keys of the moving share are moved; each is served at its new part once its former part is
   * done.
   */
  MOVING
}
