package io.ensemble.check.federation;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.ensemble.site.hotrod.configuration.Endpoint;
import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Test;

class HotRodPingTest {

  private static final Duration SHORT = Duration.ofMillis(200);

  @Test
  void aPingOfASilentServerTimesOut() throws IOException {
    try (ServerSocket silent = listening()) {
      assertThatThrownBy(() -> HotRodPing.of(at(silent), SiteTransport.CLEAR, SHORT))
          .isInstanceOf(IOException.class)
          .hasMessage("no answer within 200 ms");
    }
  }

  @Test
  void anotherProtocolIsTold() throws Exception {
    try (ServerSocket web = listening()) {
      Thread server = new Thread(() -> answer(web, "HTTP/1.1 400 Bad Request\r\n\r\n"));
      server.start();

      assertThatThrownBy(() -> HotRodPing.of(at(web), SiteTransport.CLEAR, Duration.ofSeconds(5)))
          .hasMessage("the response is not of the Hot Rod protocol");
      server.join();
    }
  }

  @Test
  void aSiteWithoutAnyServerIsUnreachable() throws IOException {
    ServerSocket gone = listening();
    gone.close();
    String endpoint = "127.0.0.1:" + gone.getLocalPort();
    FederationDescriptor federation =
        new FederationDescriptor(
            1, 1, null, List.of(new SiteDescriptor("lyon", List.of(endpoint))), "d");

    SiteStatus site = SiteStatus.of(federation).get(0);

    assertThat(site.reachable()).isFalse();
    assertThat(site.pingMillis()).isNull();
    assertThat(site.nodes())
        .singleElement()
        .satisfies(node -> assertThat(node.error()).containsIgnoringCase("refused"));
  }

  private static ServerSocket listening() throws IOException {
    return new ServerSocket(0, 1, InetAddress.getLoopbackAddress());
  }

  private static Endpoint at(ServerSocket server) {
    return new Endpoint("127.0.0.1", server.getLocalPort());
  }

  private static void answer(ServerSocket server, String text) {
    try (Socket client = server.accept()) {
      client.getInputStream().read();
      client.getOutputStream().write(text.getBytes(UTF_8));
    } catch (IOException e) {
      throw new AssertionError(e);
    }
  }
}
