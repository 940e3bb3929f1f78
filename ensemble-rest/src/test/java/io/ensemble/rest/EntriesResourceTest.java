package io.ensemble.rest;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.ensemble.codec.TypedContent;
import io.ensemble.site.Bytes;
import java.net.URI;
import java.net.http.HttpResponse;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Entries over REST: values, conditions, and answers when sites are away. */
@Timeout(180)
@Execution(ExecutionMode.CONCURRENT)
class EntriesResourceTest {

  private static final byte[] NONE = {};
  private final RestFixture restFixture = new RestFixture();

  @BeforeEach
  void create() throws Exception {
    for (String mode : List.of("WEAK", "SWMR", "MWMR")) {
      restFixture.json(
          "POST",
          "/caches",
          """
          {"name": "%s", "consistency": "%s", "sites": ["lyon", "oslo", "rome"],
           "deadlineMillis": 20000, "maxValueBytes": 1000}
          """
              .formatted(mode, mode));
    }
  }

  @AfterEach
  void close() throws Exception {
    restFixture.close();
  }

  private int put(String path, String value, String... headers) throws Exception {
    return restFixture.call("PUT", path, value.getBytes(), headers).statusCode();
  }

  @ParameterizedTest
  @ValueSource(strings = {"WEAK", "SWMR", "MWMR"})
  void aValueComesOutAsItWentIn(String mode) throws Exception {
    byte[] all = new byte[256];
    for (int i = 0; i < all.length; i++) {
      all[i] = (byte) i;
    }
    String path = "/caches/" + mode + "/entries/a%2Fb%20%C3%A9";

    restFixture.call("PUT", path, all, "Content-Type", "image/PNG; q=\"x\"");

    HttpResponse<byte[]> got = restFixture.get(path);
    assertThat(got.statusCode()).isEqualTo(200);
    assertThat(got.body()).isEqualTo(all);
    assertThat(got.headers().firstValue("Content-Type")).contains("image/PNG; q=\"x\"");
    assertThat(restFixture.manager.getCache(mode).get("a/b é"))
        .isEqualTo(new TypedContent("image/PNG; q=\"x\"", Bytes.of(all)));
  }

  @Test
  void javaSeesTextAndBytesAsItsOwn() throws Exception {
    put("/caches/MWMR/entries/text", "é", "Content-Type", "text/plain;charset=utf-8");
    put("/caches/MWMR/entries/bytes", "ab", "Content-Type", "application/octet-stream");

    assertThat(restFixture.manager.getCache("MWMR").get("text")).isEqualTo("é");
    assertThat((byte[]) restFixture.manager.getCache("MWMR").get("bytes"))
        .containsExactly('a', 'b');

    restFixture.manager.getCache("MWMR").put("number", 17);
    assertThat(new String(restFixture.get("/caches/MWMR/entries/number").body())).isEqualTo("17");
  }

  @ParameterizedTest
  @ValueSource(strings = {"WEAK", "SWMR", "MWMR"})
  void aConditionIsKeptOrRefused(String mode) throws Exception {
    String path = "/caches/" + mode + "/entries/k";

    assertThat(put(path, "x", "If-Match", "*")).isEqualTo(412);
    HttpResponse<byte[]> first = restFixture.call("POST", path, "1".getBytes());
    assertThat(first.statusCode()).isEqualTo(201);
    String etag = first.headers().firstValue("ETag").orElseThrow();
    assertThat(restFixture.call("POST", path, "2".getBytes()).statusCode()).isEqualTo(412);
    assertThat(restFixture.get(path, "If-None-Match", etag).statusCode()).isEqualTo(304);
    assertThat(restFixture.get(path, "If-Match", etag).statusCode()).isEqualTo(200);
    assertThat(restFixture.get(path, "If-Match", "\"other\"").statusCode()).isEqualTo(412);
    assertThat(put(path, "2", "If-Match", "\"other\"")).isEqualTo(412);
    assertThat(put(path, "2", "If-Match", "\"other\", " + etag)).isEqualTo(204);
    assertThat(put(path, "3", "If-Match", etag)).isEqualTo(412);
    assertThat(restFixture.call("DELETE", path, NONE, "If-Match", etag).statusCode())
        .isEqualTo(412);
    assertThat(new String(restFixture.get(path).body())).isEqualTo("2");
    assertThat(restFixture.call("DELETE", path, NONE).statusCode()).isEqualTo(204);
    assertThat(restFixture.get(path).statusCode()).isEqualTo(404);
  }

