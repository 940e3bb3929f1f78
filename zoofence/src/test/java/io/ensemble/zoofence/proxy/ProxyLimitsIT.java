package io.ensemble.zoofence.proxy;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.ensemble.zoofence.TestDeployment;
import io.ensemble.zoofence.queue.executor.QueueCounts;
import io.ensemble.zoofence.session.routing.ReadPreference;
import io.ensemble.zoofence.session.routing.RoutingContext;
import io.ensemble.zoofence.wire.Jute;
import io.ensemble.zoofence.wire.ZooKeeperRequest;
import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.EOFException;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.net.SocketException;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.util.ArrayList;
import org.apache.zookeeper.ZooDefs.OpCode;
import org.apache.zookeeper.ZooKeeper;
import org.apache.zookeeper.proto.ConnectRequest;
import org.apache.zookeeper.proto.GetDataRequest;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A proxy limits the resources that its clients can use. */
final class ProxyLimitsIT {
  private static final int READS = 200;
  private static final long LONG_MILLIS = 60_000;

  @TempDir Path directory;

  private TestDeployment deployment;
  private RoutingContext routingContext;

  @BeforeEach
  void start() throws Exception {
    deployment = new TestDeployment(directory, 1, "");
    routingContext =
        new RoutingContext(
            deployment.deployment().instances(),
            deployment.deployment().admin(),
            deployment.deployment().epoch(),
            TestDeployment.PATIENCE,
            ReadPreference.CANONICAL);
  }

  @AfterEach
  void stop() {
    deployment.close();
  }

  private ZooFenceProxy proxy(ProxyLimits proxyLimits) throws InterruptedException {
    return ZooFenceProxy.serve(routingContext, options(), proxyLimits, () -> QueueCounts.NONE);
  }

  private static ProxyOptions options() {
    return ProxyOptions.at(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0));
  }

  private static Socket connected(ZooFenceProxy proxy) throws IOException {
    var socket = new Socket(InetAddress.getLoopbackAddress(), proxy.address().getPort());
    socket.setSoTimeout(20_000);
    return socket;
  }

  private static void send(Socket socket, ByteBuffer frame) throws IOException {
    var out = new DataOutputStream(socket.getOutputStream());
    out.writeInt(frame.remaining());
    out.write(frame.array(), frame.arrayOffset() + frame.position(), frame.remaining());
    out.flush();
  }

  private static boolean greets(Socket socket) throws IOException {
    send(socket, Jute.write(new ConnectRequest(0, 0, 10_000, 0, new byte[16], false)));
    return isAnswered(socket);
  }

  /** Whether a session begins; a connection that the proxy closes may break earlier. */
  private static boolean isServed(Socket socket) throws IOException {
    try {
      return greets(socket);
    } catch (SocketException e) {
      return false;
    }
  }

  private static boolean isAnswered(Socket socket) throws IOException {
    try {
      var in = new DataInputStream(socket.getInputStream());
      in.readFully(new byte[in.readInt()]);
      return true;
    } catch (EOFException | SocketException e) {
      return false;
    }
  }

  @Test
  void moreClientsThanItTakesAreTurnedAway() throws Exception {
    try (ZooFenceProxy proxy = proxy(new ProxyLimits(1, 1 << 20, LONG_MILLIS));
        Socket first = connected(proxy)) {
      assertThat(greets(first)).isTrue();

      try (Socket second = connected(proxy)) {
        assertThat(isAnswered(second)).isFalse();
      }
    }
  }

  @Test
  void aClientThatDoesNotReadLosesItsConnection() throws Exception {
    try (ZooFenceProxy proxy = proxy(new ProxyLimits(10, 8 << 20, LONG_MILLIS));
        ZooKeeper direct =
            TestDeployment.client(
                deployment.deployment().admin().connectString(), 10_000, event -> {});
        Socket slow = connected(proxy)) {
      direct.create(
          "/large",
          new byte[1_000_000],
          org.apache.zookeeper.ZooDefs.Ids.OPEN_ACL_UNSAFE,
          org.apache.zookeeper.CreateMode.PERSISTENT);
      assertThat(greets(slow)).isTrue();

      for (int xid = 1; xid <= READS; xid++) {
        send(
            slow,
            ZooKeeperRequest.of(OpCode.getData, new GetDataRequest("/large", false))
                .numbered(xid)
                .bytes());
      }
      // Time for all replies: the proxy holds those for which the socket has no room.
      var wait = new java.util.concurrent.CountDownLatch(1);
      assertThat(wait.await(4, java.util.concurrent.TimeUnit.SECONDS)).isFalse();
      int answered = 0;
      while (isAnswered(slow)) {
        answered++;
      }

      assertThat(answered).isLessThan(READS);
    }
  }

  @Test
  void whoAsksForNoSessionLosesItsPlaceAndWhoHasOneKeepsIt() throws Exception {
    try (ZooFenceProxy proxy = proxy(new ProxyLimits(10, 1 << 20, 2000));
        Socket client = connected(proxy)) {
      assertThat(greets(client)).isTrue();

      try (Socket silent = connected(proxy);
          Socket half = connected(proxy)) {
        half.getOutputStream().write(new byte[] {0, 0, 0, 44, 0, 0});

        assertThat(isAnswered(silent)).isFalse();
        assertThat(isAnswered(half)).isFalse();
      }
      send(client, ZooKeeperRequest.bare(OpCode.ping).numbered(ZooKeeperRequest.PING_XID).bytes());
      assertThat(isAnswered(client)).as("older than those that were closed").isTrue();
    }
  }

  @Test
  void oneAddressCannotTakeAllPlaces() throws Exception {
    try (ZooFenceProxy proxy =
            ZooFenceProxy.serve(routingContext, options().maxClientConnections(2));
        Socket first = connected(proxy)) {
      int port = proxy.address().getPort();
      Socket second = connected(proxy);
      assertThat(greets(first)).isTrue();
      assertThat(greets(second)).isTrue();

      try (Socket third = connected(proxy);
          Socket elsewhere =
              new Socket(
                  InetAddress.getLoopbackAddress(), port, InetAddress.getByName("127.0.0.2"), 0)) {
        assertThat(isServed(third)).as("the third of one address").isFalse();
        assertThat(greets(elsewhere)).as("the first of another address").isTrue();
      }
      assertThat(ProxyWords.ask(elsewhereAddress(), proxy.address(), "mntr"))
          .contains("zk_connection_rejected\t1\n");

      second.close();
      await()
          .until(
              () -> {
                try (Socket again = connected(proxy)) {
                  return isServed(again);
                }
              });
    }
  }

  private static InetAddress elsewhereAddress() throws IOException {
    return InetAddress.getByName("127.0.0.2");
  }

  @Test
  void noLimitOfOneAddressIsZero() throws Exception {
    try (ZooFenceProxy proxy =
        ZooFenceProxy.serve(routingContext, options().maxClientConnections(0))) {
      var sockets = new ArrayList<Socket>();
      for (int i = 0; i <= ProxyOptions.MAX_CLIENT_CONNECTIONS; i++) {
        sockets.add(connected(proxy));
      }

      assertThat(greets(sockets.get(sockets.size() - 1))).isTrue();
      for (Socket each : sockets) {
        each.close();
      }
    }
  }
}
