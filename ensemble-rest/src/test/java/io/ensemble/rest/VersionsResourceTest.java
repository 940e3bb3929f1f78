package io.ensemble.rest;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import java.net.http.HttpResponse;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;

/** Versions over REST. */
@Timeout(180)
@Execution(ExecutionMode.CONCURRENT)
class VersionsResourceTest {

  private static final String PATH = "/caches/c/versions/k";

  private final RestFixture restFixture = new RestFixture();

  @BeforeEach
  void create() throws Exception {
    restFixture.json(
        "POST", "/caches", "{\"name\": \"c\", \"consistency\": \"MWMR\", \"replication\": 3}");
  }

  @AfterEach
  void close() throws Exception {
    restFixture.close();
  }

  private HttpResponse<byte[]> put(String version, String value) throws Exception {
    return restFixture.call(
        "PUT", PATH + "/" + version, value.getBytes(), "Content-Type", "text/html");
  }

  private String at(String query) throws Exception {
    HttpResponse<byte[]> answer = restFixture.get(PATH + query);
    return answer.statusCode() == 200 ? new String(answer.body()) : "" + answer.statusCode();
  }

  @Test
  void aVersionIsAddedOnceHoweverOftenItComes() throws Exception {
    assertThat(put("1000.0", "one").statusCode()).isEqualTo(201);
    assertThat(put("1000.0", "one").statusCode()).isEqualTo(201);

    HttpResponse<byte[]> other = put("1000.0", "other");

    assertThat(other.statusCode()).isEqualTo(409);
    assertThat(RestFixture.body(restFixture.get(PATH + "/history")).get("versions")).hasSize(1);
  }

  @Test
  void aVersionThatIsAMomentCanBeAskedForAsItIsTold() throws Exception {
    HttpResponse<byte[]> added = put("2020-11-23T00:00:00Z", "one");

    String version = RestFixture.body(added).get("version").asText();

    assertThat(at("/" + version)).isEqualTo("one");
  }

  @Test
  void aKeyIsReadAtAVersionAndAsOfATime() throws Exception {
    put("1000.0", "one");
    put("2000.0", "two");
    HttpResponse<byte[]> added = restFixture.call("POST", PATH, "three".getBytes());

    assertThat(added.statusCode()).isEqualTo(201);
    assertThat(at("")).isEqualTo("three");
    assertThat(at("/1000.0")).isEqualTo("one");
    assertThat(at("/1500.0")).isEqualTo("404");
    assertThat(at("?asOf=1500.0")).isEqualTo("one");
    assertThat(at("?asOf=1970-01-01T00:00:02Z")).isEqualTo("two");
    assertThat(at("?asOf=yesterday")).isEqualTo("422");
    assertThat(restFixture.get(PATH + "/1000.0").headers().firstValue("Content-Type"))
        .contains("text/html");
    assertThat(at("?asOf=500")).isEqualTo("404");
  }

  @Test
  void historyComesPageByPageNewestFirst() throws Exception {
    List<String> all = new ArrayList<>();
    for (int i = 9; i >= 1; i--) {
      all.add(i + "000.0");
    }
    for (String version : all) {
      put(version, version);
    }

    List<String> met = new ArrayList<>();
    String cursor = "";
    do {
      JsonNode page = RestFixture.body(restFixture.get(PATH + "/history?limit=4" + cursor));
      page.get("versions").forEach(one -> met.add(one.get("version").asText()));
      cursor = page.has("cursor") ? "&cursor=" + page.get("cursor").asText() : "";
    } while (!cursor.isEmpty());

    assertThat(met).isEqualTo(all);
    JsonNode some = RestFixture.body(restFixture.get(PATH + "/history?from=3000.0&to=4000.0"));
    assertThat(some.get("versions")).hasSize(2);
  }

  @Test
  void whatWasCompactedIsGone() throws Exception {
    put("1000.0", "one");
    put("2000.0", "two");
    put("3000.0", "three");

    assertThat(
            restFixture.json("POST", PATH + "/compact", "{\"version\": \"3000.0\"}").statusCode())
        .isEqualTo(204);

    assertThat(at("/1000.0")).isEqualTo("410");
    assertThat(at("")).isEqualTo("three");
  }

  @Test
  void aReadBelowACompactionNamesTheOldestVersionThatIsKept() throws Exception {
    put("1000.0", "one");
    put("2000.0", "two");
    restFixture.json("POST", PATH + "/compact", "{\"version\": \"2000.0\"}");

    HttpResponse<byte[]> gone = restFixture.get(PATH + "?asOf=1500.0");

    assertThat(gone.statusCode()).isEqualTo(410);
    assertThat(RestFixture.body(gone).get("oldest").asText()).isEqualTo("2000.0");
    assertThat(at("?asOf=2500.0")).isEqualTo("two");
  }

  @Test
  void anOldVersionIsRestoredAsANewOne() throws Exception {
    put("1000.0", "one");
    put("2000.0", "two");

    HttpResponse<byte[]> restored = restFixture.call("POST", PATH + "/1000.0/restore", new byte[0]);
    HttpResponse<byte[]> unknown = restFixture.call("POST", PATH + "/1500.0/restore", new byte[0]);
    HttpResponse<byte[]> keyed =
        restFixture.call("POST", PATH + "/1000.0/restore", new byte[0], "Idempotency-Key", "4f1c");

    assertThat(restored.statusCode()).isEqualTo(201);
    String address = restored.headers().firstValue("Location").orElseThrow();
    assertThat(restFixture.get(address).body()).asString().isEqualTo("one");
    assertThat(at("")).isEqualTo("one");
    assertThat(unknown.statusCode()).isEqualTo(404);
    assertThat(keyed.statusCode()).isEqualTo(422);
    assertThat(RestFixture.body(restFixture.get(PATH + "/history")).get("versions")).hasSize(3);
  }

  @Test
  void theRetentionOfACacheIsReadAndSet() throws Exception {
    String path = "/caches/c/retention";
    JsonNode before = RestFixture.body(restFixture.get(path));

    HttpResponse<byte[]> set = restFixture.json("PUT", path, "{\"versions\": 2}");
    for (int i = 1; i <= 4; i++) {
      put(i + "000.0", "v" + i);
    }

    assertThat(before).isEmpty();
    assertThat(set.statusCode()).isEqualTo(200);
    assertThat(RestFixture.body(restFixture.get(path)).get("versions").asInt()).isEqualTo(2);
    assertThat(RestFixture.body(restFixture.get(PATH + "/history")).get("versions")).hasSize(2);
    assertThat(restFixture.json("PUT", path, "{\"versions\": 0}").statusCode()).isEqualTo(422);
    assertThat(restFixture.json("PUT", path, "{}").statusCode()).isEqualTo(200);
    assertThat(RestFixture.body(restFixture.get(path))).isEmpty();
  }
}
