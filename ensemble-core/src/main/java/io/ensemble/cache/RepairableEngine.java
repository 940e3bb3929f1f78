package io.ensemble.cache;

/** An engine whose sites may miss writes and keep what they had. */
public interface RepairableEngine {

  /** Brings them up to date. */
  SiteRepair mending();
}
