package io.ensemble.register;

import io.ensemble.quorum.Quorum;
import java.util.List;

/**
 * The content on which a proposer must build, given the cells of a majority that promised its
 * ballot.
 *
 * <p>The rule compares floors, not accepted ballots. A fast vote carries a high number, but only
 * its floor was known to be chosen when the vote was cast. A lower classic ballot may have been
 * chosen since, at sites that had promised before they could vote. Every chosen content stands at
 * or above the highest floor {@code m}:
 *
 * <ul>
 *   <li>a fast ballot with a floor below {@code m} is not chosen: a majority promised {@code m}, or
 *       a fast quorum voted for it, and those sites never vote from an older base;
 *   <li>of the fast ballots based on {@code m}, at most one can still reach its fast quorum,
 *       counting the sites without a response; that ballot must be taken;
 *   <li>if none can, the content of {@code m}, or of any ballot based on it, may be taken.
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
      boolean isOnBase = cell.floor().equals(base) || cell.accepted().equals(base);
      if (!isOnBase) {
        continue;
      }
      boolean isFastVote = cell.accepted().isFast() && !cell.accepted().equals(base);
      if (!isFastVote) {
        fallback = cell.content();
      } else if (mayBeChosen(cell, promised, quorum)) {
        return cell.content();
      } else if (fallback == null) {
        fallback = cell.content();
      }
    }
    if (fallback == null) {
      throw new AssertionError("a promised cell must have the highest floor; cells=" + promised);
    }
    return fallback;
  }

  private static <V> boolean mayBeChosen(Cell<V> candidate, List<Cell<V>> promised, Quorum quorum) {
    int votes = 0;
    for (Cell<V> cell : promised) {
      if (cell.accepted().equals(candidate.accepted())) {
        votes++;
      }
    }
    int unknownSites = quorum.sites() - promised.size();
    return votes + unknownSites >= fastQuorum(candidate.floor(), quorum);
  }

  /**
   * A fast ballot on a key that no site holds needs every site: while a tombstone is being purged,
   * some sites show the key as absent although they held a higher ballot before.
   */
  static int fastQuorum(Ballot base, Quorum quorum) {
    return base.equals(Ballot.ZERO) ? quorum.sites() : quorum.fast();
  }
}
