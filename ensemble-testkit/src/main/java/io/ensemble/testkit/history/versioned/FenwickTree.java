package io.ensemble.testkit.history.versioned;

/** Counts in a row, with fast sums of the first ones (Fenwick's tree). */
final class FenwickTree {
  private final int[] tree;

  FenwickTree(int size) {
    tree = new int[size + 1];
  }

  /** Adds to the count at {@code at}; an index after the last is ignored. */
  void add(int at, int amount) {
    for (int i = at + 1; i < tree.length; i += i & -i) {
      tree[i] += amount;
    }
  }

  /** The sum of the counts before {@code end}. */
  int before(int end) {
    int sum = 0;
    for (int i = end; i > 0; i -= i & -i) {
      sum += tree[i];
    }
    return sum;
  }
}
