package io.ensemble.rest;

import static java.nio.charset.StandardCharsets.US_ASCII;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.ensemble.rest.http.RequestAuthorizer;
import io.ensemble.rest.http.RestCaller;
import java.io.IOException;
import java.net.Socket;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.eclipse.jetty.io.EndPoint;
import org.eclipse.jetty.io.ssl.SslConnection;
import org.eclipse.jetty.server.internal.HttpConnection;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;

/** Closing a service ends idle connections immediately and waits for requests under way. */
@Timeout(180)
@Execution(ExecutionMode.CONCURRENT)
class RestServiceCloseTest {

  /** Longer than the test may take: a connection that holds the close up fails the test. */
  private static final Duration LONGEST = Duration.ofMinutes(10);

  private final CountDownLatch arrived = new CountDownLatch(1);
  private final CompletableFuture<Void> release = new CompletableFuture<>();

  /** Admits every request; a request for a site waits until the test releases it. */
  private final RequestAuthorizer requestAuthorizer =
      (head, route, admit) -> {
        if (!head.target().startsWith("/sites/")) {
          return admit.apply(RestCaller.ANYBODY);
        }
        arrived.countDown();
        return release.thenCompose(released -> admit.apply(RestCaller.ANYBODY));
      };

  private static Socket connect(RestFixture restFixture) throws IOException {
    lengthenIdleTimeout(restFixture.service);
    Socket socket = new Socket("127.0.0.1", restFixture.service.address().getPort());
    socket.setSoTimeout(100_000);
    return socket;
  }

  private static void send(Socket socket, String method, String path, String more)
      throws IOException {
    String head = "%s %s HTTP/1.1\r\nHost: 127.0.0.1\r\n%s\r\n".formatted(method, path, more);
    socket.getOutputStream().write(head.getBytes(US_ASCII));
    socket.getOutputStream().flush();
  }

  /** Sends a request without a body in its answer; the connection stays open. */
  private static void use(Socket socket) throws IOException {
    send(socket, "HEAD", "/openapi.json", "");
    StringBuilder head = new StringBuilder();
    while (head.indexOf("\r\n\r\n") < 0) {
      int next = socket.getInputStream().read();
      assertThat(next).as("read after %s", head).isNotNegative();
      head.append((char) next);
    }
    assertThat(head.toString())
        .startsWith("HTTP/1.1 200 ")
        .doesNotContainIgnoringCase("connection: close");
  }

  @Test
  void idleConnectionsDoNotDelayTheClose() throws Exception {
    try (RestFixture restFixture = new RestFixture(RestLimits.DEFAULT, requestAuthorizer);
        Socket used = connect(restFixture);
        Socket unused = connect(restFixture)) {
      use(used);

      restFixture.service.close(LONGEST);

      assertThat(used.getInputStream().read()).isEqualTo(-1);
      assertThat(unused.getInputStream().read()).isEqualTo(-1);
    }
  }

  @Test
  void aRequestUnderWayIsAnsweredAfterIdleConnectionsEnded() throws Exception {
    try (RestFixture restFixture = new RestFixture(RestLimits.DEFAULT, requestAuthorizer);
        Socket idle = connect(restFixture);
        Socket busy = connect(restFixture)) {
      use(idle);
      send(busy, "GET", "/sites/lyon", "");
      arrived.await();

      CompletableFuture<Void> closed = closing(restFixture.service);

      assertThat(idle.getInputStream().read()).isEqualTo(-1);
      assertThat(closed).isNotDone();
      release.complete(null);
      assertThat(new String(busy.getInputStream().readAllBytes(), US_ASCII))
          .startsWith("HTTP/1.1 200 ")
          .containsIgnoringCase("connection: close")
          .contains("\"lyon\"");
      closed.get(1, TimeUnit.MINUTES);
    }
  }

  /** From now on a connection is not closed for being idle within the time of a test. */
  static void lengthenIdleTimeout(RestService service) {
    service.connector.setIdleTimeout(LONGEST.toMillis());
  }

  /** A close that waits for requests under way for longer than a test may take. */
  static CompletableFuture<Void> closing(RestService service) {
    return CompletableFuture.runAsync(() -> service.close(LONGEST));
  }

  /** Waits until the service has read a part of a head. */
  static void awaitHeadBegun(RestService service) {
    await("a head under way")
        .atMost(Duration.ofMinutes(1))
        .until(
            () ->
                service.connector.getConnectedEndPoints().stream()
                    .map(EndPoint::getConnection)
                    .map(
                        connection ->
                            connection instanceof SslConnection tls
                                ? tls.getSslEndPoint().getConnection()
                                : connection)
                    .anyMatch(
                        connection ->
                            connection instanceof HttpConnection http
                                && http.getParser().inHeaderState()
                                && !http.getParser().isStart()));
  }

  /** The rest of the head arrives only after idle connections have ended. */
  @Test
  void aHeadUnderWayIsReadToItsEndAndAnswered() throws Exception {
    try (RestFixture restFixture = new RestFixture();
        Socket idle = connect(restFixture);
        Socket begun = connect(restFixture)) {
      use(idle);
      use(begun);
      begun.getOutputStream().write("GET /sites/lyon HTTP/1.1\r\nHo".getBytes(US_ASCII));
      begun.getOutputStream().flush();
      awaitHeadBegun(restFixture.service);

      CompletableFuture<Void> closed = closing(restFixture.service);

      assertThat(idle.getInputStream().read()).isEqualTo(-1);
      begun.getOutputStream().write("st: 127.0.0.1\r\n\r\n".getBytes(US_ASCII));
      begun.getOutputStream().flush();
      assertThat(new String(begun.getInputStream().readAllBytes(), US_ASCII))
          .startsWith("HTTP/1.1 ")
          .containsIgnoringCase("connection: close");
      closed.get(1, TimeUnit.MINUTES);
    }
  }

  @Test
  void aBodyUnderWayIsReadToItsEnd() throws Exception {
    try (RestFixture restFixture = new RestFixture();
        Socket idle = connect(restFixture);
        Socket busy = connect(restFixture)) {
      use(idle);
      String body = "{\"name\": \"c\", \"sites\": [\"lyon\"]}";
      String headers =
          "Content-Type: application/json\r\nExpect: 100-continue\r\nContent-Length: %d\r\n"
              .formatted(body.length());
      send(busy, "POST", "/caches", headers);
      byte[] go = "HTTP/1.1 100 Continue\r\n\r\n".getBytes(US_ASCII);
      assertThat(busy.getInputStream().readNBytes(go.length)).isEqualTo(go);

      CompletableFuture<Void> closed = closing(restFixture.service);

      assertThat(idle.getInputStream().read()).isEqualTo(-1);
      busy.getOutputStream().write(body.getBytes(US_ASCII));
      busy.getOutputStream().flush();
      assertThat(new String(busy.getInputStream().readAllBytes(), US_ASCII))
          .startsWith("HTTP/1.1 201 ");
      closed.get(1, TimeUnit.MINUTES);
    }
  }
}
