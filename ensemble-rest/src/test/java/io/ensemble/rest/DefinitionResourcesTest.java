package io.ensemble.rest;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import com.fasterxml.jackson.databind.JsonNode;
import java.io.ByteArrayInputStream;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.time.Duration;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Sites, caches and operations over REST, and requests that make no sense. */
@Timeout(180)
@Execution(ExecutionMode.CONCURRENT)
class DefinitionResourcesTest {

  private static final byte[] NONE = {};
  private final RestFixture restFixture = new RestFixture();

  @AfterEach
  void close() throws Exception {
    restFixture.close();
  }

  @Test
  void cachesAreListedInPagesByName() throws Exception {
    for (String name : new String[] {"c", "a", "e", "b ö", "d"}) {
      restFixture.json("POST", "/caches", "{\"name\": \"%s\"}".formatted(name));
    }

    JsonNode whole = RestFixture.body(restFixture.get("/caches"));
    HttpResponse<byte[]> first = restFixture.get("/caches?limit=2");
    String next = first.headers().firstValue("Link").orElseThrow();
    restFixture.call("DELETE", "/caches/b%20%C3%B6", NONE);
    String address = next.substring(1, next.indexOf('>')).replace("limit=2", "limit=3");
    HttpResponse<byte[]> second = restFixture.call(restFixture.another(), "GET", address, NONE);

    assertThat(whole.findValuesAsText("name")).containsExactly("a", "b ö", "c", "d", "e");
    assertThat(whole.has("cursor")).isFalse();
    assertThat(RestFixture.body(first).findValuesAsText("name")).containsExactly("a", "b ö");
    assertThat(RestFixture.body(first).get("cursor").asText()).isEqualTo("b ö");
    assertThat(next).endsWith("; rel=\"next\"");
    assertThat(RestFixture.body(second).findValuesAsText("name")).containsExactly("c", "d", "e");
    assertThat(RestFixture.body(second).has("cursor")).isFalse();
    assertThat(second.headers().firstValue("Link")).isEmpty();
    assertThat(restFixture.get("/caches?limit=0").statusCode()).isEqualTo(422);
    assertThat(restFixture.get("/caches?limit=1001").statusCode()).isEqualTo(422);
  }

  @Test
  void eachPathHasItsRouteBelowTheVersion() throws Exception {
    HttpResponse<byte[]> created = restFixture.json("POST", "/v1/caches", "{\"name\": \"v1\"}");
    restFixture.call("PUT", "/v1/caches/v1/entries/k", "v".getBytes());

    assertThat(created.statusCode()).isEqualTo(201);
    assertThat(created.headers().firstValue("Location")).contains("/caches/v1");
    assertThat(restFixture.get("/caches/v1/entries/k").body()).asString().isEqualTo("v");
    assertThat(restFixture.get("/v1/caches/v1/entries/k").body()).asString().isEqualTo("v");
    assertThat(restFixture.get("/v1/openapi.json").body())
        .isEqualTo(restFixture.get("/openapi.json").body());
    for (String path : new String[] {"/v1", "/v2/caches", "/v1/v1/caches", "/v1caches"}) {
      assertThat(restFixture.get(path).statusCode()).as(path).isEqualTo(404);
    }
  }

  @Test
  void theAppendixsDefaultsAreKept() throws Exception {
    HttpResponse<byte[]> created = restFixture.json("POST", "/caches", "{}");

    JsonNode cache = RestFixture.body(created);
    assertThat(created.statusCode()).isEqualTo(201);
    assertThat(cache.get("name").asText()).startsWith("cache-");
    assertThat(cache.get("replication").asInt()).isEqualTo(1);
    assertThat(cache.get("consistency").asText()).isEqualTo("WEAK");
    assertThat(cache.get("sites")).hasSize(1);
    assertThat(created.headers().firstValue("Location"))
        .contains("/caches/" + cache.get("name").asText());
  }

