package io.ensemble.testkit.link;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.net.SocketException;
import java.net.SocketTimeoutException;
import java.time.Duration;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Relays over real sockets, in front of an echo server. */
@Timeout(120)
class RelayIT {

  private static final int SILENCE_MILLIS = 300;

  private final LinkThreads threads = new LinkThreads(1);
  private final WanProfile wanProfile = new WanProfile(Duration.ofMillis(20), 10_000_000);
  private final NodeLink link = new NodeLink(SiteLink.of(wanProfile));
  private EchoNode node;
  private Relay relay;

  @BeforeEach
  void start() throws IOException {
    node = new EchoNode();
    relay = Relay.listening(Ports.reserve(1), node.address(), link, threads);
  }

  @AfterEach
  void stop() throws IOException {
    relay.close();
    node.close();
    threads.close();
  }

  @Test
  void aLineIsAsLongAndAsNarrowAsItWasAskedToBe() {
    SiteLink line = SiteLink.of(wanProfile);
    SiteLinkReport report = SiteLinkProbe.of("oslo", wanProfile, line, threads);

    assertThat(report.site()).isEqualTo("oslo");
    assertThat(report.roundTripP50Millis()).isGreaterThanOrEqualTo(20.0);
    assertThat(report.roundTripP99Millis()).isGreaterThanOrEqualTo(report.roundTripP50Millis());
    assertThat(report.requestMegabits()).isPositive().isLessThan(10.5);
    assertThat(report.replyMegabits()).isPositive().isLessThan(10.5);
    // Half a megabyte each way, the round trips of one byte, and the commands for them.
    assertThat(line.traffic().requestBytes()).isBetween(500_000L, 502_000L);
    assertThat(line.traffic().replyBytes()).isBetween(500_000L, 502_000L);
  }

  @Test
  void allConnectionsOfALineShareItsWidth() throws Exception {
    int bytes = 125_000; // A tenth of a second each.
    long begin = System.nanoTime();
    try (Talk first = new Talk(EchoNode.SEND, bytes)) {
      EchoNode other = new EchoNode();
      try (Relay beside = Relay.listening(Ports.reserve(1), other.address(), link, threads);
          Talk second = new Talk(beside, EchoNode.SEND, bytes)) {
        first.in.readFully(new byte[bytes]);
        second.in.readFully(new byte[bytes]);
      } finally {
        other.close();
      }
    }

    assertThat(System.nanoTime() - begin).isGreaterThan(Duration.ofMillis(200).toNanos());
  }

  @Test
  void healingALinkLeavesItsLength() throws Exception {
    try (Talk talk = new Talk(EchoNode.ECHO, 100)) {
      link.delay(Duration.ofMillis(100));
      assertThat(talk.trip()).isGreaterThan(Duration.ofMillis(220).toNanos());

      link.heal();
      await("a trip that takes less than the delay")
          .atMost(Duration.ofSeconds(60))
          .until(talk::trip, healed -> healed < ofMillis(200));
      assertThat(talk.trip()).isGreaterThanOrEqualTo(ofMillis(20));
    }
  }

  @Test
  void aOneWayCutHoldsAndAHealedOneDelivers() throws Exception {
    try (Talk talk = new Talk(EchoNode.ECHO, 100)) {
      talk.trip();
      link.blockReplies();
      talk.socket.setSoTimeout(SILENCE_MILLIS);
      assertThatThrownBy(talk::trip).isInstanceOf(SocketTimeoutException.class);

      link.heal();
      talk.socket.setSoTimeout(10_000);
      assertThat(talk.in.readByte()).isEqualTo((byte) 1);
    }
  }

  @Test
  void aCutEndsConnectionsAndAHealedLinkTakesNewOnes() throws Exception {
    try (Talk talk = new Talk(EchoNode.ECHO, 100)) {
      talk.trip();
      link.cut();
      assertThat(ended(talk)).isTrue();
    }
    try (Talk during = new Talk(EchoNode.ECHO, 100)) {
      assertThat(ended(during)).isTrue();
    }

    link.heal();
    try (Talk after = new Talk(EchoNode.ECHO, 100)) {
      assertThat(after.trip()).isPositive();
    }
  }

  @Test
  void aNodeThatIsDownEndsTheConnectionAtItsFirstRequest() throws Exception {
    InetSocketAddress nobody =
        new InetSocketAddress(InetAddress.getLoopbackAddress(), Ports.reserve(1));
    try (Relay toNobody = Relay.listening(Ports.reserve(1), nobody, new NodeLink(), threads);
        Talk talk = new Talk(toNobody, EchoNode.ECHO, 1)) {
      assertThat(ended(talk)).isTrue();
    }
  }

  @Test
  void aPortThatIsTakenIsNamed() {
    int taken = relay.address().getPort();

    assertThatThrownBy(() -> Relay.listening(taken, node.address(), link, threads))
        .isInstanceOf(IllegalStateException.class)
        .hasMessageContaining("port=" + taken);
  }

  private static long ofMillis(int millis) {
    return Duration.ofMillis(millis).toNanos();
  }

  private static boolean ended(Talk talk) throws IOException {
    try {
      talk.out.write(1);
      return talk.in.read() == -1;
    } catch (SocketException reset) {
      return true;
    }
  }

  /** One connection to the node. */
  private final class Talk implements AutoCloseable {

    private final Socket socket;
    private final DataInputStream in;
    private final DataOutputStream out;

    Talk(int what, int bytes) throws IOException {
      this(relay, what, bytes);
    }

    Talk(Relay through, int what, int bytes) throws IOException {
      socket = new Socket(through.address().getAddress(), through.address().getPort());
      socket.setTcpNoDelay(true);
      socket.setSoTimeout(20_000);
      in = new DataInputStream(socket.getInputStream());
      out = new DataOutputStream(socket.getOutputStream());
      out.writeByte(what);
      out.writeInt(bytes);
    }

    long trip() throws IOException {
      long begin = System.nanoTime();
      out.write(1);
      in.readByte();
      return System.nanoTime() - begin;
    }

    @Override
    public void close() throws IOException {
      socket.close();
    }
  }
}
