package io.ensemble.benchmarks.versions;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.ensemble.benchmarks.versions.VersionContest.VersionContestant;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

class VersionContestTest {

  private static final CountDownLatch NEVER = new CountDownLatch(1);

  private static VersionContestant taking(String title, long micros) {
    return new VersionContestant(
        title,
        (client, random) -> {
          assertThat(NEVER.await(micros, TimeUnit.MICROSECONDS)).isFalse();
          return client == 0 ? "first" : "other";
        });
  }

  @Test
  void aSlowOneIsToldByItsRatio() {
    List<VersionContest.Line> lines =
        new VersionContest(2, 60, 3).compare(List.of(taking("fast", 500), taking("slow", 5_000)));

    assertThat(lines).extracting(VersionContest.Line::title).containsExactly("fast", "slow");
    assertThat(lines.get(0).ratio().median()).isEqualTo(1.0);
    assertThat(lines.get(1).ratio().median()).isGreaterThan(1.5);
    assertThat(lines.get(1).latencies()).containsOnlyKeys("first", "other");
  }

  @Test
  void whatTakesLongerThanASliceIsCountedWhole() {
    VersionContest.Line line =
        new VersionContest(1, 5, 1).compare(List.of(taking("slow", 40_000))).get(0);

    assertThat(line.count()).isEqualTo(1);
    assertThat(line.meanMicros()).isGreaterThan(39_000);
  }

  @Test
  void anOperationThatFailsEndsIt() {
    VersionContestant broken =
        new VersionContestant(
            "broken",
            (client, random) -> {
              throw new IllegalStateException("another value");
            });

    assertThatThrownBy(() -> new VersionContest(2, 5, 1).compare(List.of(broken)))
        .hasMessageContaining("another value");
  }
}
