package io.ensemble.testkit.linearizability;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * The points of the search already explored, so that none is explored twice.
 *
 * <p>A point consists of the completed and the unknown operations that have a place, the state, and
 * the state before the last operation if that was an unknown one. A point need not be explored if
 * an explored point differs only in that fewer unknown operations had a place: each step from here
 * was possible there.
 */
final class SearchMemo {
  /** Replaces the state before when the last operation was not an unknown one. */
  static final int FREE = -1;

  private record SearchPoint(int state, int before, int firstOpen, long[] placed, int hash) {
    @Override
    public int hashCode() {
      return hash;
    }

    @Override
    public boolean equals(Object other) {
      return other instanceof SearchPoint that
          && hash == that.hash
          && state == that.state
          && before == that.before
          && firstOpen == that.firstOpen
          && Arrays.equals(placed, that.placed);
    }

    static SearchPoint of(int state, int before, int firstOpen, long[] placed) {
      int hash = 31 * (31 * (31 * Arrays.hashCode(placed) + firstOpen) + state) + before;
      return new SearchPoint(state, before, firstOpen, placed, hash ^ (hash >>> 15));
    }
  }

  private final Map<SearchPoint, List<long[]>> seen = new HashMap<>();

  /**
   * Records a point, unless it need not be explored.
   *
   * @param firstOpen the first completed operation without a place; all before it have one
   * @param lastPlaced the last completed operation with a place, or -1
   * @param placed the completed operations that have a place
   * @param used the unknown operations that have a place; the memo keeps the array, so the caller
   *     must not change it
   * @return whether the point is new
   */
  boolean add(int state, int before, int firstOpen, int lastPlaced, long[] placed, long[] used) {
    // Everything before firstOpen is placed, so only the words from there on need to be kept.
    int from = firstOpen >>> 6;
    int to = Math.max(from, (lastPlaced >>> 6) + 1);
    long[] window = lastPlaced < 0 ? new long[0] : Arrays.copyOfRange(placed, from, to);
    if (before != FREE && covered(SearchPoint.of(state, FREE, firstOpen, window), used)) {
      return false;
    }
    SearchPoint point = SearchPoint.of(state, before, firstOpen, window);
    if (covered(point, used)) {
      return false;
    }
    seen.computeIfAbsent(point, p -> new ArrayList<>(1)).add(used);
    return true;
  }

  private boolean covered(SearchPoint point, long[] used) {
    List<long[]> smaller = seen.get(point);
    if (smaller == null) {
      return false;
    }
    for (long[] set : smaller) {
      if (isSubset(set, used)) {
        return true;
      }
    }
    return false;
  }

  private static boolean isSubset(long[] small, long[] large) {
    for (int i = 0; i < small.length; i++) {
      long there = i < large.length ? large[i] : 0;
      if ((small[i] & ~there) != 0) {
        return false;
      }
    }
    return true;
  }
}
