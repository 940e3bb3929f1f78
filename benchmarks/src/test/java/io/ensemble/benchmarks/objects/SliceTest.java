package io.ensemble.benchmarks.objects;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;

import java.util.List;
import org.HdrHistogram.Histogram;
import org.junit.jupiter.api.Test;

class SliceTest {

  private static final Task TASK =
      new Task(
          Task.Kind.RUN, Contestant.OBJECT_COUNTER, "counter-2", List.of(0, 1), 100, 500, 0, 1);

  private static Report ran(long done, long... nanos) {
    Histogram latencies = new Histogram(3);
    for (long each : nanos) {
      latencies.recordValue(each);
    }
    return new Report(0, done, 1, Report.encoded(latencies), 20);
  }

  @Test
  void whatProcessesReportIsSummedUp() {
    Slice slice =
        Slice.of(
            TASK,
            List.of(Report.of(40), Report.of(0)),
            List.of(ran(3, 1_000, 2_000), ran(2, 5_000)),
            List.of(Report.of(45), Report.of(0)));

    assertThat(slice.counted()).isEqualTo(3);
    assertThat(slice.perSecond()).isEqualTo(6);
    assertThat(slice.notBegun()).isEqualTo(2);
    assertThat(slice.threads()).containsExactly(20, 20);
    assertThat(slice.latencies().getMaxValue()).isBetween(4_990L, 5_010L);
  }

  @Test
  void anIncrementThatWasLostFailsTheRun() {
    assertThatIllegalStateException()
        .isThrownBy(
            () ->
                Slice.of(
                    TASK, List.of(Report.of(40)), List.of(ran(5, 1_000)), List.of(Report.of(44))))
        .withMessageContaining("acknowledged=5 found=4");
  }

  @Test
  void partsOfATaskHaveTheirShareOfArrivals() {
    Task part = TASK.arriving(40).of(List.of(1), 4, 3);

    assertThat(part.clients()).containsExactly(1);
    assertThat(part.perSecond()).isEqualTo(10);
    assertThat(part.seed()).isNotEqualTo(TASK.arriving(40).of(List.of(0), 4, 2).seed());
  }

  @Test
  void gapsBetweenArrivalsAreExponential() {
    assertThat(Arrivals.gapNanos(10, 0)).isZero();
    assertThat(Arrivals.gapNanos(10, 1 - Math.exp(-1))).isBetween(99_999_999L, 100_000_001L);
  }
}
