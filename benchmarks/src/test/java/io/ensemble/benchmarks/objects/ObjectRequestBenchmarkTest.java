package io.ensemble.benchmarks.objects;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.offset;

import io.ensemble.benchmarks.objects.ObjectRequestBenchmark.ServerWork;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

class ObjectRequestBenchmarkTest {

  private static ServerWork work(int second, List<Long> requests, List<Duration> processorTimes) {
    return new ServerWork(second * 1_000_000_000L, requests, processorTimes);
  }

  @Test
  void requestsAreCountedFromTheBeginningOfTheSteps() {
    ServerWork before = work(0, List.of(100L, 5L, 0L), List.of(Duration.ofMillis(5)));
    ServerWork after = work(2, List.of(140L, 15L, 10L), List.of(Duration.ofMillis(11)));

    ObjectRequestBenchmark.Line line = after.since(before, "object", 64, 10, 0);

    assertThat(line.servers()).isEqualTo(3);
    assertThat(line.perStep()).containsExactly(1.0, 1.0, 4.0);
    assertThat(line.busiest()).isEqualTo(4);
    assertThat(line.total()).isEqualTo(6);
    assertThat(line.busiestMicros()).isCloseTo(400, offset(0.001)); // 4 of 6 requests.
    assertThat(after.requestsPerSecond(before)).isEqualTo(30);
  }

  @Test
  void theProcessorTimeOfAServerWithAProcessOfItsOwnIsItsOwn() {
    ServerWork before = work(0, List.of(0L, 0L), List.of(Duration.ofMillis(5), Duration.ZERO));
    ServerWork after =
        work(1, List.of(10L, 30L), List.of(Duration.ofMillis(25), Duration.ofMillis(10)));

    assertThat(after.since(before, "znode", 64, 10, 0).busiestMicros())
        .isCloseTo(2_000, offset(0.001));
  }

  @Test
  void theLeaderAlsoReceivesRequestsAndAcknowledgementsOfFollowers() {
    Map<String, String> leader =
        Map.of("zk_server_state", "leader", "zk_packets_received", "10", "zk_commit_count", "30");
    Map<String, String> follower =
        Map.of(
            "zk_server_state",
            "follower",
            "zk_packets_received",
            "10",
            "zk_learner_proposal_received_count",
            "30",
            "zk_learner_commit_received_count",
            "29.0");

    assertThat(ZooKeeperServers.received(List.of(follower, leader, follower)))
        .containsExactly(69L, 90L, 69L);
  }
}
