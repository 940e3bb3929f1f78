package io.ensemble.benchmarks.outage;

import static org.assertj.core.api.Assertions.assertThat;

import io.ensemble.benchmarks.contest.Latencies;
import io.ensemble.benchmarks.outage.OperationSample.SampleOutcome;
import java.util.List;
import org.junit.jupiter.api.Test;

class AvailabilityStatsTest {

  private static final long SECOND = 1_000_000_000;

  private static OperationSample sample(double intended, double ended, SampleOutcome end) {
    return new OperationSample(
        0, 0, false, (long) (intended * SECOND), 0, (long) (ended * SECOND), end);
  }

  @Test
  void theLongestGapLiesBetweenTwoThatWereDone() {
    List<OperationSample> samples =
        List.of(
            sample(0, 1, SampleOutcome.DONE),
            sample(3, 4, SampleOutcome.REFUSED),
            sample(5, 6.5, SampleOutcome.DONE),
            sample(1, 2, SampleOutcome.DONE));

    assertThat(AvailabilityStats.longestGapSeconds(samples, 0, 8 * SECOND)).isEqualTo(4.5);
  }

  @Test
  void beginningAndEndBoundAGap() {
    List<OperationSample> one = List.of(sample(2, 3, SampleOutcome.DONE));

    assertThat(AvailabilityStats.longestGapSeconds(one, 0, 5 * SECOND)).isEqualTo(3);
    assertThat(AvailabilityStats.longestGapSeconds(one, 0, 7 * SECOND)).isEqualTo(4);
    assertThat(AvailabilityStats.longestGapSeconds(one, 2 * SECOND, 3 * SECOND)).isEqualTo(1);
    assertThat(AvailabilityStats.longestGapSeconds(List.of(), 0, 7 * SECOND)).isEqualTo(7);
  }

  @Test
  void whatIsDoneAfterTheEndDoesNotShortenAGap() {
    List<OperationSample> late =
        List.of(sample(1, 1, SampleOutcome.DONE), sample(4, 9, SampleOutcome.DONE));

    assertThat(AvailabilityStats.longestGapSeconds(late, 0, 6 * SECOND)).isEqualTo(5);
  }

  @Test
  void ratesCountWhatWasDoneInEachSecond() {
    List<OperationSample> samples =
        List.of(
            sample(0, 0.5, SampleOutcome.DONE),
            sample(0, 0.9, SampleOutcome.DONE),
            sample(0, 0.9, SampleOutcome.UNKNOWN),
            sample(0, 2.0, SampleOutcome.DONE),
            sample(-1, -0.5, SampleOutcome.DONE),
            sample(2, 3.0, SampleOutcome.DONE));

    assertThat(AvailabilityStats.perSecond(samples, 3)).containsExactly(2, 0, 1);
  }

  @Test
  void onlyWhatWasDoneInTimeAfterItWasDueCounts() {
    List<OperationSample> samples =
        List.of(
            sample(0, 9, SampleOutcome.DONE), // Due before.
            sample(1, 3, SampleOutcome.DONE),
            sample(1, 3.1, SampleOutcome.DONE), // Late.
            sample(2, 2, SampleOutcome.NOT_BEGUN),
            sample(4, 5, SampleOutcome.DONE)); // Due after.

    assertThat(AvailabilityStats.withinDeadline(samples, SECOND, 4 * SECOND, 2 * SECOND))
        .isEqualTo(1.0 / 3);
    assertThat(AvailabilityStats.withinDeadline(List.of(), 0, SECOND, SECOND)).isEqualTo(1);
  }

  @Test
  void latenciesCountFromWhenTheyWereDue() {
    Latencies latencies =
        AvailabilityStats.latencies(
            List.of(sample(1, 3, SampleOutcome.DONE), sample(1, 9, SampleOutcome.UNKNOWN)));

    assertThat(latencies.count()).isEqualTo(1);
    assertThat(latencies.p50Micros()).isBetween(1_990_000.0, 2_010_000.0);
  }
}
