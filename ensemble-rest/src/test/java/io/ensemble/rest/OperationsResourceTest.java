package io.ensemble.rest;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import com.fasterxml.jackson.databind.JsonNode;
import io.ensemble.CacheDefinition;
import io.ensemble.DistributedDefinition;
import io.ensemble.Mode;
import io.ensemble.catalog.definition.StoredDefinition;
import io.ensemble.catalog.definition.StoredDistribution;
import io.ensemble.rest.http.RestCaller;
import io.ensemble.rest.http.Role;
import io.ensemble.rest.policy.RoleGrants;
import io.ensemble.rest.policy.RoleGrants.OfCaches;
import java.net.URI;
import java.net.http.HttpResponse;
import java.time.Duration;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.function.Predicate;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;

/** Operations are cancelled, taken over and paced by requests, and their state is shown. */
@Timeout(180)
@Execution(ExecutionMode.CONCURRENT)
class OperationsResourceTest {

  private static final byte[] NONE = {};

  private volatile RestCaller caller = RestCaller.ANYBODY;
  private final RestFixture restFixture =
      new RestFixture(RestLimits.DEFAULT, (head, route, on) -> on.apply(caller));

  @AfterEach
  void close() throws Exception {
    restFixture.sites.values().forEach(site -> site.scansGoOn.complete(null));
    restFixture.close();
  }

  private void create(String name) throws Exception {
    restFixture.json(
        "POST",
        "/caches",
        "{\"name\": \"%s\", \"consistency\": \"MWMR\", \"sites\": [\"lyon\"]}".formatted(name));
    restFixture.call("PUT", "/caches/" + name + "/entries/k", "v".getBytes());
  }

  private void hold() {
    restFixture.sites.values().forEach(site -> site.scansGoOn = new CompletableFuture<>());
  }

  private void release() {
    restFixture.sites.values().forEach(site -> site.scansGoOn.complete(null));
  }

  private JsonNode until(String path, Predicate<JsonNode> wanted) throws Exception {
    return await(path)
        .pollDelay(Duration.ZERO)
        .pollInterval(20, TimeUnit.MILLISECONDS)
        .atMost(60, TimeUnit.SECONDS)
        .until(() -> RestFixture.body(restFixture.get(path)), wanted);
  }

  private String begun(String cache, String json) throws Exception {
    HttpResponse<byte[]> begun = restFixture.json("PATCH", "/caches/" + cache, json);
    assertThat(begun.statusCode()).as(new String(begun.body())).isEqualTo(202);
    return begun.headers().firstValue("Location").orElseThrow();
  }

  private JsonNode ok(HttpResponse<byte[]> answer, int status) {
    assertThat(answer.statusCode()).as(new String(answer.body())).isEqualTo(status);
    return RestFixture.body(answer);
  }

  /** Of two administrators who read the same settings, the second one learns of the first. */
  @Test
  void aCacheIsAlteredOnlyIfItIsTheOneThatWasRead() throws Exception {
    restFixture.json("POST", "/caches", "{\"name\": \"m\", \"sites\": [\"lyon\"]}");
    String read = tag(restFixture.get("/caches/m"));
    String longer = "{\"deadlineMillis\": %d}";

    HttpResponse<byte[]> first =
        restFixture.json("PATCH", "/caches/m", longer.formatted(6000), "If-Match", read);
    restFixture.awaitEnd(first);
    HttpResponse<byte[]> second =
        restFixture.json("PATCH", "/caches/m", longer.formatted(7000), "If-Match", read);
    HttpResponse<byte[]> notOf =
        restFixture.json(
            "PATCH",
            "/caches/m",
            longer.formatted(7000),
            "If-None-Match",
            tag(restFixture.get("/caches/m")));

    HttpResponse<byte[]> invalid =
        restFixture.json("PATCH", "/caches/m", longer.formatted(0), "If-Match", read);

    assertThat(second.statusCode()).isEqualTo(412);
    assertThat(notOf.statusCode()).isEqualTo(412);
    assertThat(invalid.statusCode())
        .as("a condition on a request that is refused anyway")
        .isEqualTo(422);
    assertThat(tag(second)).isEqualTo(tag(restFixture.get("/caches/m"))).isNotEqualTo(read);
    JsonNode now = RestFixture.body(restFixture.get("/caches/m"));
    assertThat(now.get("deadlineMillis").asInt()).isEqualTo(6000);
    HttpResponse<byte[]> any =
        restFixture.json("PATCH", "/caches/m", longer.formatted(6000), "If-Match", "*");
    assertThat(any.statusCode()).isEqualTo(200);
    assertThat(tag(any)).isEqualTo(tag(restFixture.get("/caches/m")));
  }

