package io.ensemble.benchmarks.objects;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.ObjectMapper;
import java.util.List;
import org.HdrHistogram.Histogram;
import org.junit.jupiter.api.Test;

class ReportTest {

  private static final ObjectMapper JSON = new ObjectMapper();

  @Test
  void reportsAndTasksCrossProcesses() throws Exception {
    Histogram latencies = new Histogram(3);
    latencies.recordValue(1_234_567);
    Report report = new Report(7, 8, 9, Report.encoded(latencies), 10);
    Task task = new Task(Task.Kind.OPEN, Contestant.ZNODE_READ, "read-1", List.of(2), 1, 2, 0.5, 3);

    Report read = JSON.readValue(JSON.writeValueAsString(report), Report.class);

    assertThat(read).isEqualTo(report);
    assertThat(read.latencies()).isEqualTo(latencies);
    assertThat(JSON.readValue(JSON.writeValueAsString(task), Task.class)).isEqualTo(task);
  }
}
