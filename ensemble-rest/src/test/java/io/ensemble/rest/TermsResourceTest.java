package io.ensemble.rest;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import java.net.URI;
import java.net.http.HttpResponse;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** The terms of SWMR caches: shown, resigned, and moved to another site. */
@Timeout(180)
@Execution(ExecutionMode.CONCURRENT)
class TermsResourceTest {

  private static final byte[] NONE = {};

  private final RestFixture restFixture = new RestFixture();
  private final URI here = restFixture.service.address();

  @AfterEach
  void close() throws Exception {
    restFixture.close();
  }

  private void create(String name, String sites) throws Exception {
    HttpResponse<byte[]> made =
        restFixture.json(
            "POST",
            "/caches",
            "{\"name\": \"%s\", \"consistency\": \"SWMR\", \"sites\": %s}".formatted(name, sites));
    assertThat(made.statusCode()).isEqualTo(201);
  }

  private HttpResponse<byte[]> write(URI service, String cache, String value) throws Exception {
    return restFixture.call(service, "PUT", "/caches/" + cache + "/entries/k", value.getBytes());
  }

  private JsonNode term(URI service, String cache) throws Exception {
    HttpResponse<byte[]> told =
        restFixture.call(service, "GET", "/caches/" + cache + "/term", NONE);
    assertThat(told.statusCode()).isEqualTo(200);
    return RestFixture.body(told);
  }

  private JsonNode promoted(String cache, String json) throws Exception {
    HttpResponse<byte[]> done = restFixture.json("POST", "/caches/" + cache + "/promote", json);
    assertThat(done.statusCode()).as(new String(done.body())).isEqualTo(200);
    return RestFixture.body(done);
  }

  private String read(URI service, String cache) throws Exception {
    HttpResponse<byte[]> got =
        restFixture.call(service, "GET", "/caches/" + cache + "/entries/k", NONE);
    assertThat(got.statusCode()).as(new String(got.body())).isEqualTo(200);
    return new String(got.body());
  }

  @Test
  void aSecondWriterIsRefusedUntilTheFirstResigns() throws Exception {
    URI there = restFixture.another();
    create("ledger", "[\"lyon\", \"oslo\", \"rome\"]");
    assertThat(write(here, "ledger", "first").statusCode()).isEqualTo(204);
    String writer = term(there, "ledger").get("writer").asText();

    HttpResponse<byte[]> refused = write(there, "ledger", "second");

    assertThat(refused.statusCode()).isEqualTo(409);
    assertThat(refused.headers().firstValue("Retry-After")).contains("3"); // 2.2 s, rounded up.
    assertThat(RestFixture.body(refused).get("type").asText())
        .isEqualTo("/problems/writer-present");
    assertThat(RestFixture.body(refused).get("retrySafe").asBoolean()).isTrue();
    assertThat(RestFixture.body(refused).get("writer").asText()).isEqualTo(writer);
    assertThat(read(there, "ledger")).isEqualTo("first");

    HttpResponse<byte[]> resigned = restFixture.call(here, "POST", "/caches/ledger/resign", NONE);

    assertThat(resigned.statusCode()).isEqualTo(204);
    assertThat(term(there, "ledger").has("writer")).isFalse();
    assertThat(write(there, "ledger", "second").statusCode()).isEqualTo(204);
    assertThat(read(here, "ledger")).isEqualTo("second");
    assertThat(term(here, "ledger").get("writer").asText()).isNotEqualTo(writer);
    assertThat(write(here, "ledger", "third").statusCode()).isEqualTo(409);
  }

  /** A process that is not the writer cannot resign the term of the writer. */
  @Test
  void theOthersResignationLeavesTheWriterItsPlace() throws Exception {
    URI there = restFixture.another();
    create("ledger", "[\"lyon\", \"oslo\", \"rome\"]");
    write(here, "ledger", "first");
    String writer = term(here, "ledger").get("writer").asText();

    HttpResponse<byte[]> resigned = restFixture.call(there, "POST", "/caches/ledger/resign", NONE);

    assertThat(resigned.statusCode()).isEqualTo(204);
    assertThat(term(there, "ledger").get("writer").asText()).isEqualTo(writer);
    assertThat(write(there, "ledger", "second").statusCode()).isEqualTo(409);
  }

