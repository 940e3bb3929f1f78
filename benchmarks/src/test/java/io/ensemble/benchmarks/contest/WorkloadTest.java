package io.ensemble.benchmarks.contest;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import io.ensemble.benchmarks.contest.Workload.KeyDistribution;
import java.util.HashSet;
import java.util.Set;
import java.util.stream.LongStream;
import org.junit.jupiter.api.Test;

class WorkloadTest {

  private static final int RECORDS = 1_000;
  private static final int OPERATIONS = 100_000;

  private static double share(Workload workload) {
    return (double) LongStream.range(0, OPERATIONS).filter(workload.writes()).count() / OPERATIONS;
  }

  @Test
  void writesHaveTheirShare() {
    assertThat(share(new Workload("A", 0.5, KeyDistribution.UNIFORM))).isCloseTo(0.5, within(0.01));
    assertThat(share(new Workload("B", 0.95, KeyDistribution.ZIPFIAN)))
        .isCloseTo(0.05, within(0.005));
    assertThat(share(new Workload("C", 1, KeyDistribution.UNIFORM))).isZero();
  }

  @Test
  void everyUniformKeyIsReadAndWritten() {
    Workload workload = new Workload("A", 0.5, KeyDistribution.UNIFORM);
    Workload.KeyChoice keys = workload.choice(RECORDS);
    Set<String> read = new HashSet<>();
    Set<String> written = new HashSet<>();

    for (long number = 0; number < OPERATIONS; number++) {
      if (workload.writes().test(number)) {
        keys.write(number, written::add);
      } else {
        read.add(keys.toRead(number));
      }
    }

    assertThat(read).hasSize(RECORDS);
    assertThat(written).isEqualTo(read).contains("user0", "user999");
  }

  @Test
  void theLatestAreNewAndReadOnlyOnceTheyAreWritten() {
    Workload.KeyChoice keys = new Workload("D", 0.95, KeyDistribution.LATEST).choice(RECORDS);
    Set<String> there = new HashSet<>();
    for (int i = 0; i < RECORDS; i++) {
      there.add(Workload.key(i));
    }

    for (long number = 0; number < RECORDS; number++) {
      keys.write(number, key -> assertThat(there.add(key)).as("new: " + key).isTrue());
      assertThat(there).contains(keys.toRead(number));
    }
  }
}
