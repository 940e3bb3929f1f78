package io.ensemble.benchmarks.zoofence;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.ensemble.benchmarks.process.HistogramText;
import java.time.Duration;
import java.util.List;
import org.HdrHistogram.Histogram;
import org.junit.jupiter.api.Test;

class QueueSliceTest {

  private static final QueueTask TASK =
      new QueueTask(QueueTask.Kind.ADD, QueueSystem.ZOOFENCE, "r1", 2, 50, 0, 500);

  private static String of(long... nanos) {
    Histogram histogram = new Histogram(3);
    for (long each : nanos) {
      histogram.recordValue(each);
    }
    return HistogramText.of(histogram);
  }

  @Test
  void sitesAreSummedUp() {
    List<QueueReport> added =
        List.of(
            new QueueReport(3, 1, of(1000, 2000), of(50_000)),
            new QueueReport(2, 2, of(3000), of(60_000, 70_000)));
    List<QueueReport> counted = List.of(QueueReport.of(3, 3), QueueReport.of(2, 0));

    QueueSlice slice = QueueSlice.of(TASK, Duration.ofMillis(4), added, counted);

    assertThat(slice.perSecond()).isEqualTo(12);
    assertThat(slice.own().getTotalCount()).isEqualTo(3);
    assertThat(slice.all().getTotalCount()).isEqualTo(6);
    assertThat(slice.processorMicros()).isEqualTo(500);
  }

  @Test
  void anElementThatIsLostOrThereTwiceFailsTheRun() {
    List<QueueReport> added = List.of(QueueReport.of(5, 2));

    for (int there : List.of(6, 8)) {
      assertThatThrownBy(
              () -> QueueSlice.of(TASK, Duration.ZERO, added, List.of(QueueReport.of(there, 0))))
          .isInstanceOf(IllegalStateException.class)
          .hasMessageContaining("acknowledged=7 found=" + there);
    }
  }
}
