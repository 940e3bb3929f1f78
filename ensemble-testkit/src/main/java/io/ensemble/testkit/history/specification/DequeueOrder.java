package io.ensemble.testkit.history.specification;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.List;
import java.util.stream.IntStream;

/**
 * In which order values must have come into a queue, from when they were taken out of it.
 *
 * <p>A value that was put in once and seen to be taken once, and is not in yet, must still come in.
 * So nothing may come in before it that is certainly taken after it: no value whose taking was
 * called when that one's had returned; and, of the values that nobody is seen to take, no more than
 * there are takings left whose result is not known, called by then.
 */
final class DequeueOrder {
  private static final int UNSEEN = 0;
  private static final int NO_RANK = -1;

  /** Of each value, its place in the order of the returns of takings; or NO_RANK. */
  private final int[] rank;

  private final long[] callByRank;
  private final long[] returnByRank;
  private final boolean[] isIn;
  private int firstOut;

  /** When the takings were called whose result is not known; used in this order. */
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

  /** Whether a completed operation takes the value, and no other may. */
  boolean isAwaited(int value) {
    return rank[value] != NO_RANK;
  }

  /** Whether {@code value} may come in now, behind {@code unseen} values nobody is seen to take. */
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

  /** Counts what is known of each value. */
  static final class Builder {
    private final int[] puts;
    private final int[] takings;
    private final long[] calls;
    private final long[] returns;
    private final List<Long> unknownCalls = new ArrayList<>();

    /**
     * @param values how many numbers values have, with that of the unseen ones
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