  @Test
  void aCacheIsDeletedOnlyIfItIsTheOneThatWasRead() throws Exception {
    restFixture.json("POST", "/caches", "{\"name\": \"m\", \"sites\": [\"lyon\"]}");
    String read = tag(restFixture.get("/caches/m"));
    restFixture.awaitEnd(
        restFixture.json("PATCH", "/caches/m", "{\"deadlineMillis\": 6000}", "If-Match", read));

    HttpResponse<byte[]> late =
        restFixture.call("DELETE", "/caches/m", new byte[0], "If-Match", read);
    assertThat(late.statusCode()).isEqualTo(412);
    String tag = tag(restFixture.get("/caches/m"));
    assertThat(tag(late)).isEqualTo(tag);
    assertThat(
            restFixture.call("DELETE", "/caches/m", new byte[0], "If-None-Match", tag).statusCode())
        .isEqualTo(412);

    assertThat(restFixture.call("DELETE", "/caches/m", new byte[0], "If-Match", tag).statusCode())
        .isEqualTo(204);
    assertThat(restFixture.get("/caches/m").statusCode()).isEqualTo(404);
    assertThat(restFixture.call("DELETE", "/caches/m", new byte[0], "If-Match", "*").statusCode())
        .isEqualTo(404);
  }

  /** The parts of a distributed cache would be deleted one after the other, not in one step. */
  @Test
  void aDistributedCacheIsNotDeletedByACondition() throws Exception {
    restFixture.json("POST", "/caches", "{\"name\": \"p\", \"sites\": [\"lyon\"]}");
    restFixture.json("POST", "/caches", "{\"name\": \"d\", \"caches\": [\"p\"]}");
    String tag = tag(restFixture.get("/caches/d"));

    assertThat(restFixture.call("DELETE", "/caches/d", new byte[0], "If-Match", tag).statusCode())
        .isEqualTo(422);
    assertThat(restFixture.get("/caches/d").statusCode()).isEqualTo(200);
    String ofPart = tag(restFixture.get("/caches/p"));
    assertThat(
            restFixture.call("DELETE", "/caches/p", new byte[0], "If-Match", ofPart).statusCode())
        .isEqualTo(409);
  }

  @Test
  void thePartsOfACacheAreAlteredOnlyIfTheyAreThoseThatWereRead() throws Exception {
    for (String part : new String[] {"p1", "p2", "p3"}) {
      restFixture.json(
          "POST",
          "/caches",
          "{\"name\": \"%s\", \"sites\": [\"lyon\"], \"consistency\": \"MWMR\"}".formatted(part));
    }
    restFixture.json("POST", "/caches", "{\"name\": \"d\", \"caches\": [\"p1\"]}");
    String read = tag(restFixture.get("/caches/d"));

    HttpResponse<byte[]> first =
        restFixture.json("PATCH", "/caches/d", "{\"caches\": [\"p1\", \"p2\"]}", "If-Match", read);
    restFixture.awaitEnd(first);
    HttpResponse<byte[]> second =
        restFixture.json("PATCH", "/caches/d", "{\"caches\": [\"p1\", \"p3\"]}", "If-Match", read);

    assertThat(second.statusCode()).isEqualTo(412);
    assertThat(RestFixture.body(restFixture.get("/caches/d")).get("caches")).hasSize(2);
  }

