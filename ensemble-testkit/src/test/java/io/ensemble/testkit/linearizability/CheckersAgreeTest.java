package io.ensemble.testkit.linearizability;

import static org.assertj.core.api.Assertions.assertThat;

import io.ensemble.testkit.history.HistoryOperation;
import io.ensemble.testkit.history.HistoryOutcome;
import io.ensemble.testkit.history.OperationHistory;
import io.ensemble.testkit.linearizability.LinearizabilityChecker.Options;
import io.ensemble.testkit.linearizability.RandomHistories.Shape;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Random;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * Compares the fast checker with the naive one, on small random histories. Set {@code
 * -Dhistory.seeds=100000} for more histories.
 */
@Execution(ExecutionMode.CONCURRENT)
class CheckersAgreeTest {
  private static final int SEEDS =
      Integer.getInteger("history.seeds", Boolean.getBoolean("ensemble.deep") ? 3_000 : 500);

  static Stream<Shape> shapes() {
    return Stream.of(
        new Shape(3, 1, 7, 2, 0),
        new Shape(4, 1, 9, 3, 20),
        new Shape(5, 1, 10, 0, 30),
        new Shape(3, 2, 12, 0, 15),
        new Shape(6, 1, 9, 2, 50),
        new Shape(8, 1, 13, 3, 40),
        new Shape(4, 1, 13, 0, 40));
  }

  @ParameterizedTest
  @MethodSource("shapes")
  void onHistoriesOfARealRegister(Shape shape) {
    requireLinearizable(shape, 0, SEEDS);
  }

  @Tag("nightly")
  @ParameterizedTest
  @MethodSource("shapes")
  void onMoreHistoriesOfARealRegister(Shape shape) {
    requireLinearizable(shape, 500, 2_500);
  }

  private static void requireLinearizable(Shape shape, long first, int seeds) {
    for (long seed = first; seed < first + seeds; seed++) {
      OperationHistory history = new OperationHistory(RandomHistories.linearizable(seed, shape));

      LinearizabilityVerdict verdict = LinearizabilityChecker.check(history, Options.registers());

      FailureArtifacts.requireLinearizable(
          verdict, history, CheckersAgreeTest.class, seed + " " + shape);
    }
  }

  @ParameterizedTest
  @MethodSource("shapes")
  void onChangedHistories(Shape shape) {
    requireSameVerdict(shape, 0, SEEDS);
  }

  @Tag("nightly")
  @ParameterizedTest
  @MethodSource("shapes")
  void onMoreChangedHistories(Shape shape) {
    requireSameVerdict(shape, 500, 2_500);
  }

  private static void requireSameVerdict(Shape shape, long first, int seeds) {
    int good = 0;
    int bad = 0;
    for (long seed = first; seed < first + seeds; seed++) {
      Random random = new Random(~seed);
      List<HistoryOperation> operations = RandomHistories.linearizable(seed, shape);
      for (int changes = random.nextInt(3); changes >= 0; changes--) {
        operations = RandomHistories.mutated(operations, random);
      }
      OperationHistory history = new OperationHistory(operations);

      boolean expected = NaiveChecker.isLinearizable(history);
      LinearizabilityVerdict verdict = LinearizabilityChecker.check(history, Options.registers());

      long number = seed;
      FailureArtifacts.judge(
          () -> assertVerdict(history, verdict, expected, number),
          history,
          CheckersAgreeTest.class,
          seed + " " + shape);
      if (expected) {
        good++;
      } else {
        bad++;
      }
    }
    assertThat(good).as("linearizable").isGreaterThan(seeds / 10);
    assertThat(bad).as("violations").isGreaterThan(seeds / 10);
  }

  private static void assertVerdict(
      OperationHistory history, LinearizabilityVerdict verdict, boolean expected, long seed) {
    assertThat(verdict).as("seed %d", seed).isNotInstanceOf(LinearizabilityVerdict.Undecided.class);
    assertThat(verdict.isLinearizable()).as("seed %d %s", seed, verdict).isEqualTo(expected);
    if (verdict instanceof LinearizabilityVerdict.Violation violation) {
      assertCulpritIsTheFirst(history, violation, seed);
    }
  }

  /** With the culprit's return the history is not linearizable; without it, it is. */
  private static void assertCulpritIsTheFirst(
      OperationHistory history, LinearizabilityVerdict.Violation violation, long seed) {
    List<HistoryOperation> byReturn =
        history.operations().stream()
            .filter(o -> o.key().equals(violation.key()) && o.outcome() == HistoryOutcome.OK)
            .sorted(
                Comparator.comparingLong(HistoryOperation::lastNanos)
                    .thenComparingLong(HistoryOperation::callNanos))
            .toList();
    int rank = byReturn.indexOf(violation.culprit());

    assertThat(prefixIsLinearizable(history, violation.key(), byReturn, rank + 1))
        .as("seed %d with %s", seed, violation)
        .isFalse();
    if (rank > 0) {
      assertThat(prefixIsLinearizable(history, violation.key(), byReturn, rank))
          .as("seed %d before %s", seed, violation)
          .isTrue();
    }
  }

  private static boolean prefixIsLinearizable(
      OperationHistory history, String key, List<HistoryOperation> byReturn, int count) {
    long now = byReturn.get(count - 1).lastNanos();
    List<HistoryOperation> returned = byReturn.subList(0, count);
    List<HistoryOperation> prefix = new ArrayList<>();
    for (HistoryOperation operation : history.operations()) {
      if (operation.key().equals(key) && operation.callNanos() <= now) {
        prefix.add(returned.contains(operation) ? operation : operation.pending());
      }
    }
    return NaiveChecker.isLinearizable(new OperationHistory(prefix));
  }
}
