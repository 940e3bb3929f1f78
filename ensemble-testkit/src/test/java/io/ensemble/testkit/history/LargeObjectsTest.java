package io.ensemble.testkit.history;

import static org.assertj.core.api.Assertions.assertThat;

import io.ensemble.testkit.history.LinearizabilityChecker.Options;
import io.ensemble.testkit.history.RandomObjects.Shape;
import java.lang.management.ManagementFactory;
import java.lang.management.ThreadMXBean;
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

/** Histories of counters, queues, maps and znodes, as long as a long run gives. */
@Execution(ExecutionMode.CONCURRENT)
class LargeObjectsTest {

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
  @Timeout(120)
  void aHundredThousandOperationsAreJudgedWithinTenSeconds(
      PlainObject kind,
      int clients,
      int keys,
      int operations,
      int entries,
      int whole,
      int unknown) {
    judgedWithinTenSeconds(kind, clients, keys, operations, entries, whole, unknown);
  }

  @Tag("deep")
  @Test
  @Timeout(120)
  void versionedHistoriesOfReadsOfTheWholeAreJudgedWithinTenSeconds() {
    judgedWithinTenSeconds(PlainObject.VERSIONED, 8, 20, 20_000, 3_000, 1, 5);
  }

  private static void judgedWithinTenSeconds(
      PlainObject kind,
      int clients,
      int keys,
      int operations,
      int entries,
      int whole,
      int unknown) {
    Shape shape = new Shape(kind, clients, keys, operations, 0, entries, whole, unknown);
    History history = new History(RandomObjects.linearizable(7, shape));

    // Of this thread alone: the machine may have other things to do.
    ThreadMXBean cpu = ManagementFactory.getThreadMXBean();
    long start = cpu.getCurrentThreadCpuTime();
    Verdict verdict = LinearizabilityChecker.check(history, Options.of(kind.model()));
    Duration took = Duration.ofNanos(cpu.getCurrentThreadCpuTime() - start);
    System.out.printf("%s: %d ms, %s%n", shape, took.toMillis(), verdict);

    assertThat(took).isLessThan(Duration.ofSeconds(10));
    assertThat(verdict.isLinearizable()).as(verdict.explain()).isTrue();
  }

  /** The short form of the other; small ones are compared with a naive checker elsewhere. */
  @ParameterizedTest
  @CsvSource({
    "COUNTER, 20000, 0, 0, 0",
    "QUEUE, 20000, 0, 0, 0",
    "MAP, 20000, 8, 10, 0",
    "MAP, 20000, 8, 10, 2",
    "VERSIONED, 5000, 3000, 1, 5",
    "ZNODE, 20000, 0, 0, 2"
  })
  @Timeout(120)
  void aChangedLargeHistoryIsAViolation(
      PlainObject kind, int operations, int entries, int whole, int unknown) {
    assertThat(changed(kind, operations, entries, whole, unknown))
        .isInstanceOf(Verdict.Violation.class);
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
  @Timeout(120)
  void aChangedHistoryOfAHundredThousandOperationsIsAViolation(
      PlainObject kind, int operations, int entries, int whole, int unknown) {
    assertThat(changed(kind, operations, entries, whole, unknown))
        .isInstanceOf(Verdict.Violation.class);
  }

  /** What is found of a history some of whose outcomes are not those that were. */
  private static Verdict changed(
      PlainObject kind, int operations, int entries, int whole, int unknown) {
    Shape shape = new Shape(kind, 8, 20, operations, 0, entries, whole, unknown);
    Random random = new Random(11);
    List<Operation> changed = RandomObjects.linearizable(8, shape);
    for (int i = 0; i < 20; i++) {
      changed = RandomObjects.mutated(changed, random);
    }

    long start = System.nanoTime();
    Verdict verdict = LinearizabilityChecker.check(new History(changed), Options.of(kind.model()));
    System.out.printf("%s: %d ms%n", shape, (System.nanoTime() - start) / 1_000_000);
    return verdict;
  }
}
