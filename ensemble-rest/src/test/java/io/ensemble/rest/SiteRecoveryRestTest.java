package io.ensemble.rest;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import io.ensemble.schedule.Deadline;
import java.net.http.HttpResponse;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Recovery of a site that has lost its stores, and the outcome for each cache. */
@Timeout(180)
@Execution(ExecutionMode.CONCURRENT)
class SiteRecoveryRestTest {

  private static final String RECOVER = "/sites/oslo/recover";

  private final RestFixture restFixture = new RestFixture();
  private final MemorySite oslo = restFixture.sites.get("oslo");

  @BeforeEach
  void create() throws Exception {
    String json = "{\"name\": \"%s\", \"consistency\": \"%s\", \"sites\": %s}";
    for (String[] cache :
        new String[][] {
          {"ledger", "SWMR", "[\"lyon\", \"oslo\", \"rome\"]"},
          {"news", "WEAK", "[\"lyon\", \"oslo\"]"},
          {"orders", "MWMR", "[\"lyon\", \"oslo\", \"rome\"]"},
          {"elsewhere", "MWMR", "[\"lyon\", \"rome\"]"},
        }) {
      assertThat(restFixture.json("POST", "/caches", json.formatted((Object[]) cache)).statusCode())
          .isEqualTo(201);
      for (String key : List.of("a", "b", "c")) {
        String path = "/caches/%s/entries/%s".formatted(cache[0], key);
        assertThat(restFixture.call("PUT", path, ("value of " + key).getBytes()).statusCode())
            .isEqualTo(204);
      }
    }
  }

  @AfterEach
  void close() throws Exception {
    restFixture.close();
  }

  private void wipe() {
    for (String store : oslo.content().keySet()) {
      oslo.remove(store, Deadline.after(Duration.ofSeconds(5), restFixture.scheduler))
          .toCompletableFuture()
          .join();
    }
    assertThat(oslo.content()).isEmpty();
  }

  /** The outcome of each cache. */
  private Map<String, JsonNode> recovered(String json) throws Exception {
    JsonNode operation = restFixture.awaitEnd(restFixture.json("POST", RECOVER, json));
    assertThat(operation.get("site").asText()).isEqualTo("oslo");
    assertThat(operation.get("state").asText()).isEqualTo("done");
    Map<String, JsonNode> all = new TreeMap<>();
    operation.get("results").forEach(one -> all.put(one.get("cache").asText(), one));
    return all;
  }

  private static void areAll(String outcome, Map<String, JsonNode> caches) {
    assertThat(caches).containsOnlyKeys("ledger", "news", "orders");
    assertThat(caches.values())
        .allSatisfy(one -> assertThat(one.get("outcome").asText()).isEqualTo(outcome));
  }

  @Test
  void aWipedSiteHasAllAgainAndIsUnharmedThen() throws Exception {
    wipe();

    Map<String, JsonNode> first = recovered("{\"timeoutSeconds\": 60}");
    Map<String, JsonNode> second = recovered("{}");

    areAll("recovered", first);
    assertThat(first.values()).allSatisfy(one -> assertThat(one.get("keys").asInt()).isEqualTo(3));
    areAll("unharmed", second);
    assertThat(second.values()).noneMatch(one -> one.has("keys") || one.has("problem"));
    restFixture.sites.get("lyon").mood = MemorySite.Mood.GONE;
    for (String cache : List.of("news", "orders")) { // Oslo has to answer now.
      HttpResponse<byte[]> got = restFixture.get("/caches/%s/entries/b".formatted(cache));
      assertThat(new String(got.body())).as(cache).isEqualTo("value of b");
    }
  }

  /** A recovery may take ten minutes for each cache, and a connection lasts one without bytes. */
  @Test
  void aRecoveryIsAnOperationThatARepeatedRequestJoins() throws Exception {
    wipe();
    CompletableFuture<Void> go = new CompletableFuture<>();
    restFixture.sites.values().forEach(site -> site.scansGoOn = go);

    HttpResponse<byte[]> begun = restFixture.json("POST", RECOVER, "{}");
    HttpResponse<byte[]> joined = restFixture.json("POST", RECOVER, "{}");
    HttpResponse<byte[]> other = restFixture.json("POST", RECOVER, "{\"discard\": true}");
    JsonNode listed = RestFixture.body(restFixture.get("/operations"));
    JsonNode running = RestFixture.body(restFixture.get("/federation")).get("operations");
    int cancelled =
        restFixture.call("POST", "/operations/recover.oslo/cancel", new byte[0]).statusCode();
    int resumed =
        restFixture.call("POST", "/operations/recover.oslo/resume", new byte[0]).statusCode();
    go.complete(null);
    JsonNode ended = restFixture.awaitEnd(begun);

    assertThat(begun.headers().firstValue("Location")).contains("/operations/recover.oslo");
    assertThat(RestFixture.body(joined).get("state").asText()).isEqualTo("running");
    assertThat(other.statusCode()).isEqualTo(409);
    assertThat(listed.findValuesAsText("id")).contains("recover.oslo");
    assertThat(running.get("recover.oslo").get("state").asText()).isEqualTo("running");
    assertThat(running.get("recover.oslo").get("site").asText()).isEqualTo("oslo");
    assertThat(RestFixture.body(restFixture.get("/federation")).get("operations")).isEmpty();
    assertThat(cancelled).isEqualTo(409);
    assertThat(resumed).isEqualTo(409);
    assertThat(ended.get("results")).hasSize(3);
    assertThat(restFixture.get("/operations/recover.rome").statusCode()).isEqualTo(404);
  }

