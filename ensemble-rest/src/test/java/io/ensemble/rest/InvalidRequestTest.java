package io.ensemble.rest;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import java.net.URI;
import java.net.http.HttpResponse;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Invalid names, values and requests are problems of the caller, never internal errors. */
@Timeout(180)
@Execution(ExecutionMode.CONCURRENT)
class InvalidRequestTest {

  private static final byte[] NONE = {};
  private static final String HALF = "\\ud800";

  private final RestFixture restFixture = new RestFixture();

  @AfterEach
  void close() throws Exception {
    restFixture.close();
  }

  private void create(String name) throws Exception {
    restFixture.json(
        "POST",
        "/caches",
        "{\"name\": \"%s\", \"consistency\": \"MWMR\", \"sites\": [\"lyon\"]}".formatted(name));
  }

  private static JsonNode told(HttpResponse<byte[]> answer, int status) {
    assertThat(answer.statusCode()).as(new String(answer.body())).isEqualTo(status);
    return RestFixture.body(answer);
  }

  @Test
  void bytesThatAreNoTextAreMalformed() throws Exception {
    byte[] half = {0, 0, 0, 0x7b, 0};

    told(restFixture.call("POST", "/caches", half, "Content-Type", "application/json"), 400);
  }

  @Test
  void whatIsShownOfANameIsNotCutWithinAPair() throws Exception {
    told(restFixture.json("POST", "/caches", "{\"%s\": 1}".formatted(HALF)), 400);
    told(restFixture.get("/operations/" + "x".repeat(79) + "%F0%9F%98%80"), 404);
    told(
        restFixture.json(
            "POST",
            "/sites",
            "{\"endpoints\": [\"h:1\"], \"labels\": {\"a\": \"%s\"}}".formatted(HALF)),
        400);
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "GET / HTTP/9.9\r\nHost: h\r\n\r\n",
        "POST /caches HTTP/1.1\r\nHost: h\r\nTransfer-Encoding: zip\r\n\r\n"
      })
  void whatHttpDoesNotKnowIsTheClientsMistake(String request) throws Exception {
    String answer = RawHttp.send(restFixture.service.address(), request);

    assertThat(answer).startsWith("HTTP/1.1 400").contains("/problems/malformed");
  }

  @Test
  void aMomentBeyondAllClocksIsNoVersion() throws Exception {
    create("c");

    told(restFixture.get("/caches/c/versions/k?asOf=%2B1000000000-12-31T23:59:59Z"), 422);
    told(restFixture.call("PUT", "/caches/c/versions/k/253402300800000.0", "v".getBytes()), 422);
    told(restFixture.call("PUT", "/caches/c/versions/k/5.9999999999", "v".getBytes()), 422);
  }

  @Test
  void aVersionTooFarAheadOfTheServicesClockIsRefusedAndMovesNoOther() throws Exception {
    create("c");
    told(restFixture.call("POST", "/caches/c/versions/k", "v".getBytes()), 201);

    JsonNode written =
        told(
            restFixture.call("PUT", "/caches/c/versions/k/253402300799999.0", "v".getBytes()), 422);
    JsonNode read = told(restFixture.get("/caches/c/versions/k?asOf=253402300799999.0"), 422);

    assertThat(written.get("detail").asText())
        .contains("at most 60 s ahead of the clock of the service");
    assertThat(written.get("field").asText()).isEqualTo("version");
    assertThat(read.get("detail").asText())
        .contains("at most 60 s ahead of the clock of the service");
    assertThat(read.get("field").asText()).isEqualTo("asOf");
    JsonNode next = told(restFixture.call("POST", "/caches/c/versions/k", "w".getBytes()), 201);
    long millis = Long.parseLong(next.get("version").asText().replaceAll("\\..*", ""));
    assertThat(millis).isLessThan(System.currentTimeMillis() + 60_000);
  }

  @Test
  void aVersionThatIsTooLargeWithItsTypeIsTooLarge() throws Exception {
    create("c");

    told(restFixture.call("PUT", "/caches/c/versions/k/1.0", new byte[240 << 10]), 413);
  }

  @Test
  void aQueryIsReadByCodePoints() throws Exception {
    create("c");
    restFixture.call("PUT", "/caches/c/entries/%F0%9F%98%80x", "v".getBytes());

    String answer =
        RawHttp.send(
            restFixture.service.address(),
            "GET /caches/c/entries?prefix=\uD83D\uDE00 HTTP/1.1\r\n"
                + "Host: h\r\n"
                + "Connection: close\r\n\r\n");

    assertThat(answer).startsWith("HTTP/1.1 200").contains("\"base64\":\"dg==\"");
  }

  @Test
  void aKeyOfDotsHasAnAddressOfItsOwn() throws Exception {
    create("c");

    HttpResponse<byte[]> made =
        restFixture.call("POST", "/caches/c/entries/%2E%2E", "v".getBytes());

    assertThat(made.headers().firstValue("Location")).contains("/caches/c/entries/%2E%2E");
  }

  @Test
  void halfASurrogatePairIsNotTakenAndNotInTheWay() throws Exception {
    create("c");
    for (String key : List.of("a", "\ud800", "\ue000")) {
      restFixture.manager.getCache("c").put(key, "v");
    }
    restFixture.manager.getCache("c").put("b", "\ud800");

    JsonNode refused =
        told(
            restFixture.json(
                "POST",
                "/caches/c/bulk/put",
                "{\"entries\": [{\"key\": \"x\", \"value\": \"%s\"}]}".formatted(HALF)),
            400);
    List<String> met = new ArrayList<>();
    told(restFixture.get("/caches/c/entries"), 200)
        .get("entries")
        .forEach(entry -> met.add(entry.get("key").asText()));

    assertThat(refused.get("type").asText()).isEqualTo("/problems/malformed");
    assertThat(met).containsExactlyInAnyOrder("a", "b", "\ue000");
    JsonNode got = told(restFixture.json("POST", "/caches/c/bulk/get", "{\"keys\": [\"b\"]}"), 200);
    assertThat(got.at("/entries/0/contentType").asText()).isEqualTo("text/plain;charset=utf-16be");
    assertThat(got.at("/entries/0/base64").asText()).isEqualTo("2AA=");
  }

  @Test
  void aKeyIsWrittenOnceByARequest() throws Exception {
    create("c");

    JsonNode refused =
        told(
            restFixture.json(
                "POST",
                "/caches/c/bulk/put",
                "{\"entries\": [{\"key\": \"a\", \"value\": \"1\"}, {\"key\": \"a\", \"value\":"
                    + " \"2\"}]}"),
            422);

    assertThat(refused.get("field").asText()).isEqualTo("entries[1].key");
  }

  @Test
  void aCacheThatWasMadeAnewIsFoundByWhoWritesOnly() throws Exception {
    URI other = restFixture.another();
    create("c");
    String entries = "{\"entries\": [{\"key\": \"a\", \"value\": \"1\"}]}";
    told(restFixture.json("POST", "/caches/c/bulk/put", entries), 200);
    restFixture.call(other, "DELETE", "/caches/c", NONE);
    restFixture.call(
        other,
        "POST",
        "/caches",
        "{\"name\": \"c\", \"consistency\": \"MWMR\", \"sites\": [\"oslo\"]}".getBytes(),
        "Content-Type",
        "application/json");

    JsonNode put = told(restFixture.json("POST", "/caches/c/bulk/put", entries), 200);

    assertThat(put.at("/entries/0/outcome").asText()).isEqualTo("applied");
    assertThat(restFixture.call(other, "GET", "/caches/c/entries/a", NONE).body())
        .isEqualTo("1".getBytes());
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "PATCH | /caches/c         | {\"sites\": [\"lyon\", \"lyon\"]}   | 422 | sites",
        "PATCH | /caches/c         | {\"sites\": []}                     | 422 | sites",
        "PATCH | /caches/c         | {\"sites\": [\"lyon\", \"paris\"]}  | 422 | sites[1]",
        "PATCH | /caches/c         | {\"acknowledgement\": \"LOCAL\"}    | 422 | acknowledgement",
        "POST  | /caches/s/promote | {\"site\": \"paris\"}               | 422 | site",
        "POST  | /caches/s/promote | {\"site\": \"lyon\", \"without\": \"x\"} | 422 | without",
        "POST  | /caches           | {\"deadlineMillis\": 0}             | 422 | deadlineMillis",
        "POST  | /caches           | {\"sites\": [\"rome\"]}             | 409 | ",
        "PATCH | /caches/c         | {\"sites\": [\"rome\"]}             | 409 | ",
        "POST  | /caches/c/promote | {\"site\": \"lyon\"}                | 409 | ",
      })
  void theFieldIsTheOneThatIsMeant(
      String method, String path, String json, int status, String field) throws Exception {
    create("c");
    restFixture.json(
        "POST",
        "/caches",
        "{\"name\": \"s\", \"consistency\": \"SWMR\", \"sites\": [\"lyon\", \"oslo\"]}");
    restFixture.call("POST", "/sites/rome/drain", NONE);

    JsonNode problem = told(restFixture.json(method, path, json), status);

    assertThat(problem.path("field").asText("")).isEqualTo(field == null ? "" : field);
  }

  @Test
  void aSitesMechanismIsOfItsCredentials() throws Exception {
    JsonNode problem =
        told(
            restFixture.json(
                "POST",
                "/sites",
                """
                {"endpoints": ["h:1"],
                 "credentials": {"user": "u", "password": {"file": "/p"}, "mechanism": "EXTERNAL"}}
                """),
            422);

    assertThat(problem.get("field").asText()).isEqualTo("credentials.user");
  }

  @Test
  void membersOfProblemsAreWords() throws Exception {
    create("c");

    JsonNode problem = told(restFixture.get("/caches/c/versions/k"), 404);

    assertThat(problem.get("key").asText()).isEqualTo("k");
    problem.fieldNames().forEachRemaining(name -> assertThat(name).matches("[A-Za-z]+"));
  }
}