  @Test
  void aSiteIsPromotedAndTheWriterStays() throws Exception {
    create("ledger", "[\"lyon\", \"oslo\", \"rome\"]");
    write(here, "ledger", "first");
    JsonNode before = term(here, "ledger");
    String other = before.get("primary").asText().equals("oslo") ? "rome" : "oslo";

    JsonNode after = promoted("ledger", "{\"site\": \"%s\"}".formatted(other));

    assertThat(after.get("primary").asText()).isEqualTo(other);
    assertThat(after.get("active").asBoolean()).isTrue();
    assertThat(after.get("epoch").asLong()).isGreaterThan(before.get("epoch").asLong());
    assertThat(after.get("writer")).isEqualTo(before.get("writer"));
    assertThat(term(restFixture.another(), "ledger").get("primary").asText()).isEqualTo(other);
    assertThat(write(here, "ledger", "second").statusCode()).isEqualTo(204);
    JsonNode again = promoted("ledger", "{\"site\": \"%s\"}".formatted(other));
    assertThat(again.get("epoch")).as("it is already").isEqualTo(after.get("epoch"));
  }

  @Test
  void oneOfTwoSitesGoesOnWithoutTheOtherUntilThatIsRecovered() throws Exception {
    create("pair", "[\"lyon\", \"oslo\"]");
    write(here, "pair", "first");
    restFixture.sites.get("lyon").mood = MemorySite.Mood.GONE;

    JsonNode alone = promoted("pair", "{\"site\": \"oslo\", \"without\": \"lyon\"}");

    assertThat(alone.get("primary").asText()).isEqualTo("oslo");
    assertThat(alone.get("active").asBoolean()).isTrue();
    assertThat(read(here, "pair")).isEqualTo("first");
    assertThat(write(here, "pair", "second").statusCode()).isEqualTo(204);

    restFixture.sites.get("lyon").mood = MemorySite.Mood.UP;
    HttpResponse<byte[]> behind =
        restFixture.json(
            "POST", "/caches/pair/promote", "{\"site\": \"lyon\", \"without\": \"oslo\"}");
    assertThat(behind.statusCode()).as("it lacks what came since").isEqualTo(409);
    JsonNode recovered =
        restFixture.awaitEnd(restFixture.json("POST", "/sites/lyon/recover", "{}"));
    assertThat(recovered.at("/results/0/outcome").asText())
        .as(recovered.toString())
        .isEqualTo("recovered");
    promoted("pair", "{\"site\": \"lyon\"}");
    assertThat(read(here, "pair")).isEqualTo("second");
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      quoteCharacter = '~',
      value = {
        "site           | {}",
        "without        | {'site': 'lyon', 'without': 'oslo'}",
        "without        | {'site': 'lyon', 'without': 'paris'}",
        "timeoutSeconds | {'site': 'lyon', 'timeoutSeconds': 0}",
        "timeoutSeconds | {'site': 'lyon', 'timeoutSeconds': 61}",
      })
  void aPromotionThatCannotBeMeantIsToldByItsField(String field, String json) throws Exception {
    create("ledger", "[\"lyon\", \"oslo\", \"rome\"]");
    JsonNode before = term(here, "ledger");

    HttpResponse<byte[]> refused =
        restFixture.json("POST", "/caches/ledger/promote", json.replace('\'', '"'));

    assertThat(refused.statusCode()).isEqualTo(422);
    assertThat(RestFixture.body(refused).path("field").asText()).isEqualTo(field);
    assertThat(term(here, "ledger")).isEqualTo(before);
  }

  @Test
  void aSiteDoesNotGoOnWithoutItself() throws Exception {
    create("pair", "[\"lyon\", \"oslo\"]");

    HttpResponse<byte[]> refused =
        restFixture.json(
            "POST", "/caches/pair/promote", "{\"site\": \"lyon\", \"without\": \"lyon\"}");

    assertThat(refused.statusCode()).isEqualTo(422);
    assertThat(RestFixture.body(refused).path("field").asText()).isEqualTo("without");
  }

  @Test
  void cachesWithoutTurnsHaveNone() throws Exception {
    restFixture.json("POST", "/caches", "{\"name\": \"orders\", \"consistency\": \"MWMR\"}");

    for (String path : new String[] {"/caches/none/term", "/caches/none/resign"}) {
      String method = path.endsWith("term") ? "GET" : "POST";
      assertThat(restFixture.call(method, path, NONE).statusCode()).as(path).isEqualTo(404);
      assertThat(restFixture.call(method, path.replace("none", "orders"), NONE).statusCode())
          .as(path)
          .isEqualTo(409);
    }
  }
}
