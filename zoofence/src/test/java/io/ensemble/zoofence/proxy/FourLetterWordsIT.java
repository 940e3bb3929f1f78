package io.ensemble.zoofence.proxy;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.ensemble.zoofence.TestDeployment;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;
import org.apache.zookeeper.CreateMode;
import org.apache.zookeeper.Environment;
import org.apache.zookeeper.ZooDefs.Ids;
import org.apache.zookeeper.ZooKeeper;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A proxy answers ZooKeeper's four-letter words in ZooKeeper's formats. */
final class FourLetterWordsIT {
  @TempDir Path directory;

  private TestDeployment deployment;
  private ProxyNode node;

  @BeforeEach
  void start() throws Exception {
    deployment = new TestDeployment(directory, 2, "");
    node = deployment.serve(true);
  }

  @AfterEach
  void stop() {
    deployment.close();
  }

  private String ask(String word) throws Exception {
    return ProxyWords.ask(node.address().getPort(), word);
  }

  @Test
  void theEnvironmentBeginsWithTheVersionAsAtAServer() throws Exception {
    assertThat(ask("envi"))
        .startsWith("Environment:\nzookeeper.version=" + Environment.list().get(0).getValue())
        .contains("\njava.version=" + System.getProperty("java.version") + "\n");
  }

  @Test
  void theSummaryHasTheLinesOfAServer() throws Exception {
    String server = ProxyWords.ask(deployment.instances().get(0).port(), "srvr");

    String own = ask("srvr");

    assertThat(keys(server)).containsAll(keys(own));
    assertThat(keys(own))
        .containsExactly(
            "Zookeeper version",
            "Latency min/avg/max",
            "Received",
            "Sent",
            "Connections",
            "Outstanding",
            "Mode");
    assertThat(own).startsWith(server.substring(0, server.indexOf(',')));
  }

  private static List<String> keys(String lines) {
    return lines.lines().map(line -> line.substring(0, line.indexOf(':'))).toList();
  }

  @Test
  void theStateOfAClientHasALineOfItsOwn() throws Exception {
    try (ZooKeeper client = TestDeployment.client(node)) {
      client.exists("/", false);

      assertThat(ask("stat"))
          .contains("\nClients:\n /127.0.0.1:")
          .containsPattern("\\[1\\]\\(queued=0,recved=[2-9],sent=[2-9]\\)\n")
          .contains("\n\nLatency min/avg/max: ");
    }
  }

  @Test
  void theConfigurationNamesThePortsAndTheLimits() throws Exception {
    assertThat(ask("conf"))
        .isEqualTo(
            "clientPort="
                + node.address().getPort()
                + "\nsecureClientPort=-1\nmaxClientCnxns=60\nmaxCnxns=10000\nserverId=0\n");
  }

  @Test
  void wordsThatAProxyDoesNotHaveAreNotPermitted() throws Exception {
    assertThat(ask("ruok")).isEqualTo("imok");
    assertThat(ask("isro")).isEqualTo("rw");
    assertThat(ask("dump")).isEqualTo("dump is not executed because it is not in the whitelist.\n");
    assertThat(ask("none")).as("no word of ZooKeeper").isEmpty();
  }

  @Test
  void theFiguresHaveTheLatencyOfReadsAndUpdatesAndTheDepthOfEachQueue() throws Exception {
    try (ZooKeeper client = TestDeployment.client(node)) {
      client.create("/x", null, Ids.OPEN_ACL_UNSAFE, CreateMode.PERSISTENT);
      client.setData("/x", new byte[1], 0);
      client.exists("/x", false);

      await().until(() -> figures().get("zoofence_queue_depth_1_2"), "0"::equals);
      Map<String, String> figures = figures();
      assertThat(figures)
          .containsEntry("zk_server_state", "standalone")
          .containsEntry("zk_outstanding_requests", "0")
          .containsEntry("zk_cnt_updatelatency", "2")
          .containsEntry("zk_cnt_readlatency", "1")
          .containsEntry("zoofence_queues_led", "1")
          .containsEntry("zoofence_queue_depth", "0")
          .containsKeys("zk_avg_latency", "zk_p99_updatelatency", "zk_packets_received");
      assertThat(Long.parseLong(figures.get("zk_packets_received"))).isGreaterThan(3);
    }
  }

  private Map<String, String> figures() throws Exception {
    return ask("mntr")
        .lines()
        .map(line -> line.split("\t"))
        .collect(Collectors.toMap(line -> line[0], line -> line[1]));
  }

  @Test
  void theDepthOfAQueueCountsCommandsWithoutAnOutcome() throws Exception {
    try (ZooKeeper client = TestDeployment.client(node)) {
      client.create("/x", null, Ids.OPEN_ACL_UNSAFE, CreateMode.PERSISTENT);
      deployment.instances().get(1).close();
      client.setData("/x", new byte[1], -1, (code, path, context, stat) -> {}, null);
      client.setData("/x", new byte[1], -1, (code, path, context, stat) -> {}, null);

      await()
          .untilAsserted(
              () ->
                  assertThat(figures())
                      .containsEntry("zoofence_queue_depth_1_2", "2")
                      .containsEntry("zk_outstanding_requests", "2"));
    }
  }
}