  @Test
  void ofManyThatCompareAndSetOneWins() throws Exception {
    URI other = restFixture.another();
    String path = "/caches/MWMR/entries/k";
    String etag =
        restFixture.call("PUT", path, "0".getBytes()).headers().firstValue("ETag").orElseThrow();

    ExecutorService clients = Executors.newFixedThreadPool(8);
    List<Callable<Integer>> calls = new ArrayList<>();
    for (int i = 0; i < 16; i++) {
      byte[] mine = ("mine " + i).getBytes();
      URI service = i % 2 == 0 ? other : restFixture.service.address();
      calls.add(() -> restFixture.call(service, "PUT", path, mine, "If-Match", etag).statusCode());
    }
    List<Integer> ends = new ArrayList<>();
    for (Future<Integer> end : clients.invokeAll(calls)) {
      ends.add(end.get());
    }
    clients.shutdown();

    // On a busy machine, an overtaken write may time out before its outcome is known.
    assertThat(ends).isSubsetOf(204, 412, 504);
    String kept = new String(restFixture.get(path).body());
    for (int i = 0; i < 16; i++) {
      boolean isWinner = kept.equals("mine " + i);
      assertThat(ends.get(i))
          .as("call %d of %s, kept: %s", i, ends, kept)
          .isNotEqualTo(isWinner ? 412 : 204);
    }
    assertThat(kept).startsWith("mine ");
  }

  @Test
  void withTooFewSitesNothingIsDoneAndThatIsSaid() throws Exception {
    hasty("MWMR");
    restFixture.sites.get("oslo").mood = MemorySite.Mood.GONE;
    restFixture.sites.get("rome").mood = MemorySite.Mood.GONE;

    HttpResponse<byte[]> refused = restFixture.get("/caches/hasty/entries/k");

    assertThat(refused.statusCode()).isEqualTo(503);
    assertThat(RestFixture.body(refused).get("type").asText())
        .isEqualTo("/problems/sites-unavailable");
    assertThat(RestFixture.body(refused).get("retrySafe").asBoolean()).isTrue();
    assertThat(RestFixture.body(refused).get("silent").has("rome")).isTrue();
  }

  /** Creates a cache with a short deadline. */
  private void hasty(String mode) throws Exception {
    restFixture.json(
        "POST",
        "/caches",
        """
        {"name": "hasty", "consistency": "%s", "sites": ["lyon", "oslo", "rome"],
         "deadlineMillis": 1500}
        """
            .formatted(mode));
  }

  @Test
  void anUnknownOutcomeIsAProblemOfItsOwn() throws Exception {
    hasty("WEAK");
    put("/caches/hasty/entries/k", "1");
    restFixture.sites.values().forEach(site -> site.mood = MemorySite.Mood.MUTE);

    HttpResponse<byte[]> plain = restFixture.call("PUT", "/caches/hasty/entries/k", "2".getBytes());
    HttpResponse<byte[]> read = restFixture.get("/caches/hasty/entries/k");

    assertThat(plain.statusCode()).isEqualTo(504);
    assertThat(RestFixture.body(plain).get("type").asText()).isEqualTo("/problems/unknown-outcome");
    assertThat(RestFixture.body(plain).get("retrySafe").asBoolean()).isTrue();
    assertThat(read.statusCode()).isEqualTo(503);
  }

