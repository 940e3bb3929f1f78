package io.ensemble.rest;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.ensemble.DistributedEnsembleCache;
import io.ensemble.site.Bytes;
import java.io.IOException;
import java.net.Socket;
import java.net.URI;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;

/** Counters and locks through two services, with replies that are lost between. */
@Timeout(180)
@Execution(ExecutionMode.CONCURRENT)
class CountersAndLocksTest {

  private static final String COUNTER = "/caches/c/counters/n";
  private static final String LOCK = "/caches/c/locks/l";
  private static final byte[] NONE = {};

  private final RestFixture restFixture = new RestFixture();

  @BeforeEach
  void create() throws Exception {
    restFixture.json(
        "POST",
        "/caches",
        "{\"name\": \"c\", \"consistency\": \"MWMR\", \"replication\": 3, \"deadlineMillis\":"
            + " 3000}");
  }

  @AfterEach
  void close() throws Exception {
    restFixture.close();
  }

  private HttpResponse<byte[]> add(URI service, String key) throws Exception {
    return restFixture.call(
        service,
        "POST",
        COUNTER + "/add",
        "{\"delta\": 5}".getBytes(),
        "Content-Type",
        "application/json",
        "Idempotency-Key",
        key);
  }

  private static long value(HttpResponse<byte[]> answer) {
    assertThat(answer.statusCode()).as(new String(answer.body())).isEqualTo(200);
    return RestFixture.body(answer).get("value").asLong();
  }

  /** Sends a request whole, and cuts the connection before it is answered. */
  private static void lost(URI service, String path, String key, String json) throws IOException {
    try (Socket socket = new Socket(service.getHost(), service.getPort())) {
      byte[] body = json.getBytes(StandardCharsets.UTF_8);
      String head =
          "POST %s HTTP/1.1\r\nHost: h\r\nContent-Type: application/json\r\nIdempotency-Key: %s\r\nContent-Length: %d\r\n\r\n"
              .formatted(path, key, body.length);
      socket.getOutputStream().write(head.getBytes(StandardCharsets.US_ASCII));
      socket.getOutputStream().write(body);
      socket.getOutputStream().flush();
    }
  }

  /** Each failure looks whether the cache was deleted, but not each with a read of its own. */
  @Test
  void failuresDuringAnOutageShareOneReadOfTheCache() throws Exception {
    value(add(restFixture.service.address(), "k"));
    MemorySite lyon = restFixture.sites.get("lyon");
    lyon.readsByKey.clear();
    restFixture.manager.getCache("c").get("");
    Bytes checkedKey = lyon.readsByKey.keySet().iterator().next();
    restFixture.sites.values().forEach(site -> site.mood = MemorySite.Mood.MUTE);
    lyon.readsByKey.clear();

    List<CompletableFuture<HttpResponse<byte[]>>> failures = new ArrayList<>();
    for (int i = 0; i < 40; i++) {
      failures.add(restFixture.later(restFixture.service.address(), "GET", COUNTER));
    }
    for (CompletableFuture<HttpResponse<byte[]>> failure : failures) {
      assertThat(failure.join().statusCode()).isEqualTo(503);
    }
    await().atMost(Duration.ofSeconds(60)).until(() -> lyon.readsByKey.containsKey(checkedKey));

    assertThat(lyon.readsByKey.get(checkedKey).get()).isLessThan(20);
  }

  @Test
  void whoWritesEntriesForgesNoCounterNorLock() throws Exception {
    long before = value(add(restFixture.service.address(), "k"));
    String object = "/caches/c/entries/object%2Fcounter%2Fn";

    for (String key : new String[] {"object%2Fx", "mailbox%2Fx", "snapshot%2Fx"}) {
      String entry = "/caches/c/entries/" + key;
      assertThat(restFixture.call("PUT", entry, "v".getBytes()).statusCode()).isEqualTo(422);
      assertThat(restFixture.call("POST", entry, "v".getBytes()).statusCode()).isEqualTo(422);
      assertThat(restFixture.call("DELETE", entry, NONE).statusCode()).isEqualTo(422);
    }
    assertThat(restFixture.call("DELETE", object, NONE).statusCode()).isEqualTo(422);
    HttpResponse<byte[]> bulk =
        restFixture.json(
            "POST",
            "/caches/c/bulk/put",
            "{\"entries\": [{\"key\": \"object/x\", \"value\": \"v\"}]}");

    assertThat(RestFixture.body(bulk).at("/entries/0/outcome").asText()).isEqualTo("failed");
    restFixture.json("POST", "/caches", "{\"name\": \"whole\", \"caches\": [\"c\"]}");
    assertThat(
            restFixture
                .call("PUT", "/caches/whole/entries/object%2Fx", "v".getBytes())
                .statusCode())
        .isEqualTo(422);
    assertThat(value(restFixture.get(COUNTER))).isEqualTo(before);
    restFixture.json("POST", "/caches", "{\"name\": \"w\", \"sites\": [\"lyon\"]}");
    assertThat(restFixture.call("PUT", "/caches/w/entries/object%2Fx", "v".getBytes()).statusCode())
        .isEqualTo(204); // In WEAK there are no objects.
    restFixture.json("POST", "/caches", "{\"name\": \"mixed\", \"caches\": [\"c\", \"w\"]}");
    DistributedEnsembleCache<Object, Object> mixed =
        (DistributedEnsembleCache<Object, Object>)
            restFixture.manager.<Object, Object>getCache("mixed");
    for (int i = 0; i < 16; i++) {
      boolean isOfObjects = mixed.locate("object/" + i).getName().equals("c");
      assertThat(
              restFixture
                  .call("PUT", "/caches/mixed/entries/object%2F" + i, "v".getBytes())
                  .statusCode())
          .isEqualTo(isOfObjects ? 422 : 204);
    }
  }

