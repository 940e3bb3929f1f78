package io.ensemble.cache;

/** An engine whose sites may miss writes and keep older entries. */
public interface RepairableEngine {

  /** The repair of those sites. */
  SiteRepair siteRepair();
}