  /** The tag may have been compared before another administrator's change begins. */
  @Test
  void aRecordThatChangesAfterItWasComparedIsNotAltered() throws Exception {
    for (String name : new String[] {"p1", "p2", "p3"}) {
      restFixture.json(
          "POST",
          "/caches",
          "{\"name\": \"%s\", \"sites\": [\"lyon\"], \"consistency\": \"MWMR\"}".formatted(name));
    }
    restFixture.json("POST", "/caches", "{\"name\": \"d\", \"caches\": [\"p1\"]}");
    StoredDefinition cache = restFixture.manager.stored("p3").orElseThrow();
    StoredDistribution distribution = restFixture.manager.parts().find("d").orElseThrow();
    restFixture.awaitEnd(
        restFixture.json("PATCH", "/caches/p3", "{\"sites\": [\"lyon\", \"oslo\", \"rome\"]}"));
    restFixture.awaitEnd(restFixture.json("PATCH", "/caches/d", "{\"caches\": [\"p1\", \"p2\"]}"));

    var altered =
        restFixture
            .manager
            .changes()
            .alterIfUnchanged(cache, CacheDefinition.of("p3", Mode.WEAK).sites("lyon").build(), 0);
    var repartitioned =
        restFixture
            .manager
            .parts()
            .alterIfUnchanged(distribution, DistributedDefinition.of("d", "p1", "p3"));

    assertThat(altered).isEmpty();
    assertThat(repartitioned).isEmpty();
    assertThat(restFixture.manager.stored("p3").orElseThrow().definition().mode())
        .isEqualTo(Mode.MWMR);
    assertThat(restFixture.manager.distribution("d").orElseThrow().parts())
        .containsExactly("p1", "p2");
  }

  private static String tag(HttpResponse<byte[]> answer) {
    return answer.headers().firstValue("ETag").orElseThrow();
  }

  @Test
  void aCancelledDrainIsNotBegunAgainByItsService() throws Exception {
    create("a");
    create("b");
    hold();
    ok(restFixture.call("POST", "/sites/lyon/drain", NONE), 202);

    JsonNode cancelled = ok(restFixture.call("POST", "/operations/drain.lyon/cancel", NONE), 200);
    release();
    until("/operations", all -> all.get("operations").isEmpty());

    assertThat(cancelled.get("state").asText()).isEqualTo("cancelled");
    await("lyon keeps serving")
        .pollInterval(50, TimeUnit.MILLISECONDS)
        .during(1, TimeUnit.SECONDS)
        .atMost(60, TimeUnit.SECONDS)
        .untilAsserted(
            () -> {
              JsonNode lyon = RestFixture.body(restFixture.get("/sites/lyon"));
              assertThat(lyon.get("state").asText()).isEqualTo("serving");
              assertThat(lyon.get("caches").toString()).contains("\"b\"");
            });

    ok(restFixture.call("POST", "/sites/lyon/drain", NONE), 202);
    until("/operations/drain.lyon", one -> one.get("state").asText().equals("done"));
  }

  @Test
  void aCacheThatCannotBeMovedKeepsNoOtherFromLeaving() throws Exception {
    create("a");
    create("b");
    hold();
    ok(restFixture.call("POST", "/sites/lyon/drain", NONE), 202);
    until("/caches/a", one -> one.has("operation"));

    restFixture.call("DELETE", "/caches/a", NONE);
    release();

    until("/operations/drain.lyon", one -> one.get("state").asText().equals("done"));
    assertThat(RestFixture.body(restFixture.get("/caches/b")).get("sites").toString())
        .doesNotContain("lyon");
  }

  @Test
  void whoSeesOneCacheIsToldOfItsOperationsOnly() throws Exception {
    for (String name : List.of("mine", "theirs", "part", "other")) {
      create(name);
    }
    ok(restFixture.json("POST", "/caches", "{\"name\": \"whole\", \"caches\": [\"part\"]}"), 201);
    hold();
    begun("mine", "{\"sites\": [\"oslo\"]}");
    begun("theirs", "{\"sites\": [\"oslo\"]}");
    begun("whole", "{\"caches\": [\"part\", \"other\"]}");
    ok(restFixture.call("POST", "/sites/rome/drain", NONE), 202);
    List<OfCaches> mine = List.of(new OfCaches(List.of("mine"), Set.of(Role.READ)));

    List<String> all = listed();
    caller = new RestCaller("user:ada", new RoleGrants(mine, Set.of()));
    List<String> seen = listed();
    caller = new RestCaller("user:ada", new RoleGrants(mine, Set.of(Role.LISTEN)));
    List<String> listening = listed();

    assertThat(all)
        .hasSize(4)
        .contains("drain.rome")
        .anyMatch(id -> id.startsWith("parts."))
        .anyMatch(id -> id.endsWith(".theirs"));
    assertThat(seen).singleElement().asString().endsWith(".mine");
    assertThat(listening).hasSize(3).doesNotContain("drain.rome");
  }

