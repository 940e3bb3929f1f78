package io.ensemble.testkit.linearizability;

import static org.assertj.core.api.Assertions.assertThat;

import io.ensemble.testkit.history.HistoryOperation;
import io.ensemble.testkit.history.HistoryOutcome;
import io.ensemble.testkit.history.JsonValues;
import io.ensemble.testkit.history.OperationHistory;
import io.ensemble.testkit.history.specification.RegisterModel;
import io.ensemble.testkit.linearizability.LinearizabilityChecker.Options;
import io.ensemble.testkit.linearizability.RandomHistories.Shape;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Register histories of the size of a long run. */
@Execution(ExecutionMode.CONCURRENT)
@Timeout(300)
class LargeHistoriesTest {

  /**
   * The bound on visited points for each operation of a key. A search beyond it grows faster than
   * the history and could not judge long runs.
   */
  private static final int POINTS = 4;

  @ParameterizedTest
  @CsvSource({
    "8, 20, 20000, 0, 0",
    "8, 20, 20000, 0, 5", // under faults
    "8, 20, 20000, 3, 0", // few values, so that a read is ambiguous
    "8, 1, 20000, 0, 0", // one hot key
    "8, 1, 5000, 0, 3",
    "32, 4, 20000, 0, 1"
  })
  void linearizableHistoryIsJudgedInTimeLinearInItsLength(
      int clients, int keys, int operations, int values, int unknownPercent) {
    judge(new Shape(clients, keys, operations, values, unknownPercent));
  }

  /** The number of operations of a long run. */
  @Tag("nightly")
  @ParameterizedTest
  @CsvSource({"8, 20, 100000, 0, 0", "8, 20, 100000, 0, 5", "8, 20, 100000, 3, 0"})
  void hundredThousandOperationsAreJudgedInTimeLinearInTheirNumber(
      int clients, int keys, int operations, int values, int unknownPercent) {
    judge(new Shape(clients, keys, operations, values, unknownPercent));
  }

  private static void judge(Shape shape) {
    OperationHistory history = new OperationHistory(RandomHistories.linearizable(7, shape));

    LinearizabilityVerdict verdict = LinearizabilityChecker.check(history, linear(shape));

    FailureArtifacts.requireLinearizable(verdict, history, LargeHistoriesTest.class, shape);
  }

  /** Bounds the points but not the time, which depends on the machine. */
  private static Options linear(Shape shape) {
    return Options.registers()
        .withMaxStates((long) POINTS * shape.operations() / shape.keys())
        .withMaxTime(Duration.ofDays(1));
  }

  @ParameterizedTest
  @CsvSource({"8, 20, 20000, 0, 0", "8, 20, 20000, 0, 5", "8, 1, 20000, 0, 0"})
  void changedHistoryIsAViolation(
      int clients, int keys, int operations, int values, int unknownPercent) {
    requireViolation(new Shape(clients, keys, operations, values, unknownPercent));
  }

  @Tag("nightly")
  @ParameterizedTest
  @CsvSource({"8, 20, 100000, 0, 0", "8, 20, 100000, 0, 5"})
  void changedHistoryOfAHundredThousandOperationsIsAViolation(
      int clients, int keys, int operations, int values, int unknownPercent) {
    requireViolation(new Shape(clients, keys, operations, values, unknownPercent));
  }

  private static void requireViolation(Shape shape) {
    Random random = new Random(11);
    List<HistoryOperation> changed = RandomHistories.linearizable(8, shape);
    for (int i = 0; i < 20; i++) {
      changed = RandomHistories.mutated(changed, random);
    }

    LinearizabilityVerdict verdict =
        LinearizabilityChecker.check(new OperationHistory(changed), linear(shape));

    assertThat(verdict).isInstanceOf(LinearizabilityVerdict.Violation.class);
  }

  @Test
  void tooFewStatesAreUndecidedAndNotAVerdict() {
    Shape shape = new Shape(8, 3, 3_000, 0, 0);
    OperationHistory history = new OperationHistory(RandomHistories.linearizable(7, shape));

    LinearizabilityVerdict verdict =
        LinearizabilityChecker.check(history, Options.registers().withMaxStates(100));

    assertThat(verdict).isInstanceOf(LinearizabilityVerdict.Undecided.class);
    LinearizabilityVerdict.Undecided undecided = (LinearizabilityVerdict.Undecided) verdict;
    assertThat(undecided.keys()).containsExactlyInAnyOrder("k0", "k1", "k2");
    assertThat(undecided.explain()).contains("the states allowed for one key, 100");
  }

  @Test
  void noTimeIsUndecidedAndNotAVerdict() {
    Shape shape = new Shape(8, 3, 30_000, 0, 0);
    OperationHistory history = new OperationHistory(RandomHistories.linearizable(7, shape));
    AtomicLong clock = new AtomicLong();
    Options options =
        new Options(
            RegisterModel.INSTANCE,
            1_000_000,
            Duration.ofMillis(3),
            () -> clock.addAndGet(1_000_000));

    LinearizabilityVerdict verdict = LinearizabilityChecker.check(history, options);

    assertThat(verdict).isInstanceOf(LinearizabilityVerdict.Undecided.class);
    assertThat(verdict.explain()).contains("the time allowed, 3 ms");
  }

  @Test
  void violationIsFoundBehindAKeyThatIsTooHard() {
    Shape shape = new Shape(8, 1, 20_000, 0, 0);
    List<HistoryOperation> operations = new ArrayList<>(RandomHistories.linearizable(7, shape));
    operations.add(
        new HistoryOperation(
            1_000,
            "wrong",
            "read",
            null,
            JsonValues.of(null),
            JsonValues.of(1),
            0,
            1L,
            HistoryOutcome.OK));

    LinearizabilityVerdict verdict =
        LinearizabilityChecker.check(
            new OperationHistory(operations), Options.registers().withMaxStates(1_000));

    assertThat(verdict).isInstanceOf(LinearizabilityVerdict.Violation.class);
    assertThat(((LinearizabilityVerdict.Violation) verdict).key()).isEqualTo("wrong");
  }
}