  @Test
  void aConditionThatWasPerhapsMetByTheRequestItselfIsNotToBeSentAgain() throws Exception {
    restFixture.json(
        "POST", "/caches", "{\"name\": \"one\", \"sites\": [\"lyon\"], \"deadlineMillis\": 700}");
    for (String key : List.of("a", "b", "c", "d")) {
      await(key + " is there")
          .until(() -> put("/caches/one/entries/" + key, "1"), status -> status == 204);
    }

    for (String[] conditional :
        new String[][] {
          {"PUT", "a", "If-Match", "*"}, {"POST", "new"}, {"DELETE", "b", "If-Match", "*"}
        }) {
      assertThat(retrySafeWhenLost(conditional)).as(conditional[0]).isFalse();
    }
    for (String[] plain : new String[][] {{"PUT", "c"}, {"DELETE", "d"}}) {
      assertThat(retrySafeWhenLost(plain)).as(plain[0]).isTrue();
    }
  }

  /** Repeats a request that was not sent in time; a slow machine then answers 503. */
  private boolean retrySafeWhenLost(String... call) throws Exception {
    HttpResponse<byte[]> unknown =
        await().until(() -> lost(call), answer -> answer.statusCode() != 503);
    assertThat(unknown.statusCode()).isEqualTo(504);
    return RestFixture.body(unknown).get("retrySafe").asBoolean();
  }

  private HttpResponse<byte[]> lost(String... call) throws Exception {
    restFixture.sites.get("lyon").mood = MemorySite.Mood.MUTE_SOON;
    HttpResponse<byte[]> answer =
        restFixture.call(
            call[0],
            "/caches/one/entries/" + call[1],
            call[0].equals("DELETE") ? NONE : "2".getBytes(),
            Arrays.copyOfRange(call, 2, call.length));
    restFixture.sites.get("lyon").mood = MemorySite.Mood.UP;
    return answer;
  }

