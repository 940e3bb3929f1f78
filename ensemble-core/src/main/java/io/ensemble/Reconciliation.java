package io.ensemble;

import java.util.List;
import java.util.function.BinaryOperator;
import org.jspecify.annotations.Nullable;

/**
 * Makes one value of several that were written without knowledge of each other. Called only where
 * there are two or more, possibly several times and on Ensemble's scheduler: short, free of
 * effects, and the same for the same values, or two readers see two things. What it throws reaches
 * the caller as {@link ReconciliationException}, and nothing is written.
 *
 * @param <V> the values' type
 */
@FunctionalInterface
public interface Reconciliation<V> {

  /**
   * One value of several.
   *
   * @param siblings two or more, no two of them equal in bytes, the last written first
   * @return null for none, as if the key were removed
   */
  @Nullable V reconcile(List<V> siblings);

  /** The value of the highest stamp. */
  static <V> Reconciliation<V> lastWriter() {
    return siblings -> siblings.get(0);
  }

  /**
   * All of them merged, from the first written to the last. For every order to end with the same,
   * {@code merge} is commutative and associative, as a union of sets is.
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

  /** None: what needs one value fails, and the caller looks at the siblings. */
  static <V> Reconciliation<V> refusing() {
    return siblings -> {
      throw new IllegalStateException("the policy is to refuse");
    };
  }
}
