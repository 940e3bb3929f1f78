package io.ensemble.rest;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import io.ensemble.rest.Http2Connection.Answer;
import io.ensemble.rest.http.RequestAuthorizer;
import io.ensemble.rest.http.RestCaller;
import io.ensemble.rest.jetty.JettyErrorHandler;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.logging.Handler;
import java.util.logging.LogRecord;
import java.util.logging.Logger;
import java.util.logging.StreamHandler;
import org.eclipse.jetty.http.HttpFields;
import org.eclipse.jetty.http2.ErrorCode;
import org.eclipse.jetty.http2.api.Stream;
import org.eclipse.jetty.http2.frames.ResetFrame;
import org.eclipse.jetty.util.Callback;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** HTTP/2: many requests over one connection, each with its own bounds. */
@Timeout(180)
class Http2Test {

  private static final byte[] NOTHING = {};

  private static RestLimits slowest(Duration slowest) {
    return RestLimits.DEFAULT.toBuilder().slowest(slowest).build();
  }

  private static Answer get(CompletableFuture<Answer> answer) throws Exception {
    return answer.get(1, TimeUnit.MINUTES);
  }

  @Test
  void requestsShareAConnection() throws Exception {
    try (RestFixture restFixture = new RestFixture();
        Http2Connection connection = new Http2Connection(restFixture.service.address())) {
      restFixture.json("POST", "/caches", "{\"name\": \"c\"}");
      List<CompletableFuture<Answer>> changes = new ArrayList<>();
      for (int i = 0; i < 100; i++) {
        changes.add(
            connection.send("PUT", "/caches/c/entries/k" + i, String.valueOf(i).getBytes(UTF_8)));
      }
      for (CompletableFuture<Answer> change : changes) {
        assertThat(get(change).status()).isEqualTo(204);
      }
      for (int i = 0; i < 100; i++) {
        Answer answer = get(connection.send("GET", "/caches/c/entries/k" + i, NOTHING));
        assertThat(answer.status()).isEqualTo(200);
        assertThat(new String(answer.body(), UTF_8)).isEqualTo(String.valueOf(i));
      }
      Answer unknown = get(connection.send("GET", "/caches/d/entries/k", NOTHING));
      assertThat(unknown.status()).isEqualTo(404);
      assertThat(new String(unknown.body(), UTF_8)).contains("/problems/not-found");
      assertThat(restFixture.service.connector.getConnectedEndPoints()).hasSize(2);
    }
  }

  /** A proxy that passes the header on would not see the requests that follow it. */
  @Test
  void aRequestIsNotUpgraded() throws Exception {
    try (RestFixture restFixture = new RestFixture()) {
      HttpResponse<String> answer =
          HttpClient.newBuilder()
              .version(HttpClient.Version.HTTP_2)
              .build()
              .send(
                  HttpRequest.newBuilder(URI.create(restFixture.service.address() + "/sites"))
                      .build(),
                  BodyHandlers.ofString());

      assertThat(answer.version()).isEqualTo(HttpClient.Version.HTTP_1_1);
      assertThat(answer.statusCode()).isEqualTo(200);
    }
  }

  /** The check of host names needs it: a page of another name may point at this address. */
  @Test
  void theAuthorityTakesThePlaceOfTheHost() throws Exception {
    Queue<List<String>> hosts = new ConcurrentLinkedQueue<>();
    RequestAuthorizer requestAuthorizer =
        (head, route, admit) -> {
          hosts.add(head.headers().getOrDefault("host", List.of()));
          return admit.apply(RestCaller.ANYBODY);
        };
    try (RestFixture restFixture = new RestFixture(RestLimits.DEFAULT, requestAuthorizer);
        Http2Connection connection = new Http2Connection(restFixture.service.address())) {
      HttpFields other = HttpFields.build().add("Host", "trusted.example");

      get(connection.send("GET", "/sites", NOTHING));
      CompletableFuture<Answer> contradiction = connection.begin("GET", "/sites", other, NOTHING);

      await("an end").atMost(Duration.ofMinutes(1)).until(contradiction::isDone);
      assertThat(hosts).containsOnly(List.of(restFixture.service.address().getAuthority()));
    }
  }

  @Test
  void aConnectionWithoutRequestsEnds() throws Exception {
    try (RestFixture restFixture = new RestFixture(slowest(Duration.ofSeconds(5)));
        Http2Connection used = new Http2Connection(restFixture.service.address());
        Http2Connection unused = new Http2Connection(restFixture.service.address())) {
      assertThat(get(used.send("GET", "/sites", NOTHING)).status()).isEqualTo(200);

      assertThat(unused.farewell.get(1, TimeUnit.MINUTES)).isEqualTo(ErrorCode.NO_ERROR.code);
      unused.ended.get(1, TimeUnit.MINUTES);

      assertThat(used.ended).as("a used connection has the longer idle timeout").isNotDone();
      assertThat(get(used.send("GET", "/sites", NOTHING)).status()).isEqualTo(200);
    }
  }