  @Test
  void whatIsTooLargeOrNoKeyIsRefused() throws Exception {
    byte[] large = new byte[1_001];
    Arrays.fill(large, (byte) 'x');

    assertThat(restFixture.call("PUT", "/caches/MWMR/entries/k", large).statusCode())
        .isEqualTo(413);
    assertThat(restFixture.call("GET", "/caches/MWMR/entries/%ff", NONE).statusCode())
        .isEqualTo(400);
    assertThat(put("/caches/MWMR/entries/" + "k".repeat(5_000), "v")).isEqualTo(422);
    assertThat(put("/caches/MWMR/entries/k?ttl=0", "v")).isEqualTo(422);
    assertThat(put("/caches/nothing/entries/k", "v")).isEqualTo(404);
    assertThat(restFixture.get("/caches/MWMR/entries/k", "X-Long", "x".repeat(20_000)).statusCode())
        .isEqualTo(431);
    String longKey = "k".repeat(5000);
    HttpResponse<byte[]> none =
        restFixture.json("POST", "/caches/MWMR/bulk/get", "{\"keys\": [\"k\", \"\"]}");
    HttpResponse<byte[]> tooLong =
        restFixture.json(
            "POST",
            "/caches/MWMR/bulk/put",
            "{\"entries\": [{\"key\": \"" + longKey + "\", \"value\": \"\"}]}");
    assertThat(none.statusCode()).isEqualTo(422);
    assertThat(RestFixture.body(none).get("field").asText()).isEqualTo("keys[1]");
    assertThat(tooLong.statusCode()).isEqualTo(422);
    assertThat(RestFixture.body(tooLong).get("field").asText()).isEqualTo("entries[0].key");
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "text/plain;charset=utf-8",
        "text/plain; charset=utf-8",
        "text/plain; charset=UTF-8",
        "Text/Plain ; Charset=\"utf-8\""
      })
  void textInUtf8IsAStringInEachNotation(String type) throws Exception {
    put("/caches/MWMR/entries/text", "é", "Content-Type", type);

    assertThat(restFixture.manager.getCache("MWMR").get("text")).isEqualTo("é");
    HttpResponse<byte[]> got = restFixture.get("/caches/MWMR/entries/text");
    assertThat(got.headers().firstValue("Content-Type")).contains("text/plain;charset=utf-8");
    put("/caches/MWMR/entries/other", "é", "Content-Type", "text/plain; charset=utf-16");
    assertThat(restFixture.get("/caches/MWMR/entries/other").headers().firstValue("Content-Type"))
        .contains("text/plain; charset=utf-16");
  }

  @Test
  void aLifespanHasOneLimit() throws Exception {
    String bulk = "{\"entries\": [{\"key\": \"k\", \"value\": \"v\", \"ttlSeconds\": %s}]}";

    assertThat(put("/caches/MWMR/entries/k?ttl=3153600000", "v")).isEqualTo(204);
    assertThat(put("/caches/MWMR/entries/k?ttl=3153600001", "v")).isEqualTo(422);
    assertThat(bulkPut(bulk.formatted("3153600000"))).isEqualTo(200);
    assertThat(bulkPut(bulk.formatted("3153600001"))).isEqualTo(422);
  }

  @ParameterizedTest
  @ValueSource(strings = {"WEAK", "SWMR", "MWMR"})
  void severalAreRemovedAtOnce(String mode) throws Exception {
    for (String key : List.of("a", "b", "c")) {
      put("/caches/" + mode + "/entries/" + key, "v");
    }

    HttpResponse<byte[]> removed =
        restFixture.json(
            "POST",
            "/caches/" + mode + "/bulk/remove",
            "{\"keys\": [\"a\", \"b\", \"none\", \"a\"]}");

    assertThat(RestFixture.body(removed).findValuesAsText("key")).containsExactly("a", "b", "none");
    assertThat(RestFixture.body(removed).findValuesAsText("outcome")).containsOnly("applied");
    assertThat(restFixture.manager.getCache(mode).keySet()).containsExactly("c");
  }

  @ParameterizedTest
  @ValueSource(strings = {"WEAK", "SWMR", "MWMR"})
  void aClearRemovesEachEntry(String mode) throws Exception {
    for (int i = 0; i < 300; i++) {
      restFixture.manager.getCache(mode).put("key-" + i, "v");
    }

    HttpResponse<byte[]> begun = restFixture.call("DELETE", "/caches/" + mode + "/entries", NONE);
    var ended = restFixture.awaitEnd(begun);

    assertThat(ended.get("state").asText()).isEqualTo("done");
    assertThat(ended.get("cache").asText()).isEqualTo(mode);
    assertThat(ended.get("removed").asInt()).isEqualTo(300);
    assertThat(restFixture.manager.getCache(mode).keySet()).isEmpty();
    assertThat(restFixture.call("DELETE", "/caches/nothing/entries", NONE).statusCode())
        .isEqualTo(404);
  }

  @Test
  void aClearKeepsCountersLocksAndVersions() throws Exception {
    restFixture.json("POST", "/caches/MWMR/counters/n/add", "{\"delta\": 5}");
    put("/caches/MWMR/entries/k", "v");

    restFixture.awaitEnd(restFixture.call("DELETE", "/caches/MWMR/entries", NONE));
    HttpResponse<byte[]> removal =
        restFixture.json("POST", "/caches/MWMR/bulk/remove", "{\"keys\": [\"object/counter/n\"]}");

    assertThat(restFixture.get("/caches/MWMR/entries/k").statusCode()).isEqualTo(404);
    assertThat(RestFixture.body(removal).findValuesAsText("outcome")).containsExactly("failed");
    assertThat(RestFixture.body(restFixture.get("/caches/MWMR/counters/n")).get("value").asInt())
        .isEqualTo(5);
  }

  /** The request for the clear was about the cache that was there when it came. */
  @Test
  void aClearLeavesACacheAloneThatIsCreatedAgainUnderTheName() throws Exception {
    URI other = restFixture.another();
    String create = "{\"name\": \"once\", \"sites\": [\"lyon\"], \"consistency\": \"MWMR\"}";
    restFixture.json("POST", "/caches", create);
    put("/caches/once/entries/k", "former");
    MemorySite lyon = restFixture.sites.get("lyon");
    CompletableFuture<Void> goOn = new CompletableFuture<>();
    lyon.scansGoOn = goOn;
    HttpResponse<byte[]> begun = restFixture.call("DELETE", "/caches/once/entries", NONE);
    await().atMost(Duration.ofSeconds(60)).until(() -> lyon.scans.get() > 0);

    assertThat(restFixture.call(other, "DELETE", "/caches/once", NONE).statusCode()).isEqualTo(204);
    restFixture.call(
        other, "POST", "/caches", create.getBytes(), "Content-Type", "application/json");
    restFixture.call(other, "PUT", "/caches/once/entries/k", "present".getBytes());
    goOn.complete(null);
    var ended = restFixture.awaitEnd(begun);

    assertThat(ended.get("state").asText()).isEqualTo("failed");
    assertThat(ended.get("problem").asText()).isEqualTo("/problems/not-found");
    assertThat(restFixture.call(other, "GET", "/caches/once/entries/k", NONE).body())
        .asString()
        .isEqualTo("present");
  }

  @Test
  void aClearThatFailsSaysSo() throws Exception {
    restFixture.manager.getCache("MWMR").put("k", "v");
    restFixture.sites.values().forEach(site -> site.mood = MemorySite.Mood.GONE);

    HttpResponse<byte[]> begun = restFixture.call("DELETE", "/caches/MWMR/entries", NONE);
    var ended = restFixture.awaitEnd(begun);

    assertThat(ended.get("state").asText()).isEqualTo("failed");
    assertThat(ended.get("problem").asText()).isEqualTo("/problems/sites-unavailable");
  }

  private int bulkPut(String entries) throws Exception {
    return restFixture.json("POST", "/caches/MWMR/bulk/put", entries).statusCode();
  }

  @ParameterizedTest
  @ValueSource(strings = {"WEAK", "SWMR", "MWMR"})
  void aListingMeetsEveryKeyOnce(String mode) throws Exception {
    List<String> keys = new ArrayList<>();
    for (int i = 0; i < 25; i++) {
      keys.add("key-%02d".formatted(i));
      put("/caches/" + mode + "/entries/key-%02d".formatted(i), "v" + i);
    }

    var listing = RestFixture.body(restFixture.get("/caches/" + mode + "/entries"));

    List<String> met = new ArrayList<>();
    listing.get("entries").forEach(entry -> met.add(entry.get("key").asText()));
    assertThat(met).containsExactlyInAnyOrderElementsOf(keys);
    assertThat(listing.has("more")).isFalse();
  }

  @Test
  void severalAreWrittenAndReadAtOnce() throws Exception {
    HttpResponse<byte[]> put =
        restFixture.json(
            "POST",
            "/caches/MWMR/bulk/put",
            """
            {"entries": [{"key": "a", "value": "é"}, {"key": "b", "base64": "AAE="}]}
            """);
    HttpResponse<byte[]> got =
        restFixture.json("POST", "/caches/MWMR/bulk/get", "{\"keys\": [\"a\", \"b\", \"c\"]}");

    assertThat(RestFixture.body(put).findValuesAsText("outcome"))
        .containsExactly("applied", "applied");
    assertThat(RestFixture.body(got).get("absent").toString()).isEqualTo("[\"c\"]");
    assertThat(RestFixture.body(got).get("entries").get(0).get("value").asText()).isEqualTo("é");
    assertThat(RestFixture.body(got).get("entries").get(1).get("base64").asText())
        .isEqualTo("AAE=");
    assertThat(
            restFixture.json("POST", "/caches/MWMR/bulk/put", "{\"entries\": [{\"key\": \"a\"}]}"))
        .extracting(HttpResponse::statusCode)
        .isEqualTo(422);
  }

  @Test
  void aCacheThatWasDeletedElsewhereIsNoMoreThere() throws Exception {
    URI other = restFixture.another();
    put("/caches/MWMR/entries/k", "v");

    assertThat(restFixture.call(other, "DELETE", "/caches/MWMR", NONE).statusCode()).isEqualTo(204);

    assertThat(restFixture.get("/caches/MWMR/entries/k").statusCode()).isEqualTo(404);
  }
}
