package io.ensemble.membership;

import java.util.List;

/** The target of a cache that leaves a site. */
public sealed interface RelocationTarget {

  /**
   * A target was found.
   *
   * @param sites those of the cache, without the one that it leaves
   * @param notes warnings for the operator about the new site; empty if none
   */
  record Found(List<String> sites, List<String> notes) implements RelocationTarget {
    public Found {
      sites = List.copyOf(sites);
      notes = List.copyOf(notes);
    }
  }

  /**
   * No target was found.
   *
   * @param why the required and the existing sites
   */
  record None(String why) implements RelocationTarget {}
}
