package io.ensemble.rest.jetty;

import static java.nio.charset.StandardCharsets.US_ASCII;
import static org.assertj.core.api.Assertions.assertThat;

import io.ensemble.rest.http.HttpMethod;
import io.ensemble.rest.http.RequestAuthorizer;
import io.ensemble.rest.http.RestResponse;
import io.ensemble.rest.http.RestRoute;
import io.ensemble.rest.http.Role;
import io.ensemble.rest.http.RouteDescription;
import io.ensemble.rest.http.RouteHandler;
import io.ensemble.rest.http.RouteTable;
import io.ensemble.rest.trace.RequestTracer;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.OutputStream;
import java.net.Socket;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.CompletableFuture;
import org.eclipse.jetty.server.Server;
import org.eclipse.jetty.server.ServerConnector;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;

/** Bodies that the service does not use, as seen from the socket. */
@Timeout(180)
@Execution(ExecutionMode.CONCURRENT)
class UnreadBodyDrainTest {

  private static final Duration PATIENCE = Duration.ofSeconds(1);
  private static final int MOST_ATTEMPTS = 20;
  private static final int MOST = 1;
  private static final int LONG = 256 << 10;
  private static final String CLOSE = "connection: close";

  private final Server server = new Server();
  private final ServerConnector connector = new ServerConnector(server);

  @BeforeEach
  void start() throws Exception {
    RouteDescription described =
        RouteDescription.of("thing", "test", "A test's.").empty(204, "Well");
    RouteHandler answering = call -> CompletableFuture.completedFuture(RestResponse.noContent());
    RouteTable routes =
        new RouteTable(
            List.of(
                new RestRoute(
                    HttpMethod.PUT, "/thing", Role.WRITE, 1 << 16, described, answering)));
    connector.setHost("127.0.0.1");
    server.addConnector(connector);
    server.setHandler(
        new RestHandler(
            routes, RequestAuthorizer.OPEN, RequestTracer.NONE, MOST, 1 << 20, 1 << 16, PATIENCE));
    server.start();
  }

  @AfterEach
  void stop() throws Exception {
    server.stop();
  }

  /** Reads an answer; returns its status line and headers, in lower case. */
  private static List<String> head(BufferedReader in) throws IOException {
    List<String> lines = new ArrayList<>();
    for (String line = in.readLine(); line != null && !line.isEmpty(); line = in.readLine()) {
      lines.add(line.toLowerCase(Locale.ROOT));
    }
    int length =
        lines.stream()
            .filter(line -> line.startsWith("content-length:"))
            .mapToInt(line -> Integer.parseInt(line.substring(15).strip()))
            .findFirst()
            .orElse(0);
    for (int i = 0; i < length; i++) {
      in.read();
    }
    return lines;
  }

  private Socket socket() throws IOException {
    Socket socket = new Socket("127.0.0.1", connector.getLocalPort());
    socket.setSoTimeout(100_000);
    return socket;
  }

  private static BufferedReader in(Socket socket) throws IOException {
    return new BufferedReader(new InputStreamReader(socket.getInputStream(), US_ASCII));
  }

  private static void send(OutputStream out, String path, long length, String... more)
      throws IOException {
    String headers = String.join("", more);
    out.write(
        ("PUT %s HTTP/1.1\r\nHost: a\r\nContent-Length: %d\r\n%s\r\n"
                .formatted(path, length, headers))
            .getBytes(US_ASCII));
    out.flush();
  }

  @Test
  void whoSendsAllOfItHearsWhyAndGoesOnWithTheConnection() throws Exception {
    try (Socket socket = socket()) {
      BufferedReader in = in(socket);
      OutputStream out = socket.getOutputStream();
      send(out, "/nowhere", LONG);
      out.write(new byte[LONG]);
      out.flush();

      assertThat(head(in)).first().asString().contains(" 404 ");
      send(out, "/thing", 3);
      out.write(new byte[3]);
      out.flush();
      assertThat(head(in)).first().asString().contains(" 204 ");
    }
  }

  @Test
  void whatIsTooLongIsNotTaken() throws Exception {
    try (Socket socket = socket()) {
      send(socket.getOutputStream(), "/nowhere", 5 << 20);

      assertThat(head(in(socket))).contains(CLOSE).first().asString().contains(" 404 ");
    }
  }

  @Test
  void whoAsksFirstIsToldAtOnce() throws Exception {
    try (Socket socket = socket()) {
      send(socket.getOutputStream(), "/nowhere", 100, "Expect: 100-continue\r\n");

      assertThat(head(in(socket))).first().asString().contains(" 404 ");
    }
  }

  @Test
  void whoSendsNothingIsToldAfterAWhile() throws Exception {
    try (Socket socket = socket()) {
      long begin = System.nanoTime();
      send(socket.getOutputStream(), "/nowhere", 100);

      assertThat(head(in(socket))).contains(CLOSE).first().asString().contains(" 404 ");
      assertThat(Duration.ofNanos(System.nanoTime() - begin)).isGreaterThanOrEqualTo(PATIENCE);
    }
  }

  /** If the machine pauses, the wait for the body may end first; another attempt then decides. */
  @Test
  void aRefusedRequestKeepsNoOtherOut() throws Exception {
    boolean isShown = false;
    for (int i = 0; i < MOST_ATTEMPTS && !isShown; i++) {
      isShown = isAdmittedBesideARefusedRequest();
    }

    assertThat(isShown).isTrue();
  }

  private boolean isAdmittedBesideARefusedRequest() throws IOException {
    try (Socket refused = socket();
        Socket other = socket()) {
      BufferedReader answers = in(other);
      send(refused.getOutputStream(), "/thing", 1 << 20); // The body is too long and never sent.
      boolean isAdmitted = false;
      boolean isRefusedYet = false;
      while (!isAdmitted && !isRefusedYet) {
        send(other.getOutputStream(), "/thing", 1);
        other.getOutputStream().write(0);
        other.getOutputStream().flush();
        isAdmitted = head(answers).get(0).contains(" 204 ");
        isRefusedYet = refused.getInputStream().available() > 0;
      }
      assertThat(head(in(refused))).first().asString().contains(" 413 ");
      return isAdmitted && !isRefusedYet;
    }
  }
}
