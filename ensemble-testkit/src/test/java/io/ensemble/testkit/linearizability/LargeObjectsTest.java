package io.ensemble.testkit.linearizability;

import static org.assertj.core.api.Assertions.assertThat;

import io.ensemble.testkit.history.HistoryOperation;
import io.ensemble.testkit.history.OperationHistory;
import io.ensemble.testkit.linearizability.LinearizabilityChecker.Options;
import io.ensemble.testkit.linearizability.RandomObjects.Shape;
import java.time.Duration;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Histories of counters, queues, maps, versioned keys and znodes of the size of a long run. */
@Execution(ExecutionMode.CONCURRENT)
@Timeout(300)
class LargeObjectsTest {

  /** The bound on visited points for each operation of an object. */
  private static final int POINTS = 8;

  /** The bound for larger histories, and for many operations of unknown outcome. */
  private static final int MORE_POINTS = 48;

  @ParameterizedTest
  @CsvSource({
    "COUNTER, 8, 20, 20000, 0, 0, 0",
    "COUNTER, 8, 20, 20000, 0, 0, 5",
    "QUEUE, 8, 20, 20000, 0, 0, 0",
    "QUEUE, 8, 20, 20000, 0, 0, 1",
    "MAP, 8, 20, 20000, 8, 10, 0",
    "MAP, 8, 20, 20000, 8, 10, 2",
    "MAP, 8, 20, 20000, 20, 0, 5",
    "VERSIONED, 8, 20, 5000, 3000, 0, 0",
    "VERSIONED, 8, 4, 2000, 3000, 1, 5",
    "ZNODE, 8, 20, 20000, 0, 0, 5",
  })
  void largeHistoriesAreJudgedInTimeLinearInTheirLength(
      NaiveObject kind,
      int clients,
      int keys,
      int operations,
      int entries,
      int whole,
      int unknown) {
    judge(new Shape(kind, clients, keys, operations, 0, entries, whole, unknown), POINTS);
  }

  /** The number of operations of a long run. */
  @Tag("nightly")
  @ParameterizedTest
  @CsvSource({
    "COUNTER, 8, 20, 100000, 0, 0, 0",
    "COUNTER, 8, 20, 100000, 0, 0, 5",
    "QUEUE, 8, 20, 100000, 0, 0, 0",
    "QUEUE, 8, 20, 100000, 0, 0, 1",
    "MAP, 8, 20, 100000, 8, 10, 0",
    "MAP, 8, 20, 100000, 8, 10, 2",
    "MAP, 8, 20, 100000, 20, 0, 5",
    "VERSIONED, 8, 20, 20000, 3000, 0, 0",
    "VERSIONED, 8, 4, 5000, 3000, 1, 5",
    "ZNODE, 8, 20, 100000, 0, 0, 5",
  })
  void hundredThousandOperationsAreJudgedWithAFewPointsForEach(
      NaiveObject kind,
      int clients,
      int keys,
      int operations,
      int entries,
      int whole,
      int unknown) {
    judge(new Shape(kind, clients, keys, operations, 0, entries, whole, unknown), MORE_POINTS);
  }

  @Tag("deep")
  @Test
  void versionedHistoriesOfReadsOfTheWholeAreJudgedWithAFewPointsForEachOperation() {
    judge(new Shape(NaiveObject.VERSIONED, 8, 20, 20_000, 0, 3_000, 1, 5), MORE_POINTS);
  }

  /** Bounds the points but not the time, which depends on the machine. */
  private static void judge(Shape shape, int points) {
    OperationHistory history = new OperationHistory(RandomObjects.linearizable(7, shape));
    Options options =
        Options.of(shape.kind().model())
            .withMaxStates((long) points * shape.operations() / shape.keys())
            .withMaxTime(Duration.ofDays(1));

    LinearizabilityVerdict verdict = LinearizabilityChecker.check(history, options);

    FailureArtifacts.requireLinearizable(verdict, history, LargeObjectsTest.class, shape);
  }

  /** The short form; {@link ObjectModelsTest} compares small histories with a naive checker. */
  @ParameterizedTest
  @CsvSource({
    "COUNTER, 10000, 0, 0, 0",
    "QUEUE, 10000, 0, 0, 0",
    "MAP, 10000, 8, 10, 0",
    "MAP, 10000, 8, 10, 2",
    "VERSIONED, 3000, 3000, 1, 5",
    "ZNODE, 10000, 0, 0, 2"
  })
  void aChangedLargeHistoryIsAViolation(
      NaiveObject kind, int operations, int entries, int whole, int unknown) {
    assertThat(changed(kind, operations, entries, whole, unknown))
        .isInstanceOf(LinearizabilityVerdict.Violation.class);
  }

  @Tag("deep")
  @ParameterizedTest
  @CsvSource({
    "COUNTER, 100000, 0, 0, 0",
    "QUEUE, 100000, 0, 0, 0",
    "MAP, 100000, 8, 10, 0",
    "MAP, 100000, 8, 10, 2",
    "VERSIONED, 20000, 3000, 1, 5"
  })
  void aChangedHistoryOfAHundredThousandOperationsIsAViolation(
      NaiveObject kind, int operations, int entries, int whole, int unknown) {
    assertThat(changed(kind, operations, entries, whole, unknown))
        .isInstanceOf(LinearizabilityVerdict.Violation.class);
  }

  /** The verdict on a history with some changed results or times. */
  private static LinearizabilityVerdict changed(
      NaiveObject kind, int operations, int entries, int whole, int unknown) {
    Shape shape = new Shape(kind, 8, 20, operations, 0, entries, whole, unknown);
    Random random = new Random(11);
    List<HistoryOperation> changed = RandomObjects.linearizable(8, shape);
    for (int i = 0; i < 20; i++) {
      changed = RandomObjects.mutated(changed, random);
    }

    return LinearizabilityChecker.check(
        new OperationHistory(changed), Options.of(kind.model()).withMaxTime(Duration.ofDays(1)));
  }
}
