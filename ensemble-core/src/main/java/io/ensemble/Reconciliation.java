package io.ensemble;

import java.util.List;
import java.util.function.BinaryOperator;
import org.jspecify.annotations.Nullable;

/**
 * Makes one value of several that were written without knowledge of each other. Called only for two
 * or more values, possibly several times and on Ensemble's scheduler. An implementation is short
 * and free of side effects, and returns the same value for the same siblings; otherwise two readers
 * see different values. Its exception reaches the caller as {@link ReconciliationException}, and
 * nothing is written.
 *
 * @param <V> the values' type
 */
@FunctionalInterface
public interface Reconciliation<V> {

  /**
   * Makes one value of several.
   *
   * @param siblings two or more, no two of them equal in bytes, the last written first
   * @return null for none, as if the key were removed
   */
  @Nullable V reconcile(List<V> siblings);

  /** Chooses the value of the highest stamp. */
  static <V> Reconciliation<V> lastWriter() {
    return siblings -> siblings.get(0);
  }

  /**
   * Merges all values, from the first written to the last. If {@code merge} is commutative and
   * associative, as a union of sets is, every order has the same result.
   */
  static <V> Reconciliation<V> merging(BinaryOperator<V> merge) {
    return siblings -> {
      V merged = siblings.get(siblings.size() - 1);
      for (int i = siblings.size() - 2; i >= 0; i--) {
        merged = merge.apply(merged, siblings.get(i));
      }
      return merged;
    };
  }

  /** Chooses none: an operation that needs one value fails, and the caller reads the siblings. */
  static <V> Reconciliation<V> refusing() {
    return siblings -> {
      throw new IllegalStateException("the reconciliation policy is to refuse");
    };
  }
}
