package io.ensemble.rest;

import static org.assertj.core.api.Assertions.assertThat;

import java.net.URI;
import java.net.http.HttpResponse;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;

/** Counters and locks stay usable after changes of their caches and of themselves. */
@Timeout(180)
@Execution(ExecutionMode.CONCURRENT)
class CacheObjectLifecycleTest {

  private static final byte[] NONE = {};

  private final RestFixture restFixture = new RestFixture();

  @BeforeEach
  void begin() throws Exception {
    create("c");
  }

  @AfterEach
  void close() throws Exception {
    restFixture.close();
  }

  private void create(String cache) throws Exception {
    HttpResponse<byte[]> made =
        restFixture.json(
            "POST",
            "/caches",
            "{\"name\": \"%s\", \"consistency\": \"MWMR\", \"sites\": [\"lyon\"]}"
                .formatted(cache));
    assertThat(made.statusCode()).as(new String(made.body())).isEqualTo(201);
  }

  private HttpResponse<byte[]> post(URI service, String path, String json) throws Exception {
    return restFixture.call(
        service, "POST", path, json.getBytes(), "Content-Type", "application/json");
  }

  private HttpResponse<byte[]> post(String path, String json) throws Exception {
    return post(restFixture.service.address(), path, json);
  }

  private static long added(HttpResponse<byte[]> answer) {
    assertThat(answer.statusCode()).as(new String(answer.body())).isEqualTo(200);
    return RestFixture.body(answer).get("value").asLong();
  }

  @Test
  void whoeverListsTheCacheDisturbsNoneWhoWaits() throws Exception {
    post("/caches/c/locks/l/acquire", "{\"holder\": \"first\", \"leaseMillis\": 60000}");
    CompletableFuture<HttpResponse<byte[]>> waiting =
        CompletableFuture.supplyAsync(
            () -> {
              try {
                return post(
                    "/caches/c/locks/l/acquire", "{\"holder\": \"second\", \"waitMillis\": 30000}");
              } catch (Exception e) {
                throw new AssertionError(e);
              }
            });

    for (int i = 0; i < 5; i++) {
      assertThat(restFixture.get("/caches/c/entries").statusCode()).isEqualTo(200);
      assertThat(restFixture.get("/caches/c/explain/k").statusCode()).isEqualTo(200);
      assertThat(added(post("/caches/c/counters/n/add", "{}"))).isEqualTo(i + 1);
    }

    assertThat(waiting).isNotDone();
    post("/caches/c/locks/l/release", "{\"holder\": \"first\"}");
    assertThat(waiting.get().statusCode()).as(new String(waiting.get().body())).isEqualTo(200);
  }

  @Test
  void aCounterThatWasDeletedThroughAnotherServiceIsCreatedAnew() throws Exception {
    URI other = restFixture.another();
    assertThat(added(post("/caches/c/counters/n/add", "{}"))).isEqualTo(1);
    assertThat(added(post(other, "/caches/c/counters/n/add", "{}"))).isEqualTo(2);

    assertThat(restFixture.call("DELETE", "/caches/c/counters/n", NONE).statusCode())
        .isEqualTo(204);

    assertThat(restFixture.call(other, "GET", "/caches/c/counters/n", NONE).statusCode())
        .isEqualTo(404);
    assertThat(added(post(other, "/caches/c/counters/n/add", "{}"))).isEqualTo(1);
    assertThat(added(restFixture.get("/caches/c/counters/n"))).isEqualTo(1);
    assertThat(added(post("/caches/c/counters/n/add", "{}"))).isEqualTo(2);
  }

  @Test
  void aCacheThatWasMadeAnewHasObjectsAgain() throws Exception {
    URI other = restFixture.another();
    assertThat(added(post("/caches/c/counters/n/add", "{}"))).isEqualTo(1);
    restFixture.call(other, "DELETE", "/caches/c", NONE);
    post(other, "/caches", "{\"name\": \"c\", \"consistency\": \"MWMR\", \"sites\": [\"oslo\"]}");

    // The read makes this service follow the new cache.
    assertThat(restFixture.get("/caches/c/entries/k").statusCode()).isEqualTo(404);

    assertThat(added(post("/caches/c/counters/n/add", "{}"))).isEqualTo(1);
  }

  @Test
  void theObjectsOfTheCacheThatWasUsedLongestAgoMakeRoom() throws Exception {
    for (int i = 0; i <= 64; i++) {
      create("c" + i);
      assertThat(added(post("/caches/c" + i + "/counters/n/add", "{}"))).isEqualTo(1);
    }

    assertThat(added(post("/caches/c0/counters/n/add", "{}"))).isEqualTo(2);
  }

  @Test
  void aCacheThatIsNoMoreMwmrHasNoObjects() throws Exception {
    assertThat(added(post("/caches/c/counters/n/add", "{}"))).isEqualTo(1);
    HttpResponse<byte[]> altered =
        restFixture.json("PATCH", "/caches/c", "{\"consistency\": \"WEAK\"}");
    assertThat(altered.statusCode()).isIn(200, 202);
    while (!RestFixture.body(restFixture.get("/caches/c"))
        .get("consistency")
        .asText()
        .equals("WEAK")) {
      Thread.onSpinWait();
    }
    restFixture.get("/caches/c/entries/k"); // Makes this process follow the change.

    HttpResponse<byte[]> refused = post("/caches/c/counters/n/add", "{}");
    while (refused.statusCode() == 503) {
      refused = post("/caches/c/counters/n/add", "{}");
    }

    assertThat(refused.statusCode()).as(new String(refused.body())).isEqualTo(409);
  }
}
