package io.ensemble.zoofence.session;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.ensemble.zoofence.RawClient;
import io.ensemble.zoofence.TestDeployment;
import io.ensemble.zoofence.embedded.EmbeddedInstance;
import io.ensemble.zoofence.link.InstanceServers;
import io.ensemble.zoofence.session.routing.ReadPreference;
import io.ensemble.zoofence.session.routing.RoutingContext;
import io.ensemble.zoofence.wire.ZooKeeperReply;
import io.ensemble.zoofence.wire.ZooKeeperRequest;
import io.netty.channel.EventLoop;
import io.netty.channel.EventLoopGroup;
import io.netty.channel.nio.NioEventLoopGroup;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import org.apache.zookeeper.ZooDefs.OpCode;
import org.apache.zookeeper.proto.ConnectRequest;
import org.apache.zookeeper.proto.ExistsRequest;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Requests that arrive before the reply to the handshake. */
@Timeout(60)
final class EarlyRequestsIT {
  @TempDir Path directory;

  private final EventLoopGroup group = new NioEventLoopGroup(1);
  private final EventLoop loop = group.next();
  private final BlockingQueue<Boolean> pauses = new LinkedBlockingQueue<>();
  private final BlockingQueue<ByteBuffer> sent = new LinkedBlockingQueue<>();
  private TestDeployment deployment;
  private ZooFenceSession session;
  private Duration patience = TestDeployment.PATIENCE;
  private ConnectRequest greeting = new ConnectRequest(0, 0, 10_000, 0, new byte[16], false);

  @BeforeEach
  void start() throws Exception {
    deployment = new TestDeployment(directory, 1, "/a 1");
  }

  @AfterEach
  void stop() throws Exception {
    loop.submit(session::handleDisconnect).get(20, TimeUnit.SECONDS);
    group.shutdownGracefully(0, 1, TimeUnit.SECONDS).await(10, TimeUnit.SECONDS);
    deployment.close();
  }

  /** Sends all requests in one turn of the event loop, so that none is answered meanwhile. */
  private void ask(int requests, int type) throws Exception {
    ask(requests, type, deployment.instances().get(0).servers("1"));
  }

  private void ask(int requests, int type, InstanceServers servers) throws Exception {
    var router =
        new RoutingContext(
            List.of(servers),
            servers,
            deployment.deployment().epoch(),
            patience,
            ReadPreference.CANONICAL);
    Boolean paused =
        loop.submit(
                () -> {
                  session = new ZooFenceSession(router, loop, new Heard(), greeting);
                  for (int xid = 1; xid <= requests; xid++) {
                    ByteBuffer body =
                        ZooKeeperRequest.of(OpCode.exists, new ExistsRequest("/", false)).body();
                    session.request(
                        new ZooKeeperRequest(
                            xid, type, type == OpCode.ping ? ByteBuffer.allocate(0) : body));
                  }
                  return pauses.poll();
                })
            .get(20, TimeUnit.SECONDS);
    assertThat(paused).isEqualTo(requests < Throttle.MOST_REQUESTS ? null : (Boolean) true);
  }

  @Test
  void asManyAsASessionTakesMayCome() throws Exception {
    ask(Throttle.MOST_REQUESTS - 1, OpCode.exists);

    for (int heard = 0; heard < Throttle.MOST_REQUESTS; heard++) {
      assertThat(sent.poll(20, TimeUnit.SECONDS)).as("the greeting, or a reply").isNotNull();
    }
    assertThat(pauses).isEmpty();
  }

  @Test
  void thenNoMoreAreReadUntilSomeAreAnswered() throws Exception {
    ask(Throttle.MOST_REQUESTS, OpCode.exists);

    for (int heard = 0; heard < Throttle.MOST_REQUESTS + 1; heard++) {
      assertThat(sent.poll(20, TimeUnit.SECONDS)).as("the greeting, or a reply").isNotNull();
    }
    assertThat(pauses.poll(20, TimeUnit.SECONDS)).isFalse();
    assertThat(pauses).isEmpty();
  }

  @Test
  void whatIsAnsweredAtOnceDoesNotLeaveItPaused() throws Exception {
    ask(Throttle.MOST_REQUESTS, OpCode.ping);

    assertThat(pauses.poll(20, TimeUnit.SECONDS)).isFalse();
  }

  @Test
  void anOutageBeforeTheGreetingIsNoReasonToRefuseThem() throws Exception {
    patience = Duration.ofSeconds(3);
    try (var begun = new RawClient(deployment.serve(false).address().getPort(), 10_000)) {
      greeting = new ConnectRequest(0, 0, 10_000, begun.session(), begun.password(), false);
    }
    int port = deployment.instances().get(0).port();
    deployment.instances().get(0).close();

    ask(1, OpCode.exists, new InstanceServers("1", List.of("127.0.0.1:" + port)));
    await("the outage is longer than the patience")
        .pollDelay(patience.plusSeconds(1))
        .atMost(60, TimeUnit.SECONDS)
        .until(sent::isEmpty);
    deployment.instances().set(0, EmbeddedInstance.start(directory.resolve("instance0"), port));

    assertThat(sent.poll(20, TimeUnit.SECONDS)).as("the greeting").isNotNull();
    assertThat(ZooKeeperReply.read(sent.poll(20, TimeUnit.SECONDS)).error()).isZero();
  }

  private final class Heard implements ZooFenceSession.Client {
    @Override
    public void send(ByteBuffer frame) {
      sent.add(frame);
    }

    @Override
    public void pause(boolean paused) {
      pauses.add(paused);
    }

    @Override
    public void close() {}
  }
}
