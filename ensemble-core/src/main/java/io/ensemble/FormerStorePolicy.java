package io.ensemble;

/** How the recovery of a site treats the store that the site had before. */
public enum FormerStorePolicy {

  /**
   * The site must have lost the store. While the store is there, recovery refuses, because it could
   * be the last copy. The default.
   */
  MUST_BE_LOST,

  /**
   * The store is removed permanently, in whatever state it is, once enough other sites have
   * answered. The policy is for a store that refuses all requests permanently, for example after
   * the loss of too many nodes at the same time ({@link
   * io.ensemble.site.SiteException.Reason#DEGRADED}). The policy is also for a store whose node
   * stays away.
   *
   * <p>In SWMR and MWMR no acknowledged write is lost, provided that a node that does not answer
   * never comes back with its former store. A node that is only disconnected from this process may
   * still count for processes that have not read of the new store. The proviso does not apply to an
   * SWMR cache at two sites: the other site ends the voter set in which the former store counted.
   * In WEAK, writes that no other site has are lost.
   */
  DISCARD
}
