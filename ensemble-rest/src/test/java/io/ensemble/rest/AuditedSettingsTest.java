package io.ensemble.rest;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import io.ensemble.rest.audit.Audit;
import io.ensemble.rest.audit.AuditSink;
import io.ensemble.rest.gate.AccessFilter;
import io.ensemble.rest.gate.OriginPolicy;
import io.ensemble.rest.identity.Authentication;
import io.ensemble.rest.identity.StaticTokens;
import io.ensemble.rest.json.StrictJson;
import io.ensemble.rest.policy.AccessPolicy;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.time.InstantSource;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CopyOnWriteArrayList;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;

/** The audit says what a request changed into what, without secrets. */
@Timeout(120)
@Execution(ExecutionMode.CONCURRENT)
class AuditedSettingsTest {

  private static final String TOKEN = "t".repeat(32);
  private static final byte[] NONE = {};

  private final List<String> lines = new CopyOnWriteArrayList<>();
  private final RestFixture rest = new RestFixture(RestLimits.DEFAULT, filter());

  private AccessFilter filter() {
    AuditSink sink =
        new AuditSink() {
          @Override
          public void write(String line) {
            lines.add(line);
          }

          @Override
          public void close() {}
        };
    return new AccessFilter(
        new OriginPolicy(OriginPolicy.LOOPBACK, Set.of()),
        new Authentication(
            Optional.of(new StaticTokens(Map.of("me", TOKEN::toCharArray))),
            Optional.empty(),
            Optional.empty(),
            Optional.empty(),
            List.of()),
        () -> AccessPolicy.everythingFor("token:me"),
        8,
        new Audit(sink, System::nanoTime),
        InstantSource.system());
  }

  @AfterEach
  void close() throws Exception {
    rest.close();
  }

  /** The last line of a request that succeeded. */
  private JsonNode change(String method, String path, String json) throws Exception {
    HttpResponse<byte[]> answer =
        json.isEmpty()
            ? rest.call(method, path, NONE, "Authorization", "Bearer " + TOKEN)
            : rest.json(method, path, json, "Authorization", "Bearer " + TOKEN);
    assertThat(answer.statusCode()).as("%s", new String(answer.body())).isBetween(200, 299);
    return last();
  }

  private JsonNode last() {
    return StrictJson.parse(lines.get(lines.size() - 1).getBytes(StandardCharsets.UTF_8));
  }

  @Test
  void theSettingsOfACacheAreRecordedWhereTheyDiffer() throws Exception {
    JsonNode created =
        change(
            "POST",
            "/caches",
            "{\"name\": \"c\", \"consistency\": \"MWMR\", \"sites\": [\"lyon\"], \"deadlineMillis\": 3000}");
    assertThat(created.get("from")).isEmpty();
    assertThat(created.get("to").get("deadlineMillis").asLong()).isEqualTo(3000);
    assertThat(created.get("to").get("sites").toString()).isEqualTo("[\"lyon\"]");

    JsonNode altered = change("PATCH", "/caches/c", "{\"deadlineMillis\": 4000}");
    assertThat(altered.get("action").asText()).isEqualTo("alterCache");
    assertThat(altered.get("from").toString()).isEqualTo("{\"deadlineMillis\":3000}");
    assertThat(altered.get("to").toString()).isEqualTo("{\"deadlineMillis\":4000}");

    JsonNode same =
        change(
            "POST",
            "/caches",
            "{\"name\": \"other\", \"consistency\": \"MWMR\", \"sites\": [\"lyon\"]}");
    assertThat(same.has("to")).isTrue();
    same = change("PATCH", "/caches/other", "{}");
    assertThat(same.has("from")).isFalse();

    JsonNode deleted = change("DELETE", "/caches/other", "");
    assertThat(deleted.get("from").get("sites").toString()).isEqualTo("[\"lyon\"]");
    assertThat(deleted.get("to")).isEmpty();
  }

  @Test
  void ofASiteTheStateAndTheAddressesAreRecordedAndNoSecret() throws Exception {
    JsonNode created =
        change(
            "POST",
            "/sites",
            "{\"name\": \"bonn\", \"endpoints\": [\"h:1\"], \"labels\": {\"zone\": \"west\"},"
                + " \"credentials\": {\"user\": \"ada\", \"password\": {\"file\": \"/secret/of-ada\"}}}");
    assertThat(created.get("to").get("endpoints").toString()).isEqualTo("[\"h:1\"]");
    assertThat(created.get("to").get("secured").asBoolean()).isTrue();
    assertThat(created.toString()).doesNotContain("of-ada");

    JsonNode drained = change("POST", "/sites/bonn/drain", "");
    assertThat(drained.get("from").toString()).isEqualTo("{\"state\":\"serving\"}");
    assertThat(drained.get("to").toString()).isEqualTo("{\"state\":\"draining\"}");
    JsonNode serves = change("POST", "/sites/bonn/serve", "");
    assertThat(serves.get("to").toString()).isEqualTo("{\"state\":\"serving\"}");
    assertThat(change("DELETE", "/sites/bonn", "").get("from").get("labels").toString())
        .isEqualTo("{\"zone\":\"west\"}");
  }

  @Test
  void aWriteOfAnEntryIsRecordedWithoutKeyAndValue() throws Exception {
    change(
        "POST", "/caches", "{\"name\": \"c\", \"consistency\": \"MWMR\", \"sites\": [\"lyon\"]}");

    rest.call("PUT", "/caches/c/entries/key", "v".getBytes(), "Authorization", "Bearer " + TOKEN);

    assertThat(last().has("from")).isFalse();
    assertThat(last().toString()).doesNotContain("key");
  }
}