  private List<String> listed() throws Exception {
    return RestFixture.body(restFixture.get("/operations"))
        .get("operations")
        .findValuesAsText("id");
  }

  @Test
  void anOperationOfACacheThatWasDeletedIsNoneOfTheNextOneOfItsName() throws Exception {
    create("c");
    String former = begun("c", "{\"sites\": [\"oslo\"]}");
    until(former, one -> one.get("state").asText().equals("done"));
    restFixture.call("DELETE", "/caches/c", NONE);

    create("c");

    assertThat(restFixture.get(former).statusCode()).isEqualTo(404);
    assertThat(restFixture.json("POST", former + "/cancel", "{}").statusCode()).isIn(404, 409);
  }

  @Test
  void aChangeIsPacedTakenOverAndCancelled() throws Exception {
    URI other = restFixture.another();
    create("c");
    hold();
    String operation = begun("c", "{\"sites\": [\"oslo\"]}");

    JsonNode paced =
        ok(restFixture.json("PUT", operation + "/rate", "{\"keysPerSecond\": 5}"), 200);
    JsonNode resumed = ok(restFixture.call(other, "POST", operation + "/resume", NONE), 202);
    JsonNode cancelled = ok(restFixture.json("POST", operation + "/cancel", "{}"), 200);
    release();
    JsonNode end = until(operation, one -> !one.get("state").asText().equals("running"));

    assertThat(paced.get("keysPerSecond").asInt()).isEqualTo(5);
    assertThat(resumed.get("state").asText()).isEqualTo("running");
    assertThat(cancelled.get("id").asText()).isEqualTo(end.get("id").asText());
    assertThat(end.get("state").asText()).isEqualTo("cancelled");
    assertThat(RestFixture.body(restFixture.get("/caches/c")).get("sites").toString())
        .isEqualTo("[\"lyon\"]");
    assertThat(restFixture.json("POST", operation + "/cancel", "{}").statusCode()).isEqualTo(409);
    assertThat(restFixture.json("POST", operation + "/cancel", "{\"x\": 1}").statusCode())
        .isEqualTo(413);
  }

  @Test
  void aCancelledChangeIsNotReportedAsDoneForAnotherWithItsNumber() throws Exception {
    create("c");
    hold();
    String first = begun("c", "{\"sites\": [\"oslo\"]}");
    ok(restFixture.call("POST", first + "/cancel", NONE), 200);
    release();
    until(first, one -> one.get("state").asText().equals("cancelled"));
    until("/operations", all -> all.get("operations").isEmpty());

    String second = begun("c", "{\"sites\": [\"rome\"]}");

    until(second, one -> one.get("state").asText().equals("done"));
    until("/operations", all -> all.get("operations").isEmpty());
    assertThat(ok(restFixture.get(second), 200).get("state").asText()).isEqualTo("done");
    assertThat(ok(restFixture.get(first), 200).get("state").asText()).isEqualTo("cancelled");
  }

  @Test
  void whatNeverWasIsNotToldAsDone() throws Exception {
    create("a");
    create("b");
    restFixture.json("POST", "/caches", "{\"name\": \"d\", \"caches\": [\"a\", \"b\"]}");

    assertThat(restFixture.get("/operations/drain.lyonn").statusCode()).isEqualTo(404);
    assertThat(restFixture.call("POST", "/operations/drain.lyonn/resume", NONE).statusCode())
        .isEqualTo(404);
    assertThat(restFixture.call("POST", "/operations/drain.lyon/resume", NONE).statusCode())
        .isEqualTo(409);
    assertThat(RestFixture.body(restFixture.get("/sites/lyon")).get("state").asText())
        .isEqualTo("serving");
    String never = "/operations/parts.99.aaaaaaaaaaaa.00000000.d";
    assertThat(restFixture.get(never).statusCode()).isEqualTo(404);
    assertThat(restFixture.call("POST", never + "/resume", NONE).statusCode()).isEqualTo(404);
  }
}