  @Test
  void aCounterIsOneForAllServices() throws Exception {
    URI other = restFixture.another();

    assertThat(restFixture.get(COUNTER).statusCode()).isEqualTo(404);
    assertThat(value(restFixture.json("POST", COUNTER + "/add", "{}"))).isEqualTo(1);
    assertThat(value(restFixture.call(other, "GET", COUNTER, NONE))).isEqualTo(1);
    HttpResponse<byte[]> set =
        restFixture.json("POST", COUNTER + "/compare-and-set", "{\"expected\": 1, \"next\": 7}");
    assertThat(RestFixture.body(set).get("set").asBoolean()).isTrue();
    HttpResponse<byte[]> not =
        restFixture.json("POST", COUNTER + "/compare-and-set", "{\"expected\": 1, \"next\": 9}");
    assertThat(RestFixture.body(not).get("set").asBoolean()).isFalse();
    assertThat(value(not)).isEqualTo(7);
    assertThat(restFixture.call("DELETE", COUNTER, NONE).statusCode()).isEqualTo(204);
    assertThat(restFixture.call("DELETE", COUNTER, NONE).statusCode()).isEqualTo(404);
  }

  /** Other deletions and reads of the same counter are still under way after each deletion. */
  @Test
  void aDeletedCounterIsCreatedAgainByNoReadAndNoOtherDeletion() throws Exception {
    List<URI> services = List.of(restFixture.service.address(), restFixture.another());
    for (int round = 0; round < 100; round++) {
      value(restFixture.json("POST", COUNTER + "/add", "{}"));
      List<CompletableFuture<HttpResponse<byte[]>>> others = new ArrayList<>();
      for (int i = 0; i < 4; i++) {
        String method = i < 2 ? "DELETE" : "GET";
        others.add(restFixture.later(services.get(i % 2), method, COUNTER));
      }

      assertThat(restFixture.call("DELETE", COUNTER, NONE).statusCode()).isIn(204, 404);
      assertThat(restFixture.get(COUNTER).statusCode()).as("round %d", round).isEqualTo(404);
      for (CompletableFuture<HttpResponse<byte[]>> other : others) {
        assertThat(other.join().statusCode()).isIn(200, 204, 404);
      }
      assertThat(restFixture.get(COUNTER).statusCode()).as("round %d", round).isEqualTo(404);
    }
  }

  @Test
  void aReadCreatesNoLock() throws Exception {
    assertThat(restFixture.get(LOCK).statusCode()).isEqualTo(404);
    assertThat(restFixture.get(LOCK).statusCode()).isEqualTo(404);
    token(lock(restFixture.another(), "/acquire", "{\"holder\": \"a\"}"));
    assertThat(RestFixture.body(restFixture.get(LOCK)).get("held").asBoolean()).isTrue();
  }

  @Test
  void whatWasAddedOnceIsNotAddedAgainByARetryWhereverItGoes() throws Exception {
    URI other = restFixture.another();
    for (int i = 0; i < 10; i++) {
      lost(restFixture.service.address(), COUNTER + "/add", "key-" + i, "{\"delta\": 5}");
      value(add(other, "key-" + i));
      value(add(restFixture.service.address(), "key-" + i));
    }

    assertThat(value(restFixture.get(COUNTER))).isEqualTo(50);
  }

