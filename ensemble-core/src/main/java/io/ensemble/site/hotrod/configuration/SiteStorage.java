package io.ensemble.site.hotrod.configuration;

/** Where a site keeps the stores that are created there. */
public enum SiteStorage {

  /** In memory, on two nodes: the entries of a site are lost with it. The default. */
  MEMORY,

  /**
   * In memory and, before a write is acknowledged, on the disk of every node; stores outlive the
   * site. Its servers must keep their state ({@code global-state}), as Infinispan Server does. When
   * all nodes of the site have died, the first one to be started must be one that lived to the end.
   * The others must start with empty disks. Infinispan does not ensure that, and a site that loses
   * acknowledged writes may make MWMR caches lose them.
   */
  DISK
}