  @Test
  void anIntactStoreIsNotDiscarded() throws Exception {
    Set<String> before = oslo.content().keySet();

    Map<String, JsonNode> asked = recovered("{\"discard\": true}");

    areAll("unharmed", asked);
    assertThat(oslo.content().keySet()).isEqualTo(before).hasSize(3);
  }

  @Test
  void aStoreThatRefusesPermanentlyIsDiscardedOnRequestOnly() throws Exception {
    Set<String> before = oslo.content().keySet();
    oslo.degraded.addAll(before);

    Map<String, JsonNode> kept = recovered("{\"discard\": false, \"timeoutSeconds\": 5}");
    Set<String> between = oslo.content().keySet();
    Map<String, JsonNode> given = recovered("{\"discard\": true, \"timeoutSeconds\": 30}");

    areAll("failed", kept);
    assertThat(kept.values())
        .allSatisfy(
            one -> {
              assertThat(one.get("problem").asText()).isEqualTo("/problems/site-failed");
              assertThat(one.get("detail").asText()).contains("DEGRADED");
            });
    assertThat(between).isEqualTo(before);
    areAll("recovered", given);
    assertThat(oslo.content().keySet()).hasSize(3).doesNotContainAnyElementsOf(before);
  }

  /** A cache that cannot be refilled does not change the outcome of the others. */
  @Test
  void eachCacheFailsOrComesBackByItself() throws Exception {
    wipe();
    restFixture.json("POST", "/caches", "{\"name\": \"only\", \"sites\": [\"oslo\"]}");
    restFixture.sites.get("rome").mood = MemorySite.Mood.GONE;
    restFixture.sites.get("lyon").mood = MemorySite.Mood.GONE;

    Map<String, JsonNode> alone = recovered("{\"timeoutSeconds\": 1}");

    assertThat(alone).containsOnlyKeys("ledger", "news", "only", "orders");
    assertThat(alone.get("only").get("outcome").asText()).isEqualTo("unharmed");
    for (String cache : List.of("ledger", "orders")) {
      assertThat(alone.get(cache).get("outcome").asText()).as(cache).isEqualTo("failed");
      assertThat(alone.get(cache).get("problem").asText())
          .as(cache)
          .isEqualTo("/problems/sites-unavailable");
      assertThat(alone.get(cache).get("detail").asText()).as(cache).isNotBlank();
    }

    restFixture.sites.get("rome").mood = MemorySite.Mood.UP;
    restFixture.sites.get("lyon").mood = MemorySite.Mood.UP;
    assertThat(recovered("{}").get("orders").get("outcome").asText()).isEqualTo("recovered");
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "{\"timeoutSeconds\": 0}",
        "{\"timeoutSeconds\": 601}",
        "{\"timeoutSeconds\": 1.5}",
        "{\"timeoutSeconds\": \"60\"}"
      })
  void aTimeOutOfBoundsIsToldByItsFieldAndNothingIsDone(String json) throws Exception {
    wipe();

    HttpResponse<byte[]> refused = restFixture.json("POST", RECOVER, json);

    assertThat(refused.statusCode()).isEqualTo(422);
    assertThat(RestFixture.body(refused).get("field").asText()).isEqualTo("timeoutSeconds");
    assertThat(oslo.content()).isEmpty();
  }

  @Test
  void aSiteThatThereIsNotHasNothingToRecover() throws Exception {
    assertThat(restFixture.json("POST", "/sites/paris/recover", "{}").statusCode()).isEqualTo(404);
    HttpResponse<byte[]> wrong = restFixture.json("POST", RECOVER, "{\"discard\": \"yes\"}");
    assertThat(wrong.statusCode()).isEqualTo(422);
    assertThat(RestFixture.body(wrong).get("field").asText()).isEqualTo("discard");
  }
}
