package io.ensemble.testkit.linearizability;

import io.ensemble.testkit.history.HistoryOperation;
import java.util.Arrays;
import java.util.Comparator;
import java.util.List;

/**
 * The calls and returns of completed operations in the order of time, as a doubly linked list. An
 * operation is lifted from the list when it gets its place, and put back when that is undone (Lowe,
 * Testing for linearizability, 2017, after Wing and Gong, 1993).
 *
 * <p>At one instant calls come before returns, so that operations that only touch are concurrent.
 * Entry 0 is the head; the entries that follow are numbered in order.
 */
final class EventList {
  static final int HEAD = 0;

  private final int[] next;
  private final int[] previous;
  private final int[] operation;
  private final boolean[] isReturn;
  private final int[] callOf;
  private final int[] returnOf;

  /** By return, the number of returns before it. */
  private final int[] rank;

  EventList(List<HistoryOperation> completed) {
    int events = 2 * completed.size();
    Integer[] order = new Integer[events];
    Arrays.setAll(order, i -> i);
    // Event 2i is the call of operation i, event 2i + 1 its return.
    Comparator<Integer> byTime =
        Comparator.<Integer>comparingLong(e -> time(completed.get(e / 2), e % 2 == 1))
            .thenComparingInt(e -> e % 2)
            .thenComparingInt(e -> e);
    Arrays.sort(order, byTime);
    next = new int[events + 2];
    previous = new int[events + 2];
    operation = new int[events + 2];
    isReturn = new boolean[events + 2];
    rank = new int[events + 2];
    callOf = new int[completed.size()];
    returnOf = new int[completed.size()];
    int returns = 0;
    for (int at = 1; at <= events; at++) {
      int event = order[at - 1];
      operation[at] = event / 2;
      isReturn[at] = event % 2 == 1;
      (isReturn[at] ? returnOf : callOf)[event / 2] = at;
      if (isReturn[at]) {
        rank[at] = returns++;
      }
    }
    for (int at = 0; at <= events; at++) {
      next[at] = at + 1;
      previous[at + 1] = at;
    }
  }

  private static long time(HistoryOperation completed, boolean returned) {
    return returned ? completed.lastNanos() : completed.callNanos();
  }

  int next(int entry) {
    return next[entry];
  }

  int operation(int entry) {
    return operation[entry];
  }

  boolean isReturn(int entry) {
    return isReturn[entry];
  }

  int rank(int returnEntry) {
    return rank[returnEntry];
  }

  /** The first return in the list, which must not be empty; only calls come before it. */
  int firstReturn() {
    int entry = next[HEAD];
    while (!isReturn[entry]) {
      entry = next[entry];
    }
    return entry;
  }

  /** Removes an operation from the list. */
  void lift(int lifted) {
    unlink(callOf[lifted]);
    unlink(returnOf[lifted]);
  }

  /** Puts back the last lifted operation. */
  void putBack(int lifted) {
    link(returnOf[lifted]);
    link(callOf[lifted]);
  }

  private void unlink(int entry) {
    next[previous[entry]] = next[entry];
    previous[next[entry]] = previous[entry];
  }

  private void link(int entry) {
    next[previous[entry]] = entry;
    previous[next[entry]] = entry;
  }
}
