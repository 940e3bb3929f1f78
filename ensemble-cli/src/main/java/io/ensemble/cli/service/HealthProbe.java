package io.ensemble.cli.service;

/** Asks a service of this process, by its own port as clients do, how it is. Thread-safe. */
public interface HealthProbe {

  /** Whether the service serves. Blocks for at most ten seconds. */
  boolean isReady();

  /**
   * Whether the service responds at all, also if what it depends on is away: a restart would not
   * bring that back. Blocks for at most ten seconds.
   */
  boolean isLive();
}