  @Test
  void aRetryGetsTheSameAnswerAndAnotherRequestDoesNotGetTheKey() throws Exception {
    long first = value(add(restFixture.service.address(), "key"));
    restFixture.json("POST", COUNTER + "/add", "{\"delta\": 100}");

    assertThat(value(add(restFixture.another(), "key"))).isEqualTo(first);
    HttpResponse<byte[]> misused =
        restFixture.json("POST", COUNTER + "/add", "{\"delta\": 6}", "Idempotency-Key", "key");
    assertThat(misused.statusCode()).isEqualTo(422);
    assertThat(RestFixture.body(misused).get("type").asText())
        .isEqualTo("/problems/idempotency-key-reused");
    assertThat(value(restFixture.get(COUNTER))).isEqualTo(105);
  }

  @Test
  void anUnknownOutcomeMayBeRepeatedWithItsKey() throws Exception {
    URI other = restFixture.another();
    value(add(other, "before"));
    value(add(restFixture.service.address(), "before"));
    restFixture.sites.values().forEach(site -> site.mood = MemorySite.Mood.MUTE);

    HttpResponse<byte[]> lost = add(restFixture.service.address(), "key");

    assertThat(lost.statusCode()).isIn(503, 504);
    assertThat(RestFixture.body(lost).get("retrySafe").asBoolean()).isTrue();
    restFixture.sites.values().forEach(site -> site.mood = MemorySite.Mood.UP);
    HttpResponse<byte[]> again = add(other, "key");
    for (int i = 0; i < 50 && again.statusCode() != 200; i++) {
      again = add(other, "key");
    }
    assertThat(value(again)).isEqualTo(10);
    assertThat(value(restFixture.call(other, "GET", COUNTER, NONE))).isEqualTo(10);
  }

  @Test
  void whatWouldBeDoneTwiceIsNotSaidToBeSafe() throws Exception {
    for (String site : List.of("lyon", "oslo")) {
      restFixture.json(
          "POST",
          "/caches",
          "{\"name\": \"%s\", \"consistency\": \"MWMR\", \"sites\": [\"%s\"], \"deadlineMillis\": 2000}"
              .formatted(site, site));
      value(restFixture.json("POST", "/caches/" + site + "/counters/n/add", "{}"));
    }

    for (String[] call :
        new String[][] {
          {"/add", "{\"delta\": 1}"}, {"/compare-and-set", "{\"expected\": 1, \"next\": 1}"}
        }) {
      CompletableFuture<Boolean> plain = retrySafeWhenLost("lyon", call[0], call[1]);
      CompletableFuture<Boolean> named =
          retrySafeWhenLost("oslo", call[0], call[1], "Idempotency-Key", call[0]);
      assertThat(plain.get()).as(call[0]).isFalse();
      assertThat(named.get()).as(call[0]).isTrue();
    }
  }

  private CompletableFuture<Boolean> retrySafeWhenLost(
      String site, String what, String json, String... headers) {
    String path = "/caches/" + site + "/counters/n" + what;
    return CompletableFuture.supplyAsync(
        () -> {
          try {
            restFixture.sites.get(site).mood = MemorySite.Mood.MUTE_SOON;
            HttpResponse<byte[]> unknown = restFixture.json("POST", path, json, headers);
            restFixture.sites.get(site).mood = MemorySite.Mood.UP;
            assertThat(unknown.statusCode()).as(new String(unknown.body())).isEqualTo(504);
            return RestFixture.body(unknown).get("retrySafe").asBoolean();
          } catch (Exception e) {
            throw new IllegalStateException(e);
          }
        });
  }

  @Test
  void aKeyIsRefusedWhereNobodyCouldKeepItsPromise() throws Exception {
    String entry = "/caches/c/entries/k";
    String[] key = {"Idempotency-Key", "key"};
    String bulk = "{\"entries\": [{\"key\": \"k\", \"value\": \"v\"}]}";

    for (HttpResponse<byte[]> refused :
        List.of(
            restFixture.call("PUT", entry, "v".getBytes(), key),
            restFixture.call("POST", entry, "v".getBytes(), key),
            restFixture.call("DELETE", entry, NONE, key),
            restFixture.json("POST", "/caches/c/bulk/put", bulk, key))) {
      assertThat(refused.statusCode()).isEqualTo(422);
      assertThat(RestFixture.body(refused).get("type").asText())
          .isEqualTo("/problems/idempotency-unsupported");
    }
    assertThat(restFixture.get("/caches/c/entries/k").statusCode()).isEqualTo(404);
  }

  @Test
  void objectsNeedACacheInWhichAStepIsOne() throws Exception {
    restFixture.json("POST", "/caches", "{\"name\": \"weak\"}");

    HttpResponse<byte[]> refused = restFixture.json("POST", "/caches/weak/counters/n/add", "{}");

    assertThat(refused.statusCode()).isEqualTo(409);
  }

