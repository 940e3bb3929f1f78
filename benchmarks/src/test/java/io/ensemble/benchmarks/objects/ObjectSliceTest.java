package io.ensemble.benchmarks.objects;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;

import io.ensemble.benchmarks.objects.worker.Contestant;
import io.ensemble.benchmarks.objects.worker.PoissonArrivals;
import io.ensemble.benchmarks.objects.worker.WorkerReport;
import io.ensemble.benchmarks.objects.worker.WorkerTask;
import java.util.List;
import org.HdrHistogram.Histogram;
import org.junit.jupiter.api.Test;

class ObjectSliceTest {

  private static final WorkerTask TASK =
      new WorkerTask(
          WorkerTask.Kind.RUN,
          Contestant.OBJECT_COUNTER,
          "counter-2",
          List.of(0, 1),
          100,
          500,
          0,
          1);

  private static WorkerReport ran(long done, long... nanos) {
    Histogram latencies = new Histogram(3);
    for (long each : nanos) {
      latencies.recordValue(each);
    }
    return new WorkerReport(0, done, 1, WorkerReport.encoded(latencies), 20);
  }

  @Test
  void whatProcessesReportIsSummedUp() {
    ObjectSlice slice =
        ObjectSlice.of(
            TASK,
            List.of(WorkerReport.of(40), WorkerReport.of(0)),
            List.of(ran(3, 1_000, 2_000), ran(2, 5_000)),
            List.of(WorkerReport.of(45), WorkerReport.of(0)));

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
                ObjectSlice.of(
                    TASK,
                    List.of(WorkerReport.of(40)),
                    List.of(ran(5, 1_000)),
                    List.of(WorkerReport.of(44))))
        .withMessageContaining("acknowledged=5 found=4");
  }

  @Test
  void partsOfATaskHaveTheirShareOfArrivals() {
    WorkerTask part = TASK.arriving(40).of(List.of(1), 4, 3);

    assertThat(part.clients()).containsExactly(1);
    assertThat(part.perSecond()).isEqualTo(10);
    assertThat(part.seed()).isNotEqualTo(TASK.arriving(40).of(List.of(0), 4, 2).seed());
  }

  @Test
  void gapsBetweenArrivalsAreExponential() {
    assertThat(PoissonArrivals.gapNanos(10, 0)).isZero();
    assertThat(PoissonArrivals.gapNanos(10, 1 - Math.exp(-1))).isBetween(99_999_999L, 100_000_001L);
  }
}
