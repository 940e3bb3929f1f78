package io.ensemble.site.hotrod.configuration;

/** Where a site keeps the stores that are made there. */
public enum SiteStorage {

  /** In memory, on two nodes: what a site holds ends with it. The rule. */
  MEMORY,

  /**
   * In memory and, before a write is acknowledged, on the disk of every node; stores outlive the
   * site. Its servers must keep their state ({@code global-state}), as Infinispan Server does. When
   * all nodes of the site have died, the first one to be started must be one that was there to the
   * end, and the others must start with empty disks: Infinispan does not see to that, and a site
   * that forgets what it has acknowledged may make MWMR caches forget it.
   */
  DISK
}
