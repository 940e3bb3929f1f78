package io.ensemble.rest.http;

import static org.assertj.core.api.Assertions.assertThat;

import com.code_intelligence.jazzer.junit.FuzzTest;
import io.ensemble.rest.Requests;
import java.net.URLEncoder;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Optional;

/** Keys in paths and parameters in queries, as strangers write them. */
class PathFuzzTest {

  private static final Routes ROUTES =
      new Routes(
          List.of(
              route(Method.GET, "/caches/{cache}/entries/{key}"),
              route(Method.PUT, "/caches/{cache}/entries/{key}"),
              route(Method.GET, "/caches/{cache}/entries"),
              route(Method.GET, "/caches/{cache}/versions/{key}/history"),
              route(Method.GET, "/caches/{cache}/versions/{key}/{version}")));

  private static Route route(Method method, String path) {
    return new Route(method, path, Role.READ, 0, Described.of(method + path, "", ""), call -> null);
  }

  @FuzzTest(maxDuration = "3m")
  void keysComeOutAsTheyWereMeant(byte[] bytes) {
    String raw = Requests.text(bytes);

    Requests.read(() -> ROUTES.find("GET", raw));
    Requests.read(() -> Percent.query(raw));
    Optional<String> key = Requests.read(() -> Percent.decode(raw, false));

    key.ifPresent(PathFuzzTest::checkFound);
    if (raw.indexOf('%') < 0) {
      assertThat(key).as("what needs no decoding stays").hasValue(raw);
    }
    checkFound(raw);
  }

  /** Whatever the key, the address that is made of it leads to it. */
  private static void checkFound(String key) {
    String segment = URLEncoder.encode(key, StandardCharsets.UTF_8).replace("+", "%20");

    Routes.Found found = ROUTES.find("GET", "/caches/c/entries/" + segment);

    assertThat(found.parameters()).containsEntry("key", key).containsEntry("cache", "c");
    assertThat(Percent.query("prefix=" + segment)).containsEntry("prefix", List.of(key));
  }
}
