package io.ensemble.check.federation;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.sun.net.httpserver.HttpServer;
import io.ensemble.check.federation.NodeRestClient.Response;
import io.ensemble.site.hotrod.configuration.Credentials;
import io.ensemble.site.hotrod.configuration.SiteConfiguration;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

class NodeRestClientTest {

  private static final Duration LONG = Duration.ofSeconds(30);
  private static final Duration SHORT = Duration.ofMillis(300);

  private final AtomicReference<String> authorization = new AtomicReference<>("unasked");
  private HttpServer server;

  @BeforeEach
  void start() throws IOException {
    server = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
    answer("/known", 200, "hello", 5);
    answer("/chunks", 200, "a longer text", 0);
    answer("/refused", 403, "", -1);
    server.start();
  }

  @AfterEach
  void stop() {
    server.stop(0);
  }

  /** Length 0 makes the server send chunks. */
  private void answer(String path, int status, String body, long length) {
    server.createContext(
        path,
        exchange -> {
          authorization.set(String.valueOf(exchange.getRequestHeaders().getFirst("Authorization")));
          exchange.sendResponseHeaders(status, length);
          if (length >= 0) {
            exchange.getResponseBody().write(body.getBytes(UTF_8));
          }
          exchange.close();
        });
  }

  private static SiteConfiguration.Builder site(int port) {
    return SiteConfiguration.builder("lyon").endpoint("127.0.0.1:" + port);
  }

  private static NodeRestClient client(SiteConfiguration site) throws IOException {
    return NodeRestClient.at(site, site.endpoints().get(0));
  }

  private NodeRestClient client() throws IOException {
    return client(site(server.getAddress().getPort()).build());
  }

  @Test
  void aBodyIsReadByLengthAndInChunks() throws IOException {
    Response known = client().get("/known", LONG, 100);

    assertThat(known.isOk()).isTrue();
    assertThat(known.body()).isEqualTo("hello");
    assertThat(known.headers()).containsKey("date");
    assertThat(known.answered()).isGreaterThanOrEqualTo(known.asked());
    assertThat(client().get("/chunks", LONG, 100).body()).isEqualTo("a longer text");
    assertThat(client().get("/refused", LONG, 100).status()).isEqualTo(403);
  }

  @Test
  void aBodyHasABound() {
    assertThatThrownBy(() -> client().get("/known", LONG, 4)).hasMessageContaining("larger than 4");
    assertThatThrownBy(() -> client().get("/chunks", LONG, 4))
        .hasMessageContaining("larger than 4");
  }

  @Test
  void aPasswordIsNotSentInClearText() throws IOException {
    SiteConfiguration secured =
        site(server.getAddress().getPort())
            .credentials(Credentials.of("ada", "hush".toCharArray()))
            .build();

    NodeRestClient client = client(secured);
    client.get("/known", LONG, 100);

    assertThat(client.withholdsPassword()).isTrue();
    assertThat(authorization.get()).isEqualTo("null");
  }

  @Test
  void aSilentServerTimesOutAndSoDoesOneThatSendsByteByByte() throws Exception {
    try (ServerSocket silent = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
      NodeRestClient client = client(site(silent.getLocalPort()).build());
      assertThatThrownBy(() -> client.get("/", SHORT, 100))
          .isInstanceOf(IOException.class)
          .hasMessage("REST: no answer within 300 ms");

      CompletableFuture<Void> dripping = CompletableFuture.runAsync(() -> drip(silent));
      assertThatThrownBy(() -> client.get("/", SHORT, 1 << 30)).isInstanceOf(IOException.class);
      dripping.join();
    }
  }

  /** Answers with an endless body, until the client closes the connection. */
  private static void drip(ServerSocket server) {
    try (Socket former = server.accept();
        Socket client = server.accept()) {
      client.getOutputStream().write("HTTP/1.1 200 OK\r\n\r\n".getBytes(UTF_8));
      while (true) {
        client.getOutputStream().write('x');
      }
    } catch (IOException closed) {
      // The client has timed out.
    }
  }

  @Test
  void aPortOfAnotherProtocolServesNoRest() throws Exception {
    try (ServerSocket other = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
      CompletableFuture<Void> answering =
          CompletableFuture.runAsync(
              () -> {
                try (Socket client = other.accept()) {
                  client.getOutputStream().write(new byte[] {(byte) 0xA1, 0, 0x50, 0, 0, 1, 2});
                } catch (IOException e) {
                  throw new AssertionError(e);
                }
              });
      NodeRestClient client = client(site(other.getLocalPort()).build());

      assertThatThrownBy(() -> client.get("/", LONG, 100)).hasMessage("the port serves no REST");
      answering.join();
    }
  }
}
