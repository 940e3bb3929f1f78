package io.ensemble.zoofence.session.routing;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.ensemble.zoofence.RawClient;
import io.ensemble.zoofence.TestDeployment;
import io.ensemble.zoofence.proxy.ProxyNode;
import io.ensemble.zoofence.queue.QueueCommand;
import io.ensemble.zoofence.wire.ZooKeeperReply;
import io.ensemble.zoofence.wire.ZooKeeperRequest;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.IntStream;
import org.apache.zookeeper.CreateMode;
import org.apache.zookeeper.KeeperException;
import org.apache.zookeeper.KeeperException.Code;
import org.apache.zookeeper.MultiOperationRecord;
import org.apache.zookeeper.Op;
import org.apache.zookeeper.ZooDefs.Ids;
import org.apache.zookeeper.ZooDefs.OpCode;
import org.apache.zookeeper.ZooKeeper;
import org.apache.zookeeper.proto.AuthPacket;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Requests grow in the queue. They are executed up to the size that servers accept. */
@Timeout(120)
final class RequestSizeIT {
  @TempDir Path directory;

  private TestDeployment deployment;
  private ProxyNode node;

  @BeforeEach
  void start() throws Exception {
    deployment = new TestDeployment(directory, 2, "/one 2");
    node = deployment.serve(true);
  }

  @AfterEach
  void stop() {
    deployment.close();
  }

  private static List<Op> ephemerals(String prefix, int count, String rest) {
    return IntStream.range(0, count)
        .mapToObj(
            number ->
                Op.create(
                    prefix + number + rest, new byte[0], Ids.OPEN_ACL_UNSAFE, CreateMode.EPHEMERAL))
        .toList();
  }

  private static boolean fits(List<Op> operations, List<QueueCommand.Credential> credentials) {
    return WriteValidator.fitsQueue(
        ZooKeeperRequest.of(OpCode.multi, new MultiOperationRecord(operations)), credentials);
  }

  @ParameterizedTest
  @CsvSource({"15000, 10, x", "10, 1000, %", "10, 1000, x"})
  void theLargestThatFitsIsCarriedOutAndOneMoreIsRefused(int proof, int length, String letter)
      throws Exception {
    byte[] secret = ("user:" + "s".repeat(proof)).getBytes(StandardCharsets.UTF_8);
    var credentials = List.of(new QueueCommand.Credential("digest", ByteBuffer.wrap(secret)));
    String rest = letter.repeat(length);
    int most = 1;
    while (fits(ephemerals("/a", most + 1, rest), credentials)) {
      most++;
    }
    assertThat(most).isBetween(50, 500);
    try (ZooKeeper client = TestDeployment.client(node)) {
      client.addAuthInfo("digest", secret);

      assertThat(client.multi(ephemerals("/a", most, rest))).hasSize(most);
      List<Op> more = ephemerals("/b", most + 1, rest);
      assertThatThrownBy(() -> client.multi(more))
          .isInstanceOfSatisfying(
              KeeperException.class, e -> assertThat(e.code()).isEqualTo(Code.MARSHALLINGERROR));

      assertThat(deployment.node(1, "/a" + (most - 1) + rest)).isNotNull();
      assertThat(deployment.node(1, "/b0" + rest)).isNull();
    }
    assertThat(deployment.node(1, "/a0" + rest)).as("the session is closed").isNull();
  }

  private static ZooKeeperReply proved(RawClient client, char letter) throws Exception {
    byte[] secret =
        ("user:" + String.valueOf(letter).repeat(9000)).getBytes(StandardCharsets.UTF_8);
    client.send(
        ZooKeeperRequest.of(OpCode.auth, new AuthPacket(0, "digest", secret))
            .numbered(ZooKeeperRequest.AUTH_XID));
    return client.read();
  }

  @Test
  void aClientProvesItselfWithSoMuchAndNoMore() throws Exception {
    try (var client = new RawClient(node.address().getPort(), 20_000)) {
      assertThat(proved(client, 'a')).matches(ZooKeeperReply::succeeded);
      assertThat(proved(client, 'a')).as("which is known").matches(ZooKeeperReply::succeeded);

      assertThat(proved(client, 'b')).matches(reply -> reply.failedWith(Code.AUTHFAILED));
      assertThat(client.read()).as("as a server does").isNull();
    }
  }
}
