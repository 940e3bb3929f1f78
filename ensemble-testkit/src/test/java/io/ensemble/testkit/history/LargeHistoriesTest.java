package io.ensemble.testkit.history;

import static org.assertj.core.api.Assertions.assertThat;

import io.ensemble.testkit.history.LinearizabilityChecker.Options;
import io.ensemble.testkit.history.RandomHistories.Shape;
import java.lang.management.ManagementFactory;
import java.lang.management.ThreadMXBean;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class LargeHistoriesTest {

  /** Of one thread alone: the machine may have other things to do. */
  private static final ThreadMXBean CPU = ManagementFactory.getThreadMXBean();

  @ParameterizedTest
  @CsvSource({
    "8, 20, 100000, 0, 0", // as many as a long run gives
    "8, 20, 100000, 0, 5", // the same under faults
    "8, 20, 100000, 3, 0", // few values, so that a read says little
    "8, 1, 20000, 0, 0", // one hot key
    "8, 1, 5000, 0, 3",
    "32, 4, 20000, 0, 1"
  })
  @Timeout(value = 120, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
  void linearizableHistoryIsJudgedWithinTenSeconds(
      int clients, int keys, int operations, int values, int unknownPercent) {
    Shape shape = new Shape(clients, keys, operations, values, unknownPercent);
    History history = new History(RandomHistories.linearizable(7, shape));

    long start = CPU.getCurrentThreadCpuTime();
    Verdict verdict = LinearizabilityChecker.check(history, Options.registers());
    Duration took = Duration.ofNanos(CPU.getCurrentThreadCpuTime() - start);
    System.out.printf("%s: %d ms, %s%n", shape, took.toMillis(), verdict);

    assertThat(took).isLessThan(Duration.ofSeconds(10));
    assertThat(verdict.isLinearizable()).as(verdict.explain()).isTrue();
  }

  @ParameterizedTest
  @CsvSource({"8, 20, 100000, 0, 0", "8, 20, 100000, 0, 5", "8, 1, 20000, 0, 0"})
  @Timeout(value = 120, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
  void changedHistoryIsAViolation(
      int clients, int keys, int operations, int values, int unknownPercent) {
    Shape shape = new Shape(clients, keys, operations, values, unknownPercent);
    Random random = new Random(11);
    List<Operation> changed = RandomHistories.linearizable(8, shape);
    for (int i = 0; i < 20; i++) {
      changed = RandomHistories.mutated(changed, random);
    }

    long start = CPU.getCurrentThreadCpuTime();
    Verdict verdict = LinearizabilityChecker.check(new History(changed), Options.registers());
    Duration took = Duration.ofNanos(CPU.getCurrentThreadCpuTime() - start);
    System.out.printf("%s: %d ms, %s%n", shape, took.toMillis(), verdict);

    assertThat(took).isLessThan(Duration.ofSeconds(20));
    assertThat(verdict).isInstanceOf(Verdict.Violation.class);
  }

  @Test
  void tooFewStatesAreUndecidedAndNotAVerdict() {
    Shape shape = new Shape(8, 3, 3_000, 0, 0);
    History history = new History(RandomHistories.linearizable(7, shape));

    Verdict verdict = LinearizabilityChecker.check(history, Options.registers().withMaxStates(100));

    assertThat(verdict).isInstanceOf(Verdict.Undecided.class);
    Verdict.Undecided undecided = (Verdict.Undecided) verdict;
    assertThat(undecided.keys()).containsExactlyInAnyOrder("k0", "k1", "k2");
    assertThat(undecided.explain()).contains("the states allowed for one key, 100");
  }

  @Test
  void noTimeIsUndecidedAndNotAVerdict() {
    Shape shape = new Shape(8, 3, 30_000, 0, 0);
    History history = new History(RandomHistories.linearizable(7, shape));
    AtomicLong clock = new AtomicLong();
    Options options =
        new Options(
            RegisterModel.INSTANCE,
            1_000_000,
            Duration.ofMillis(3),
            () -> clock.addAndGet(1_000_000));

    Verdict verdict = LinearizabilityChecker.check(history, options);

    assertThat(verdict).isInstanceOf(Verdict.Undecided.class);
    assertThat(verdict.explain()).contains("the time allowed, 3 ms");
  }

  @Test
  void violationIsFoundBehindAKeyThatIsTooHard() {
    Shape shape = new Shape(8, 1, 20_000, 0, 0);
    List<Operation> operations = new ArrayList<>(RandomHistories.linearizable(7, shape));
    operations.add(
        new Operation(
            1_000,
            "wrong",
            "read",
            null,
            JsonValues.of(null),
            JsonValues.of(1),
            0,
            1L,
            Outcome.OK));

    Verdict verdict =
        LinearizabilityChecker.check(
            new History(operations), Options.registers().withMaxStates(1_000));

    assertThat(verdict).isInstanceOf(Verdict.Violation.class);
    assertThat(((Verdict.Violation) verdict).key()).isEqualTo("wrong");
  }
}
