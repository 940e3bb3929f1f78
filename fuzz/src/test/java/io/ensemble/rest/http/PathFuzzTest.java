package io.ensemble.rest.http;

import static org.assertj.core.api.Assertions.assertThat;

import com.code_intelligence.jazzer.junit.FuzzTest;
import io.ensemble.rest.FuzzRequests;
import java.net.URLEncoder;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Optional;

/** Keys in paths and parameters in queries, as arbitrary clients send them. */
class PathFuzzTest {

  private static final RouteTable ROUTES =
      new RouteTable(
          List.of(
              route(HttpMethod.GET, "/caches/{cache}/entries/{key}"),
              route(HttpMethod.PUT, "/caches/{cache}/entries/{key}"),
              route(HttpMethod.GET, "/caches/{cache}/entries"),
              route(HttpMethod.GET, "/caches/{cache}/versions/{key}/history"),
              route(HttpMethod.GET, "/caches/{cache}/versions/{key}/{version}")));

  private static RestRoute route(HttpMethod method, String path) {
    return new RestRoute(
        method, path, Role.READ, 0, RouteDescription.of(method + path, "", ""), call -> null);
  }

  @FuzzTest(maxDuration = "3m")
  void keysComeOutAsTheyWereMeant(byte[] bytes) {
    String raw = FuzzRequests.text(bytes);

    FuzzRequests.read(() -> ROUTES.find("GET", raw));
    FuzzRequests.read(() -> PercentEncoding.parseQuery(raw));
    Optional<String> key = FuzzRequests.read(() -> PercentEncoding.decode(raw, false));

    key.ifPresent(PathFuzzTest::checkFound);
    if (raw.indexOf('%') < 0) {
      assertThat(key).as("what needs no decoding stays").hasValue(raw);
    }
    checkFound(raw);
  }

  /** The address that is made for any key leads to that key. */
  private static void checkFound(String key) {
    String segment = URLEncoder.encode(key, StandardCharsets.UTF_8).replace("+", "%20");

    RouteTable.Found found = ROUTES.find("GET", "/caches/c/entries/" + segment);

    assertThat(found.parameters()).containsEntry("key", key).containsEntry("cache", "c");
    assertThat(ROUTES.find("GET", RouteTable.VERSION + "/caches/c/entries/" + segment))
        .isEqualTo(found);
    assertThat(PercentEncoding.parseQuery("prefix=" + segment))
        .containsEntry("prefix", List.of(key));
  }
}
