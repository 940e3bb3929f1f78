package io.ensemble.testkit.trace;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.within;

import java.io.IOException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.IntPredicate;
import org.junit.jupiter.api.Test;

/** The trace has the shape that the paper reports of Wikipedia's histories. */
class SyntheticTraceTest {

  private static final int MANY = 200_000;

  @Test
  void versionsPerKeyFollowFigureTwo() {
    int[] counts = SyntheticTrace.of(MANY, 7).versionCounts();

    assertThat(share(counts, n -> n < 10)).isCloseTo(0.92, within(0.01));
    assertThat(share(counts, n -> n >= 100)).isCloseTo(0.0063, within(0.001));
    assertThat(share(counts, n -> n >= 1_000)).isBetween(0.0002, 0.001);
    assertThat(share(counts, n -> n < 1 || n > SyntheticTrace.MOST_VERSIONS)).isZero();
  }

  private static double share(int[] counts, IntPredicate which) {
    return (double) Arrays.stream(counts).filter(which).count() / counts.length;
  }

  @Test
  void pagesHaveATenthOfTheSizesOfThePaper() throws IOException {
    TraceSummary.Counting counting = new TraceSummary.Counting();

    new SyntheticTrace(40_000, 3, 10, 1, SyntheticTrace.MEAN_BYTES).all(counting);

    assertThat(counting.summary().versions()).isEqualTo(40_000);
    assertThat(counting.summary().meanBytes())
        .isCloseTo(SyntheticTrace.MEAN_BYTES, within(0.1 * SyntheticTrace.MEAN_BYTES));
    assertThat(counting.summary().largestValueBytes()).isBetween(20_000L, 240L << 10);
  }

  @Test
  void equalSeedsMakeEqualTraces() throws IOException {
    assertThat(told(SyntheticTrace.of(50, 1))).isEqualTo(told(SyntheticTrace.of(50, 1)));
    assertThat(told(SyntheticTrace.of(50, 1))).isNotEqualTo(told(SyntheticTrace.of(50, 2)));
  }

  private static List<String> told(SyntheticTrace trace) throws IOException {
    List<String> all = new ArrayList<>();
    trace.all(v -> all.add(v.key() + v.version() + new String(v.value().orElseThrow())));
    return all;
  }

  @Test
  void versionsRiseAndAVersionDiffersALittleFromTheOneBefore() throws IOException {
    Map<String, TraceVersion> last = new HashMap<>();
    SyntheticTrace trace = SyntheticTrace.of(200, 5);

    trace.all(
        next -> {
          TraceVersion before = last.put(next.key(), next);
          if (before != null) {
            byte[] now = next.value().orElseThrow();
            assertThat(next.version()).isGreaterThan(before.version());
            assertThat(differing(before.value().orElseThrow(), now))
                .isLessThanOrEqualTo(1 + now.length / 20);
          }
        });

    assertThat(last).hasSize(200);
  }

  private static int differing(byte[] a, byte[] b) {
    assertThat(a).hasSameSizeAs(b);
    int count = 0;
    for (int i = 0; i < a.length; i++) {
      count += a[i] == b[i] ? 0 : 1;
    }
    return count;
  }

  @Test
  void impossibleSettingsAreRefused() {
    assertThatThrownBy(() -> SyntheticTrace.of(0, 1))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("keys=0");
    assertThatThrownBy(() -> new SyntheticTrace(1, 1, Double.NaN, 1, 1))
        .isInstanceOf(IllegalArgumentException.class);
  }
}
