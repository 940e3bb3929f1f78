package io.ensemble.primary;

import java.util.Collection;

/**
 * The last state of a key at the end of the record of its cache's terms, as its sites show it after
 * that.
 */
public final class FinalCopy {

  private static final PrimaryRules RULES = new PrimaryRules();

  private FinalCopy() {}

  /**
   * The copy that counts among those that a majority showed; absent when none does. No process
   * answers from any of them any more, so the latest may count, except for void copies: a later
   * term has answered without them.
   *
   * @param floor the last epoch into which every key was recovered
   */
  public static <V> Copy<V> latest(Collection<Copy<V>> copies, long floor) {
    TermContext finalContext = new TermContext(1, 0, floor, floor, true);
    Copy<V> latest = Copy.absent();
    for (Copy<V> copy : copies) {
      latest = RULES.laterOf(latest, RULES.valid(copy, finalContext));
    }
    return latest;
  }
}