  @Test
  void aSiteIsNamedByItsFirstEndpointAndRegisteredOnce() throws Exception {
    String site = "{\"endpoints\": [\"hotrod://127.0.0.1:9\"]}";

    assertThat(restFixture.json("POST", "/sites", site).statusCode()).isEqualTo(201);
    assertThat(restFixture.json("POST", "/sites", site).statusCode()).isEqualTo(200);
    assertThat(
            restFixture
                .json("POST", "/sites", "{\"name\": \"127.0.0.1-9\", \"endpoints\": [\"h:1\"]}")
                .statusCode())
        .isEqualTo(409);
    JsonNode shown = RestFixture.body(restFixture.get("/sites/127.0.0.1-9"));
    assertThat(shown.get("endpoints").get(0).asText()).isEqualTo("127.0.0.1:9");
    assertThat(restFixture.call("DELETE", "/sites/127.0.0.1-9", NONE).statusCode()).isEqualTo(204);
    assertThat(restFixture.get("/sites/127.0.0.1-9").statusCode()).isEqualTo(404);
  }

  @Test
  void aRepeatedCreationIsTheSameWhicheverProcessGetsIt() throws Exception {
    URI other = restFixture.another();
    String[] headers = {"Content-Type", "application/json", "Idempotency-Key", "k-17"};

    HttpResponse<byte[]> first = restFixture.call("POST", "/caches", "{}".getBytes(), headers);
    HttpResponse<byte[]> again =
        restFixture.call(other, "POST", "/caches", "{}".getBytes(), headers);

    assertThat(again.statusCode()).isEqualTo(first.statusCode()).isEqualTo(201);
    assertThat(RestFixture.body(again)).isEqualTo(RestFixture.body(first));
    assertThat(restFixture.manager.getCacheNames()).hasSize(1);
  }

