package io.ensemble.rest.jetty;

import static org.assertj.core.api.Assertions.assertThat;

import io.ensemble.rest.http.AuthorizedRequest;
import io.ensemble.rest.http.HttpMethod;
import io.ensemble.rest.http.RequestAuthorizer;
import io.ensemble.rest.http.RestResponse;
import io.ensemble.rest.http.RestRoute;
import io.ensemble.rest.http.Role;
import io.ensemble.rest.http.RouteDescription;
import io.ensemble.rest.http.RouteHandler;
import io.ensemble.rest.http.RouteTable;
import io.ensemble.rest.trace.RequestTracer;
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
class RestHandlerTest {

  private static final int MOST = 3;

  private final Server server = new Server();
  private final ServerConnector connector = new ServerConnector(server);
  private final HttpClient client =
      HttpClient.newBuilder().version(HttpClient.Version.HTTP_1_1).build();
  private final RestHandler restHandler =
      new RestHandler(
          new RouteTable(
              List.of(
                  route("/broken", RestHandlerTest::broken),
                  route("/well", authorizedRequest -> well()))),
          RequestAuthorizer.OPEN,
          RequestTracer.NONE,
          MOST,
          1 << 20,
          1 << 18,
          Duration.ofSeconds(10));

  @BeforeEach
  void start() throws Exception {
    connector.setHost("127.0.0.1");
    server.addConnector(connector);
    server.setHandler(restHandler);
    server.start();
  }

  @AfterEach
  void stop() throws Exception {
    server.stop();
  }

  private static RestRoute route(String path, RouteHandler routeHandler) {
    RouteDescription described =
        RouteDescription.of(path.substring(1), "test", "A test's.").empty(204, "Well");
    return new RestRoute(HttpMethod.GET, path, Role.READ, 0, described, routeHandler);
  }

  private static CompletableFuture<RestResponse> broken(AuthorizedRequest authorizedRequest) {
    throw new AssertionError("as the test requires it");
  }

  private static CompletableFuture<RestResponse> well() {
    return CompletableFuture.completedFuture(RestResponse.noContent());
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
    restHandler.refuse();

    assertThat(get("/well").statusCode()).isEqualTo(503);
  }
}
