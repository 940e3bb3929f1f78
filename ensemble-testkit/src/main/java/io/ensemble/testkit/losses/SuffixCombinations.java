package io.ensemble.testkit.losses;

import java.util.ArrayList;
import java.util.List;

/** The possible contents of a window that nothing reports: of each key the last writes. Pure. */
final class SuffixCombinations {

  private SuffixCombinations() {}

  /**
   * All ways to take a suffix of each log, with {@code all} elements together, or fewer if the logs
   * hold no more. A way that takes less than another allows nothing more than the other does, and
   * is left out. The number of ways is the number of ways to write {@code all} as a sum over the
   * logs; use it for few logs, or a small number.
   */
  static <T> List<List<T>> of(List<List<T>> logs, int all) {
    if (logs.isEmpty()) {
      return List.of(List.of());
    }
    List<T> log = logs.get(0);
    List<List<T>> others = logs.subList(1, logs.size());
    int rest = others.stream().mapToInt(List::size).sum();
    int most = Math.min(all, log.size());
    int least = Math.min(most, Math.max(0, all - rest));
    List<List<T>> combinations = new ArrayList<>();
    for (int size = most; size >= least; size--) {
      for (List<T> combination : of(others, all - size)) {
        List<T> together = new ArrayList<>(log.subList(log.size() - size, log.size()));
        together.addAll(combination);
        combinations.add(together);
      }
    }
    return combinations;
  }
}