  @Test
  void anAnswerThatIsNotReadEndsAndOthersOfTheConnectionDoNot() throws Exception {
    try (RestFixture restFixture = new RestFixture(slowest(Duration.ofSeconds(5)))) {
      restFixture.json("POST", "/caches", "{\"name\": \"c\"}");
      restFixture.call("PUT", "/caches/c/entries/k", new byte[512 << 10]);
      try (Http2Connection connection = new Http2Connection(restFixture.service.address())) {
        CompletableFuture<Answer> unread =
            connection.sendAndReadNothing("GET", "/caches/c/entries/k");

        assertThatThrownBy(() -> get(unread))
            .hasMessageEndingWith("reset; error=" + ErrorCode.CANCEL_STREAM_ERROR.code);
        assertThat(get(connection.send("GET", "/sites", NOTHING)).status()).isEqualTo(200);
        assertThat(connection.ended).isNotDone();
      }
    }
  }

  @Test
  void aBodyThatDoesNotArriveIsRefusedAndOthersOfTheConnectionAreServed() throws Exception {
    try (RestFixture restFixture = new RestFixture(slowest(Duration.ofSeconds(5)));
        Http2Connection connection = new Http2Connection(restFixture.service.address())) {
      restFixture.json("POST", "/caches", "{\"name\": \"c\"}");

      CompletableFuture<Answer> incomplete =
          connection.begin("PUT", "/caches/c/entries/k", HttpFields.EMPTY, "half".getBytes(UTF_8));

      assertThat(get(incomplete).status()).isEqualTo(408);
      assertThat(get(connection.send("GET", "/caches/c/entries/k", NOTHING)).status())
          .isEqualTo(404);
    }
  }

  @Test
  void aHeadThatIsTooLargeIsRefused() throws Exception {
    try (RestFixture restFixture = new RestFixture();
        Http2Connection connection = new Http2Connection(restFixture.service.address())) {
      String longName = "k".repeat(RestLimits.DEFAULT.headerBytes());

      CompletableFuture<Answer> tooLarge =
          connection.send("GET", "/caches/c/entries/" + longName, NOTHING);

      await("an end").atMost(Duration.ofMinutes(1)).until(tooLarge::isDone);
      if (!tooLarge.isCompletedExceptionally()) {
        assertThat(tooLarge.join().status()).isBetween(400, 499);
      }
      assertThat(restFixture.get("/sites").statusCode()).isEqualTo(200);
    }
  }

  /** Each request is given up before its answer; those of others are still served. */
  @Test
  void requestsThatAreResetAtOnceOccupyNothing() throws Exception {
    Queue<String> incidents = new ConcurrentLinkedQueue<>();
    Handler handler =
        new StreamHandler() {
          @Override
          public void publish(LogRecord line) {
            incidents.add(line.getMessage());
          }
        };
    Logger errors = Logger.getLogger(JettyErrorHandler.class.getName());
    errors.addHandler(handler);
    RestLimits few = RestLimits.DEFAULT.toBuilder().requests(4).build();
    try (RestFixture restFixture = new RestFixture(few);
        Http2Connection connection = new Http2Connection(restFixture.service.address())) {
      for (int i = 0; i < 2_000 && !connection.ended.isDone(); i++) {
        connection
            .session
            .newStream(Http2Connection.get(restFixture.service.address() + "/sites"), null)
            .thenAccept(Http2Test::reset);
      }

      await("a place")
          .atMost(Duration.ofMinutes(1))
          .until(() -> restFixture.get("/sites").statusCode() == 200);
      for (int i = 0; i < 8; i++) {
        assertThat(restFixture.get("/sites").statusCode()).isEqualTo(200);
      }
      assertThat(incidents).as("a client that gives up is no failure of the service").isEmpty();
    } finally {
      errors.removeHandler(handler);
    }
  }

  private static void reset(Stream stream) {
    stream.reset(new ResetFrame(stream.getId(), ErrorCode.CANCEL_STREAM_ERROR.code), Callback.NOOP);
  }

  @Test
  void whileTheServiceClosesARequestIsAnsweredAndTheClientIsTold() throws Exception {
    CountDownLatch arrived = new CountDownLatch(1);
    CompletableFuture<Void> release = new CompletableFuture<>();
    RequestAuthorizer requestAuthorizer =
        (head, route, admit) -> {
          arrived.countDown();
          return release.thenCompose(released -> admit.apply(RestCaller.ANYBODY));
        };
    try (RestFixture restFixture = new RestFixture(RestLimits.DEFAULT, requestAuthorizer);
        Http2Connection idle = new Http2Connection(restFixture.service.address());
        Http2Connection busy = new Http2Connection(restFixture.service.address())) {
      RestServiceCloseTest.lengthenIdleTimeout(restFixture.service);
      CompletableFuture<Answer> answer = busy.send("GET", "/sites/lyon", NOTHING);
      arrived.await();

      CompletableFuture<Void> closed = RestServiceCloseTest.closing(restFixture.service);

      assertThat(idle.farewell.get(1, TimeUnit.MINUTES)).isEqualTo(ErrorCode.NO_ERROR.code);
      assertThat(busy.farewell.get(1, TimeUnit.MINUTES)).isEqualTo(ErrorCode.NO_ERROR.code);
      assertThat(closed).isNotDone();
      release.complete(null);
      assertThat(get(answer).status()).isEqualTo(200);
      closed.get(1, TimeUnit.MINUTES);
    }
  }
}
