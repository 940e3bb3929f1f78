package io.ensemble.benchmarks.objects.worker;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.ObjectMapper;
import java.util.List;
import org.HdrHistogram.Histogram;
import org.junit.jupiter.api.Test;

class WorkerReportTest {

  private static final ObjectMapper JSON = new ObjectMapper();

  @Test
  void reportsAndTasksCrossProcesses() throws Exception {
    Histogram latencies = new Histogram(3);
    latencies.recordValue(1_234_567);
    WorkerReport report = new WorkerReport(7, 8, 9, WorkerReport.encoded(latencies), 10);
    WorkerTask task =
        new WorkerTask(
            WorkerTask.Kind.OPEN, Contestant.ZNODE_READ, "read-1", List.of(2), 1, 2, 0.5, 3);

    WorkerReport read = JSON.readValue(JSON.writeValueAsString(report), WorkerReport.class);

    assertThat(read).isEqualTo(report);
    assertThat(read.latencies()).isEqualTo(latencies);
    assertThat(JSON.readValue(JSON.writeValueAsString(task), WorkerTask.class)).isEqualTo(task);
  }
}
