package io.ensemble;

/** What a site's recovery does about the store that the site had before. */
public enum FormerStore {

  /**
   * The site must have lost it; while it is there, recovery refuses: it could be the last copy. The
   * rule.
   */
  MUST_BE_LOST,

  /**
   * It is removed for good, in whatever state it is, once enough other sites have answered: for a
   * store that refuses everyone and will not get better, as one does that lost too many nodes at
   * once ({@link io.ensemble.site.SiteException.Reason#DEGRADED}). In SWMR and MWMR nothing that
   * was acknowledged is lost; in WEAK, writes that no other site has.
   */
  GIVE_UP
}
