package io.ensemble.objects;

import static org.assertj.core.api.Assertions.assertThat;

import io.ensemble.testkit.history.HistoryOperation;
import io.ensemble.testkit.history.HistoryOutcome;
import io.ensemble.testkit.history.OperationHistory;
import io.ensemble.testkit.history.specification.CounterModel;
import io.ensemble.testkit.linearizability.FailureArtifacts;
import io.ensemble.testkit.linearizability.LinearizabilityChecker;
import java.util.List;

/** Judges histories of a counter. */
final class CounterHistoryChecker {

  private CounterHistoryChecker() {}

  /**
   * Requires that the history is linearizable, lost no count, and gave no number to two calls.
   *
   * @param test the class of the test that recorded it
   */
  static void linearizable(OperationHistory history, long lastSeen, Class<?> test) {
    FailureArtifacts.requireLinearizable(
        history, LinearizabilityChecker.Options.of(CounterModel.INSTANCE), test, "history");
    FailureArtifacts.judge(() -> requireCounts(history, lastSeen), history, test, "counts");
  }

  private static void requireCounts(OperationHistory history, long lastSeen) {
    List<HistoryOperation> increments =
        history.operations().stream().filter(o -> o.op().equals("inc")).toList();
    List<HistoryOperation> done =
        increments.stream().filter(o -> o.outcome() == HistoryOutcome.OK).toList();
    long unknown = increments.stream().filter(o -> o.outcome() == HistoryOutcome.UNKNOWN).count();
    System.out.printf(
        "counted %d, %d unknown, %d refused, longest silence %d ms%n",
        done.size(),
        unknown,
        increments.size() - done.size() - unknown,
        longestSilence(history) / 1_000_000);

    assertThat(done.stream().map(HistoryOperation::out)).doesNotHaveDuplicates().isNotEmpty();
    assertThat(lastSeen).isBetween((long) done.size(), done.size() + unknown);
  }

  /** The longest time between two acknowledged calls. */
  private static long longestSilence(OperationHistory history) {
    List<Long> ends =
        history.operations().stream()
            .filter(o -> o.outcome() == HistoryOutcome.OK)
            .map(HistoryOperation::returnNanos)
            .sorted()
            .toList();
    long longest = 0;
    for (int i = 1; i < ends.size(); i++) {
      longest = Math.max(longest, ends.get(i) - ends.get(i - 1));
    }
    return longest;
  }
}
