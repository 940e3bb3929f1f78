package io.ensemble.primary;

import java.util.Collection;

/** What a key was when the record of its cache's terms ended, as its sites show it after that. */
public final class FinalCopy {

  private static final PrimaryRules RULES = new PrimaryRules();

  private FinalCopy() {}

  /**
   * The copy that counts of those that a majority showed; absent when none does. Nobody answers
   * from any of them any more, so whatever is the latest may count, but for what is void: a later
   * term has been answered from without it.
   *
   * @param floor the last epoch into which every key was recovered
   */
  public static <V> Copy<V> latest(Collection<Copy<V>> shown, long floor) {
    TermContext last = new TermContext(1, 0, floor, floor, true);
    Copy<V> latest = Copy.absent();
    for (Copy<V> one : shown) {
      latest = RULES.later(latest, RULES.valid(one, last));
    }
    return latest;
  }
}