  private HttpResponse<byte[]> lock(URI service, String what, String json) throws Exception {
    return restFixture.call(
        service, "POST", LOCK + what, json.getBytes(), "Content-Type", "application/json");
  }

  private static long token(HttpResponse<byte[]> answer) {
    assertThat(answer.statusCode()).as(new String(answer.body())).isEqualTo(200);
    return RestFixture.body(answer).get("token").asLong();
  }

  @Test
  void aLockIsKeptThroughAnyServiceByWhoeverHasTheName() throws Exception {
    URI here = restFixture.service.address();
    URI other = restFixture.another();
    lost(here, LOCK + "/acquire", "", "{\"holder\": \"a\"}");

    long token = token(lock(other, "/acquire", "{\"holder\": \"a\", \"waitMillis\": 5000}"));

    assertThat(token(lock(here, "/acquire", "{\"holder\": \"a\"}"))).isEqualTo(token);
    assertThat(token(lock(other, "/renew", "{\"holder\": \"a\"}"))).isEqualTo(token);
    assertThat(lock(here, "/acquire", "{\"holder\": \"b\"}").statusCode()).isEqualTo(409);
    assertThat(lock(here, "/renew", "{\"holder\": \"b\"}").statusCode()).isEqualTo(409);
    assertThat(RestFixture.body(restFixture.get(LOCK)).get("held").asBoolean()).isTrue();
    assertThat(RestFixture.body(lock(other, "/release", "{\"holder\": \"a\"}")).get("released"))
        .hasToString("true");
    assertThat(RestFixture.body(lock(here, "/release", "{\"holder\": \"a\"}")).get("released"))
        .hasToString("false");
    assertThat(token(lock(here, "/acquire", "{\"holder\": \"b\"}"))).isGreaterThan(token);
  }

  @Test
  void anAdministratorUnlocksAndTheFormerHolderIsFenced() throws Exception {
    URI here = restFixture.service.address();
    long first = token(lock(here, "/acquire", "{\"holder\": \"a\", \"leaseMillis\": 3600000}"));
    assertThat(lock(here, "/acquire", "{\"holder\": \"b\"}").statusCode()).isEqualTo(409);
    String revocation = "{\"token\": %d}".formatted(first);

    HttpResponse<byte[]> revoked = lock(restFixture.another(), "/revoke", revocation);

    assertThat(RestFixture.body(revoked).get("revoked").asBoolean()).isTrue();
    long fence = token(revoked);
    assertThat(fence).isGreaterThan(first);
    assertThat(lock(here, "/renew", "{\"holder\": \"a\"}").statusCode()).isEqualTo(409);
    long next = token(lock(here, "/acquire", "{\"holder\": \"b\"}"));
    assertThat(next).isGreaterThanOrEqualTo(fence);
    HttpResponse<byte[]> repeated = lock(here, "/revoke", revocation);
    assertThat(RestFixture.body(repeated).get("revoked").asBoolean()).isFalse();
    assertThat(token(lock(here, "/renew", "{\"holder\": \"b\"}"))).isEqualTo(next);
  }

  @Test
  void aRevocationCreatesNoLock() throws Exception {
    assertThat(lock(restFixture.service.address(), "/revoke", "{\"token\": 1}").statusCode())
        .isEqualTo(404);
    assertThat(restFixture.get(LOCK).statusCode()).isEqualTo(404);
  }

  @Test
  void whoIsSilentForItsLeaseLosesTheLockToWhoWaits() throws Exception {
    URI other = restFixture.another();
    long first =
        token(
            lock(
                restFixture.service.address(),
                "/acquire",
                "{\"holder\": \"dead\", \"leaseMillis\": 500}"));

    long next = token(lock(other, "/acquire", "{\"holder\": \"b\", \"waitMillis\": 20000}"));

    assertThat(next).isGreaterThan(first);
    assertThat(lock(other, "/renew", "{\"holder\": \"dead\"}").statusCode()).isEqualTo(409);
  }

  @Test
  void objectsOfMoreCachesThanAreKeptOpenAreThereAllTheSame() throws Exception {
    for (int i = 0; i < 66; i++) {
      restFixture.json(
          "POST",
          "/caches",
          "{\"name\": \"c%d\", \"consistency\": \"MWMR\", \"sites\": [\"lyon\"]}".formatted(i));

      assertThat(restFixture.get("/caches/c" + i + "/counters/x").statusCode())
          .as("" + i)
          .isEqualTo(404);
    }

    assertThat(value(add(restFixture.service.address(), "first"))).isEqualTo(5);
    assertThat(restFixture.get("/caches/c0/counters/x").statusCode()).isEqualTo(404);
  }
}
