package io.ensemble.testkit.history.specification;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.List;
import java.util.stream.IntStream;

/**
 * The order in which values must have been enqueued, derived from the times at which they were
 * dequeued.
 *
 * <p>A value that was enqueued once and seen to be dequeued once, and is not in the queue yet, must
 * still be enqueued. So no value that is certainly dequeued after it may be enqueued before it.
 * This excludes each value whose dequeue was called after the dequeue of that value had returned.
 * Of the values that no dequeue is seen to return, at most as many may precede it as there are
 * dequeues with unknown result that were called by then.
 */
final class DequeueOrder {
  private static final int UNSEEN = 0;
  private static final int NO_RANK = -1;

  /** By value, its rank in the order of the returns of dequeues; or NO_RANK. */
  private final int[] rank;

  private final long[] callByRank;
  private final long[] returnByRank;
  private final boolean[] isIn;
  private int firstOut;

  /** The call times of the dequeues whose result is not known; used in this order. */
  private final long[] unknownCalls;

  private int unknownUsed;

  private DequeueOrder(Builder from) {
    int[] byReturn =
        IntStream.range(1, from.puts.length)
            .filter(value -> from.puts[value] == 1 && from.takings[value] == 1)
            .boxed()
            .sorted(Comparator.comparingLong(value -> from.returns[value]))
            .mapToInt(value -> value)
            .toArray();
    rank = new int[from.puts.length];
    Arrays.fill(rank, NO_RANK);
    callByRank = new long[byReturn.length];
    returnByRank = new long[byReturn.length];
    for (int place = 0; place < byReturn.length; place++) {
      rank[byReturn[place]] = place;
      callByRank[place] = from.calls[byReturn[place]];
      returnByRank[place] = from.returns[byReturn[place]];
    }
    isIn = new boolean[byReturn.length];
    unknownCalls = from.unknownCalls.stream().mapToLong(call -> call).sorted().toArray();
  }

  /** Whether a completed operation dequeues the value, and no other operation may. */
  boolean isAwaited(int value) {
    return rank[value] != NO_RANK;
  }

  /**
   * Whether {@code value} may be enqueued now, behind {@code unseen} values that no dequeue is seen
   * to return.
   */
  boolean allows(int value, int unseen) {
    int own = rank[value];
    int next = firstOut;
    if (next == own) {
      next++;
      while (next < isIn.length && isIn[next]) {
        next++;
      }
    }
    boolean othersToCome = next < isIn.length;
    if (value == UNSEEN) {
      return !othersToCome || unseen + 1 <= unknownLeft(returnByRank[next]);
    }
    if (own == NO_RANK) {
      return true;
    }
    return unseen <= unknownLeft(returnByRank[own])
        && !(othersToCome && returnByRank[next] < callByRank[own]);
  }

  private int unknownLeft(long byThen) {
    int called = 0;
    int end = unknownCalls.length;
    while (called < end) {
      int middle = (called + end) >>> 1;
      if (unknownCalls[middle] <= byThen) {
        called = middle + 1;
      } else {
        end = middle;
      }
    }
    return called - unknownUsed;
  }

  void put(int value, boolean in) {
    int own = rank[value];
    if (own == NO_RANK) {
      return;
    }
    isIn[own] = in;
    if (!in) {
      firstOut = Math.min(firstOut, own);
    }
    while (firstOut < isIn.length && isIn[firstOut]) {
      firstOut++;
    }
  }

  void tookUnknown(boolean taken) {
    unknownUsed += taken ? 1 : -1;
  }

  /** Counts the known facts about each value. */
  static final class Builder {
    private final int[] puts;
    private final int[] takings;
    private final long[] calls;
    private final long[] returns;
    private final List<Long> unknownCalls = new ArrayList<>();

    /**
     * @param values the number of value numbers, including the number of the unseen values
     */
    Builder(int values) {
      puts = new int[values];
      takings = new int[values];
      calls = new long[values];
      returns = new long[values];
    }

    void put(int value) {
      puts[value]++;
    }

    void taken(int value, long call, long returned) {
      takings[value]++;
      calls[value] = call;
      returns[value] = returned;
    }

    void takenUnknown(long call) {
      unknownCalls.add(call);
    }

    DequeueOrder build() {
      return new DequeueOrder(this);
    }
  }
}
