package io.ensemble.rest.http;

import static org.assertj.core.api.Assertions.assertThat;

import io.ensemble.rest.trace.Traces;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.eclipse.jetty.server.Server;
import org.eclipse.jetty.server.ServerConnector;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Every request is answered and counted as over, whatever its handler does. */
@Timeout(180)
class EntranceTest {

  private static final int MOST = 3;

  private final Server server = new Server();
  private final ServerConnector connector = new ServerConnector(server);
  private final HttpClient client =
      HttpClient.newBuilder().version(HttpClient.Version.HTTP_1_1).build();
  private final Entrance entrance =
      new Entrance(
          new Routes(
              List.of(route("/broken", EntranceTest::broken), route("/well", call -> well()))),
          Gatekeeper.OPEN,
          Traces.NONE,
          MOST,
          1 << 20,
          1 << 18,
          Duration.ofSeconds(10));

  @BeforeEach
  void start() throws Exception {
    connector.setHost("127.0.0.1");
    server.addConnector(connector);
    server.setHandler(entrance);
    server.start();
  }

  @AfterEach
  void stop() throws Exception {
    server.stop();
  }

  private static Route route(String path, Answering answering) {
    Described described = Described.of(path.substring(1), "test", "A test's.").empty(204, "Well");
    return new Route(Method.GET, path, Role.READ, 0, described, answering);
  }

  private static CompletableFuture<Reply> broken(Call call) {
    throw new AssertionError("as the test wants it");
  }

  private static CompletableFuture<Reply> well() {
    return CompletableFuture.completedFuture(Reply.noContent());
  }

  private HttpResponse<byte[]> get(String path) throws Exception {
    URI uri = URI.create("http://127.0.0.1:" + connector.getLocalPort() + path);
    return client.send(HttpRequest.newBuilder(uri).build(), BodyHandlers.ofByteArray());
  }

  @Test
  void whatAnErrorEndsIsOver() throws Exception {
    for (int i = 0; i <= MOST; i++) {
      assertThat(get("/broken").statusCode()).isEqualTo(500);
    }

    assertThat(get("/well").statusCode()).isEqualTo(204);
  }

  @Test
  void nobodyIsLetInWhoComesWhenTheServiceEnds() throws Exception {
    entrance.refuse();

    assertThat(get("/well").statusCode()).isEqualTo(503);
  }
}
