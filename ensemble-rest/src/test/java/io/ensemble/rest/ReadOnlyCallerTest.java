package io.ensemble.rest;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import io.ensemble.rest.http.HttpMethod;
import io.ensemble.rest.http.RestRoute;
import io.ensemble.rest.http.Role;
import io.ensemble.rest.resource.ResourceRoutes;
import io.ensemble.rest.resource.context.BlockingTaskPool;
import io.ensemble.rest.resource.context.RestContext;
import io.ensemble.site.Bytes;
import io.ensemble.site.StoredEntry;
import io.micrometer.prometheusmetrics.PrometheusConfig;
import io.micrometer.prometheusmetrics.PrometheusMeterRegistry;
import java.net.http.HttpResponse;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Requests of read-only callers change nothing, and no browser runs the answers. */
@Timeout(180)
class ReadOnlyCallerTest {

  private static final Set<Role> READING = EnumSet.of(Role.NONE, Role.SEE, Role.READ, Role.LISTEN);
  private static final String THE_END_OF_TIME = "%2B292278994-08-17T07:12:55.807Z";
  private static final String BEYOND_IT = "%2B1000000000-12-31T23:59:59Z";
  private static final List<String> QUERIES =
      List.of("", "?asOf=999999999999999", "?asOf=" + THE_END_OF_TIME, "?asOf=" + BEYOND_IT);

  private final RestFixture restFixture = new RestFixture();

  @BeforeEach
  void create() throws Exception {
    restFixture.json(
        "POST", "/caches", "{\"name\": \"mine\", \"consistency\": \"MWMR\", \"replication\": 3}");
    restFixture.call("PUT", "/caches/mine/entries/something", "v".getBytes());
  }

  @AfterEach
  void close() throws Exception {
    restFixture.close();
  }

  private static List<RestRoute> routes(RestFixture restFixture) {
    try (BlockingTaskPool blockingTaskPool = new BlockingTaskPool(1, 1)) {
      return ResourceRoutes.createAll(
          new RestContext(restFixture.manager, blockingTaskPool, RestLimits.DEFAULT),
          new PrometheusMeterRegistry(PrometheusConfig.DEFAULT));
    }
  }

  private static String path(RestRoute route) {
    String path =
        route
            .path()
            .replace("{cache}", "mine")
            .replace("{site}", "lyon")
            .replace("{version}", "1000.0")
            .replaceAll("\\{[a-z]+}", "something");
    if (path.endsWith("/mine/events")) {
      return path + "?key="; // An event stream would not end.
    }
    return path.equals("/events") ? "/events?kinds=none" : path;
  }

  private HttpResponse<byte[]> ask(RestRoute route, String query) throws Exception {
    return route.method() == HttpMethod.GET
        ? restFixture.get(path(route) + query)
        : restFixture.json(route.method().name(), path(route), "{\"keys\": [\"something\"]}");
  }

  private Map<String, Map<String, Map<Bytes, StoredEntry>>> content() {
    Map<String, Map<String, Map<Bytes, StoredEntry>>> all = new TreeMap<>();
    restFixture.sites.forEach((name, site) -> all.put(name, site.content()));
    return all;
  }

  private void readAll() throws Exception {
    for (RestRoute route : routes(restFixture)) {
      if (!READING.contains(route.role())) {
        continue;
      }
      boolean isOfVersions = route.path().contains("/versions/");
      for (String query : isOfVersions ? QUERIES : QUERIES.subList(0, 1)) {
        var before = content();

        HttpResponse<byte[]> answer = ask(route, query);

        assertThat(answer.statusCode()).as(route.path() + query).isLessThan(500);
        assertThat(content()).as(route.method() + " " + route.path() + query).isEqualTo(before);
      }
    }
  }

  @Test
  void nothingIsWrittenByReading() throws Exception {
    readAll();

    assertThat(
            RestFixture.body(restFixture.get("/caches/mine/versions/something/history"))
                .get("versions"))
        .isEmpty();
  }

  @Test
  void nothingIsWrittenByReadingWhatIsThere() throws Exception {
    restFixture.call("PUT", "/caches/mine/versions/something/1000.0", "one".getBytes());
    restFixture.json("POST", "/caches/mine/counters/something/add", "{\"delta\": 1}");
    restFixture.json(
        "POST",
        "/caches/mine/locks/something/acquire",
        "{\"holder\": \"a\", \"leaseMillis\": 60000}");

    readAll();

    long now = System.currentTimeMillis();
    JsonNode added =
        RestFixture.body(
            restFixture.call("POST", "/caches/mine/versions/something", "two".getBytes()));
    assertThat(added.get("version").asText()).isLessThan(now + 60_000 + ".0");
    assertThat(restFixture.get("/caches/mine/versions/something?asOf=" + BEYOND_IT).statusCode())
        .isEqualTo(422);
  }

  @Test
  void everyAnswerKeepsABrowserFromRunningOrEmbeddingIt() throws Exception {
    restFixture.call(
        "PUT",
        "/caches/mine/entries/page",
        "<script>alert(1)</script>".getBytes(),
        "Content-Type",
        "text/html");
    List<HttpResponse<byte[]>> answers = new ArrayList<>();
    for (RestRoute route : routes(restFixture)) {
      answers.add(
          route.method() == HttpMethod.GET
              ? restFixture.get(path(route))
              : restFixture.json(route.method().name(), path(route), "{\"nonsense\": 1}"));
    }
    answers.add(restFixture.get("/nowhere"));
    answers.add(restFixture.call("PATCH", "/problems", new byte[0]));

    assertThat(answers).hasSizeGreaterThan(50).allSatisfy(ReadOnlyCallerTest::isGuarded);
    HttpResponse<byte[]> page = restFixture.get("/caches/mine/entries/page");
    isGuarded(page);
    assertThat(page.headers().firstValue("Content-Security-Policy").orElse(""))
        .contains("sandbox")
        .contains("default-src 'none'");
    assertThat(page.headers().firstValue("Content-Disposition")).contains("attachment");
    assertThat(
            RawHttp.head(
                restFixture.service.address(), "GET / HTTP/1.1\r\nX: " + "x".repeat(20_000)))
        .contains("431", "nosniff", "sandbox");
  }

  private static void isGuarded(HttpResponse<byte[]> answer) {
    String asked = answer.request().method() + " " + answer.uri();
    String policy = answer.headers().firstValue("Content-Security-Policy").orElse("");
    assertThat(policy).as(asked).startsWith("default-src 'none'");
    boolean isConsole =
        answer.uri().getPath().equals("/") || answer.uri().getPath().startsWith("/console/");
    assertThat(policy.contains("sandbox") || isConsole).as(asked).isTrue();
    assertThat(answer.headers().firstValue("X-Content-Type-Options")).as(asked).contains("nosniff");
    assertThat(answer.headers().firstValue("Cross-Origin-Resource-Policy"))
        .as(asked)
        .contains("same-origin");
    assertThat(answer.headers().firstValue("Cache-Control")).as(asked).isPresent();
  }
}
