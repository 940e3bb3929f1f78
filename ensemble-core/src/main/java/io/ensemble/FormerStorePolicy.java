package io.ensemble;

/** What a site's recovery does about the store that the site had before. */
public enum FormerStorePolicy {

  /**
   * The site must have lost it; while it is there, recovery refuses: it could be the last copy. The
   * rule.
   */
  MUST_BE_LOST,

  /**
   * It is removed for good, in whatever state it is, once enough other sites have answered: for a
   * store that refuses everyone and will not get better, as one does that lost too many nodes at
   * once ({@link io.ensemble.site.SiteException.Reason#DEGRADED}), or for one whose node stays
   * away. In SWMR and MWMR nothing that was acknowledged is lost, provided that a node that does
   * not answer never comes back with what it held: one that is only cut off from here may still
   * count for processes that have not read of the new store. An SWMR cache at two sites has that
   * proviso not: the other site ends what the former store counted in. In WEAK, writes that no
   * other site has are lost.
   */
  GIVE_UP
}
