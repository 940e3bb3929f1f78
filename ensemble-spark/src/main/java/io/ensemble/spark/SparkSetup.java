package io.ensemble.spark;

import io.ensemble.EnsembleCacheManagerBuilder;

/**
 * Settings of the manager that no option can hold. The option {@code setup} names the class, which
 * has a public constructor without parameters and is on the class path of the driver and of all
 * executors. Called once for each manager in each process.
 */
public interface SparkSetup {

  /**
   * Changes the settings of the manager, for example its ProtoStream schemas, its keysets, and
   * sites that the catalog does not have. The catalog and the local site are set before.
   */
  void configure(EnsembleCacheManagerBuilder builder);
}