  @Test
  void aCacheThatIsThereOtherwiseIsInTheWay() throws Exception {
    restFixture.json("POST", "/caches", "{\"name\": \"c\", \"sites\": [\"lyon\"]}");

    HttpResponse<byte[]> same =
        restFixture.json("POST", "/caches", "{\"name\": \"c\", \"sites\": [\"lyon\"]}");
    HttpResponse<byte[]> other =
        restFixture.json(
            "POST",
            "/caches",
            "{\"name\": \"c\", \"sites\": [\"lyon\"], \"consistency\": \"MWMR\"}");

    assertThat(same.statusCode()).isEqualTo(200);
    assertThat(other.statusCode()).isEqualTo(409);
    assertThat(RestFixture.body(other).get("type").asText())
        .isEqualTo("/problems/exists-with-other-settings");
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "/caches | {\"nme\": \"c\"}                                         | 422 | nme",
        "/caches | {\"name\": 7}                                            | 422 | name",
        "/caches | {\"name\": \"c\", \"replication\": 0}                    | 422 | replication",
        "/caches | {\"name\": \"c\", \"replication\": 1.5}                  | 422 | replication",
        "/caches | {\"name\": \"c\", \"consistency\": \"STRONG\"}           | 422 | consistency",
        "/caches | {\"name\": \"c\", \"sites\": [\"lyon\", \"nowhere\"]}    | 422 | sites[1]",
        "/caches | {\"name\": \"c\", \"sites\": \"lyon\"}                   | 422 | sites",
        "/caches | {\"name\": \"c\", \"sites\": [\"lyon\"], \"replication\": 2} | 422 |"
            + " replication",
        "/caches | {\"name\": \"c\", \"caches\": [\"x\"]}                   | 422 | caches[0]",
        "/caches | {\"name\": \"c\", \"sites\": [\"lyon\"], \"shards\": 0}    | 422 | shards",
        "/caches | {\"name\": \"c\", \"sites\": [\"lyon\"], \"shards\": 257}  | 422 | shards",
        "/caches | {\"name\": \"c\", \"shards\": 2}                         | 422 | shards",
        "/caches | {\"name\": \"c\", \"caches\": [\"x\"], \"shards\": 2}    | 422 | shards",
        "/caches | {\"name\": \"c\", \"partitioner\": {\"name\": \"modulo\"}} | 422 | partitioner",
        "/caches | {\"caches\": [\"x\"], \"partitioner\": {\"url\": \"java.lang.Runtime\"}} | 422 |"
            + " partitioner.url",
        "/caches | {\"name\": \"c\", \"name\": \"d\"}                       | 400 | ",
        "/caches | [1]                                                      | 422 | (body)",
        "/caches | {\"name\": \"c\"} x                                      | 400 | ",
        "/caches | {\"name\": \"c\\u0000\"}                              | 422 | name",
        "/caches | {\"consistency\": \"MWMR\", \"siblings\": 2}         | 422 | siblings",
        "/caches | {\"consistency\": \"MWMR\", \"acknowledgement\": \"LOCAL\"} | 422 |"
            + " acknowledgement",
        "/caches | {\"ban\": [\"nowhere\"]}                           | 422 | ban[0]",
        "/caches | {\"ban\": [\"rome\"], \"prefer\": [\"lyon\", \"nowhere\"]} | 422 | prefer[1]",
        "/caches | {\"ban\": [\"lyon\"], \"prefer\": [\"lyon\"]}     | 422 | prefer",
        "/caches | {\"ban\": [\"\\u0007\"]}                          | 422 | ban",
        "/caches | {\"prefer\": [\"\"]}                               | 422 | prefer",
        "/caches | {\"require\": {\"a=b\": \"x\"}}                    | 422 | require",
        "/caches | {\"require\": {\"zone\": \"\"}}                    | 422 | require",
        "/caches | {\"spreadBy\": \"\"}                               | 422 | spreadBy",
        "/caches | {\"near\": [\"none\"]}                             | 422 | near[0]",
        "/caches | {\"name\": \"c\", \"near\": [\"c\"]}               | 422 | near",
        "/caches | {\"near\": [\"\\u0007\"]}                         | 422 | near",
        "/sites  | {}                                                       | 422 | endpoints",
        "/sites  | {\"endpoints\": [\"nowhere\"]}                           | 422 | endpoints[0]",
        "/sites  | {\"endpoints\": [\"h:1\", \"h:1\"]}                      | 422 | endpoints[1]",
        "/sites  | {\"endpoints\": [\"h:1\"], \"labels\": {\"A b\": \"x\"}} | 422 | labels",
        "/sites  | {\"endpoints\": [\"h:1\"], \"credentials\": {\"mechanism\": \"EXTERNAL\"}} | 422"
            + " | tls.keyStore",
      })
  void whatCannotBeMeantIsToldByItsFieldAndNothingIsMade(
      String path, String json, int status, String field) throws Exception {
    HttpResponse<byte[]> refused = restFixture.json("POST", path, json);

    JsonNode problem = RestFixture.body(refused);
    assertThat(refused.statusCode()).as(problem.toString()).isEqualTo(status);
    assertThat(refused.headers().firstValue("Content-Type")).contains("application/problem+json");
    assertThat(problem.path("field").asText("")).isEqualTo(field == null ? "" : field);
    assertThat(restFixture.manager.getCacheNames()).isEmpty();
    assertThat(restFixture.manager.membership().entries()).hasSize(3);
  }

  @Test
  void aWrongTypeOfBodyAndAWrongMethodAreTold() throws Exception {
    HttpResponse<byte[]> text =
        restFixture.call("POST", "/caches", "{}".getBytes(), "Content-Type", "text/plain");
    assertThat(text.statusCode()).isEqualTo(415);
    assertThat(RestFixture.body(text).path("expected").asText()).isEqualTo("application/json");
    assertThat(RestFixture.body(text).path("got").asText()).isEqualTo("text/plain");
    HttpResponse<byte[]> wrong = restFixture.call("PATCH", "/sites", NONE);
    assertThat(wrong.statusCode()).isEqualTo(405);
    assertThat(wrong.headers().firstValue("Allow")).contains("GET, HEAD, POST");
    HttpResponse<byte[]> word = restFixture.call("PUT", "/caches/c/versions/k/compact", NONE);
    assertThat(word.statusCode()).as("it is no version").isEqualTo(405);
    assertThat(word.headers().firstValue("Allow")).contains("POST");
    HttpResponse<byte[]> large = restFixture.json("POST", "/caches", " ".repeat(2 << 20));
    assertThat(large.statusCode()).isEqualTo(413);
    assertThat(RestFixture.body(large).path("expected").asText())
        .isEqualTo("a body of at most %d bytes".formatted(RestLimits.DEFAULT.jsonBytes()));
    assertThat(RestFixture.body(large).path("got").asText()).isEqualTo("2097152 bytes");
  }

  @Test
  void aBodyWithoutALengthIsBoundedToo() throws Exception {
    byte[] large = new byte[2 << 20];
    var request =
        HttpRequest.newBuilder(URI.create(restFixture.service.address() + "/caches"))
            .header("Content-Type", "application/json")
            .POST(BodyPublishers.ofInputStream(() -> new ByteArrayInputStream(large)))
            .build();

    var answer =
        HttpClient.newBuilder()
            .version(HttpClient.Version.HTTP_1_1)
            .build()
            .send(request, BodyHandlers.ofByteArray());

    assertThat(answer.statusCode()).isEqualTo(413);
    assertThat(RestFixture.body(answer).path("got").asText()).isEqualTo("more");
  }

  @Test
  void whatACacheWasWishedNearMayBeGoneWhenItsCreationIsRepeated() throws Exception {
    String near = "{\"name\": \"c\", \"near\": [\"other\"]}";
    restFixture.json("POST", "/caches", "{\"name\": \"other\", \"sites\": [\"oslo\"]}");
    HttpResponse<byte[]> first = restFixture.json("POST", "/caches", near);
    restFixture.call("DELETE", "/caches/other", NONE);

    HttpResponse<byte[]> again = restFixture.json("POST", "/caches", near);

    assertThat(first.statusCode()).isEqualTo(201);
    assertThat(RestFixture.body(first).at("/sites/0").asText()).isEqualTo("oslo");
    assertThat(again.statusCode()).isEqualTo(200);
  }

  @Test
  void nothingIsNearADistributedCacheForThatIsWhereItsPartsAre() throws Exception {
    restFixture.json("POST", "/caches", "{\"name\": \"a\", \"sites\": [\"oslo\"]}");
    restFixture.json("POST", "/caches", "{\"name\": \"d\", \"caches\": [\"a\"]}");

    HttpResponse<byte[]> refused =
        restFixture.json("POST", "/caches", "{\"name\": \"c\", \"near\": [\"a\", \"d\"]}");

    assertThat(refused.statusCode()).isEqualTo(422);
    assertThat(RestFixture.body(refused).get("field").asText()).isEqualTo("near[1]");
  }

  @Test
  void aDistributedCacheDealsKeysOutAndNamesItsPartitioner() throws Exception {
    restFixture.json("POST", "/caches", "{\"name\": \"a\", \"sites\": [\"lyon\"]}");
    restFixture.json("POST", "/caches", "{\"name\": \"b\", \"sites\": [\"oslo\"]}");

    HttpResponse<byte[]> created =
        restFixture.json(
            "POST",
            "/caches",
            """
            {"name": "d", "caches": ["a", "b"],
             "partitioner": {"name": "uniform", "parameters": {"pattern": "(.).*"}}}
            """);
    restFixture.call("PUT", "/caches/d/entries/k", "v".getBytes());

    assertThat(created.statusCode()).isEqualTo(201);
    assertThat(RestFixture.body(created).get("caches")).hasSize(2);
    assertThat(new String(restFixture.get("/caches/d/entries/k").body())).isEqualTo("v");
    assertThat(restFixture.call("DELETE", "/caches/a", NONE).statusCode()).isEqualTo(409);
    assertThat(RestFixture.body(restFixture.get("/caches/d/explain/k")).get("sites")).hasSize(1);
  }

  @Test
  void aCacheWithShardsIsCreatedAndDeletedWithThem() throws Exception {
    String wanted = "{\"name\": \"c\", \"sites\": [\"lyon\", \"oslo\"], \"shards\": 2}";
    HttpResponse<byte[]> created = restFixture.json("POST", "/caches", wanted);
    restFixture.call("PUT", "/caches/c/entries/k", "v".getBytes());

    assertThat(created.statusCode()).isEqualTo(201);
    assertThat(created.headers().firstValue("Location")).contains("/caches/c");
    assertThat(RestFixture.body(created).get("caches")).hasSize(2);
    String shard = RestFixture.body(created).get("caches").get(1).asText();
    assertThat(restFixture.json("POST", "/caches", wanted).statusCode()).isEqualTo(200);
    assertThat(restFixture.json("POST", "/caches", wanted.replace("2}", "3}")).statusCode())
        .isEqualTo(409);
    assertThat(RestFixture.body(restFixture.get("/caches/" + shard)).get("sites")).hasSize(2);
    assertThat(new String(restFixture.get("/caches/c/entries/k").body())).isEqualTo("v");
    assertThat(restFixture.call("DELETE", "/caches/" + shard, NONE).statusCode()).isEqualTo(409);
    assertThat(restFixture.call("DELETE", "/caches/c", NONE).statusCode()).isEqualTo(204);
    assertThat(restFixture.manager.getCacheNames()).isEmpty();
  }

  @Test
  void aNumberIsWholeHoweverItIsWritten() throws Exception {
    HttpResponse<byte[]> made =
        restFixture.json("POST", "/caches", "{\"name\": \"c\", \"replication\": 2.0}");

    assertThat(made.statusCode()).isEqualTo(201);
    assertThat(RestFixture.body(made).get("replication").asInt()).isEqualTo(2);
  }

  @Test
  void whatAChangeCannotMeanIsToldByItsField() throws Exception {
    restFixture.json("POST", "/caches", "{\"name\": \"c\", \"consistency\": \"MWMR\"}");

    HttpResponse<byte[]> name =
        restFixture.json("PATCH", "/caches/c", "{\"sites\": [\"\\u0007\"]}");
    HttpResponse<byte[]> local =
        restFixture.json("PATCH", "/caches/c", "{\"acknowledgement\": \"LOCAL\"}");

    assertThat(name.statusCode()).isEqualTo(422);
    assertThat(RestFixture.body(name).get("field").asText()).isEqualTo("sites");
    assertThat(RestFixture.body(local).get("field").asText()).isEqualTo("acknowledgement");
  }

  @Test
  void aChangeIsAnOperationThatEveryProcessCanTellOf() throws Exception {
    URI other = restFixture.another();
    restFixture.json(
        "POST", "/caches", "{\"name\": \"c\", \"consistency\": \"MWMR\", \"sites\": [\"lyon\"]}");
    restFixture.call("PUT", "/caches/c/entries/k", "v".getBytes());

    HttpResponse<byte[]> begun =
        restFixture.json("PATCH", "/caches/c", "{\"sites\": [\"lyon\", \"oslo\", \"rome\"]}");

    assertThat(begun.statusCode()).isEqualTo(202);
    String operation = begun.headers().firstValue("Location").orElseThrow();
    assertThat(end(other, operation).get("state").asText()).isEqualTo("done");
    assertThat(RestFixture.body(restFixture.get("/caches/c")).get("replication").asInt())
        .isEqualTo(3);
    assertThat(new String(restFixture.get("/caches/c/entries/k").body())).isEqualTo("v");
    assertThat(restFixture.json("POST", operation + "/cancel", "{}").statusCode()).isIn(409, 413);
  }

  @Test
  void aSiteIsDrainedAndRemoved() throws Exception {
    restFixture.json(
        "POST", "/caches", "{\"name\": \"c\", \"consistency\": \"MWMR\", \"sites\": [\"lyon\"]}");
    assertThat(restFixture.call("DELETE", "/sites/lyon", NONE).statusCode()).isEqualTo(409);

    HttpResponse<byte[]> begun = restFixture.call("POST", "/sites/lyon/drain", NONE);

    assertThat(begun.statusCode()).isEqualTo(202);
    String operation = begun.headers().firstValue("Location").orElseThrow();
    assertThat(end(restFixture.service.address(), operation).get("state").asText())
        .isEqualTo("done");
    assertThat(restFixture.call("DELETE", "/sites/lyon", NONE).statusCode()).isEqualTo(204);
  }

  private JsonNode end(URI service, String operation) throws Exception {
    return await("the end of " + operation)
        .pollDelay(Duration.ZERO)
        .pollInterval(20, TimeUnit.MILLISECONDS)
        .atMost(60, TimeUnit.SECONDS)
        .until(
            () -> RestFixture.body(restFixture.call(service, "GET", operation, NONE)),
            seen -> !seen.get("state").asText().equals("running"));
  }
}
