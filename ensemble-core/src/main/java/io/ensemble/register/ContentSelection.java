package io.ensemble.register;

import io.ensemble.quorum.Quorum;
import java.util.List;

/**
 * Which content a proposer must go on from, given the cells of a majority that promised it its
 * ballot.
 *
 * <p>The rule goes by floors, not by accepted ballots: a fast vote carries a high number, but only
 * its floor was known to be chosen when it was cast, and a lower classic ballot may have been
 * chosen since at sites that had promised before they could vote. Whatever has been chosen stands
 * at or above the highest floor {@code m}:
 *
 * <ul>
 *   <li>a fast ballot whose floor lies below {@code m} is not chosen: a majority promised {@code
 *       m}, or a fast quorum voted for it, and those sites never vote from an older base;
 *   <li>of the fast ballots that stand on {@code m} at most one can still reach its fast quorum,
 *       counting the sites that were not heard; that one must be taken;
 *   <li>if none can, the content of {@code m}, or of anything that stands on it, may be taken.
 * </ul>
 */
final class ContentSelection {

  private ContentSelection() {}

  static <V> Content<V> recover(List<Cell<V>> promised, Quorum quorum) {
    Ballot base = Ballot.ZERO;
    for (Cell<V> cell : promised) {
      base = Ballot.max(base, cell.floor());
    }
    Content<V> fallback = null;
    for (Cell<V> cell : promised) {
      boolean standsOnBase = cell.floor().equals(base) || cell.accepted().equals(base);
      if (!standsOnBase) {
        continue;
      }
      boolean votedFast = cell.accepted().isFast() && !cell.accepted().equals(base);
      if (!votedFast) {
        fallback = cell.content();
      } else if (mayBeChosen(cell, promised, quorum)) {
        return cell.content();
      } else if (fallback == null) {
        fallback = cell.content();
      }
    }
    if (fallback == null) {
      throw new AssertionError("some promised cell stands on the highest floor; cells=" + promised);
    }
    return fallback;
  }

  private static <V> boolean mayBeChosen(Cell<V> vote, List<Cell<V>> promised, Quorum quorum) {
    int votes = 0;
    for (Cell<V> cell : promised) {
      if (cell.accepted().equals(vote.accepted())) {
        votes++;
      }
    }
    int unheard = quorum.sites() - promised.size();
    return votes + unheard >= fastQuorum(vote.floor(), quorum);
  }

  /**
   * A fast ballot on a key that no site holds needs every site: while a tombstone is being purged
   * some sites show the key as absent that have forgotten a higher ballot.
   */
  static int fastQuorum(Ballot base, Quorum quorum) {
    return base.equals(Ballot.ZERO) ? quorum.sites() : quorum.fast();
  }
}
