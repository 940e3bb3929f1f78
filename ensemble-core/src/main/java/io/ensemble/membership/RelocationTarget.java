package io.ensemble.membership;

import java.util.List;

/** Where a cache goes that leaves a site. */
public sealed interface RelocationTarget {

  /**
   * There.
   *
   * @param sites those of the cache, without the one that it leaves
   * @param notes what an operator should know of the new one; empty if nothing
   */
  record Found(List<String> sites, List<String> notes) implements RelocationTarget {
    public Found {
      sites = List.copyOf(sites);
      notes = List.copyOf(notes);
    }
  }

  /**
   * Nowhere.
   *
   * @param why what was wanted, and what there is instead
   */
  record None(String why) implements RelocationTarget {}
}
