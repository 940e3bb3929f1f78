package io.ensemble.rest;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import com.fasterxml.jackson.databind.JsonNode;
import java.net.http.HttpResponse;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;

/**
 * The placement of a cache follows from its placement policy and from what is registered about
 * sites. Sites without statistics are chosen by the name of the cache. So each policy is tried with
 * several caches, which chance alone would not place accordingly.
 */
@Timeout(180)
@Execution(ExecutionMode.CONCURRENT)
class PlacementRequestTest {

  private static final byte[] NONE = {};
  private static final int SEVERAL = 12;

  private final RestFixture restFixture = new RestFixture();

  @BeforeEach
  void describe() throws Exception {
    describe("lyon", "{\"region\": \"south\", \"tier\": 1}", "DISK");
    describe("oslo", "{\"region\": \"north\", \"tier\": 1}", "DISK");
    describe("rome", "{\"region\": \"south\", \"tier\": 2}", "MEMORY");
  }

  @AfterEach
  void close() throws Exception {
    restFixture.close();
  }

  private void describe(String site, String labels, String storage) throws Exception {
    restFixture.call("DELETE", "/sites/" + site, NONE);
    String json =
        """
        {"name": "%s", "endpoints": ["127.0.0.1:1"], "labels": %s, "storage": "%s"}\
        """;
    assertThat(
            restFixture.json("POST", "/sites", json.formatted(site, labels, storage)).statusCode())
        .isEqualTo(201);
  }

  private JsonNode created(String name, String wishes) throws Exception {
    HttpResponse<byte[]> made =
        restFixture.json("POST", "/caches", "{\"name\": \"%s\", %s}".formatted(name, wishes));
    assertThat(made.statusCode()).as(new String(made.body())).isEqualTo(201);
    return RestFixture.body(made);
  }

  private static List<String> texts(JsonNode list) {
    List<String> all = new ArrayList<>();
    list.forEach(one -> all.add(one.asText()));
    return all;
  }

  /** The sites of several caches that are created with {@code wishes}. */
  private List<List<String>> placed(String wishes) throws Exception {
    List<List<String>> all = new ArrayList<>();
    for (int i = 0; i < SEVERAL; i++) {
      all.add(texts(created("c" + i, wishes).get("sites")));
    }
    return all;
  }

  private JsonNode placement(String cache) throws Exception {
    HttpResponse<byte[]> told = restFixture.get("/caches/" + cache + "/placement");
    assertThat(told.statusCode()).isEqualTo(200);
    return RestFixture.body(told);
  }

  private static String reason(JsonNode decision, String site) {
    return texts(decision.get("reasons")).stream()
        .filter(line -> line.startsWith(site + ": "))
        .findFirst()
        .orElseThrow();
  }

  @Test
  void whatIsSaidOfASiteComesBack() throws Exception {
    JsonNode lyon = RestFixture.body(restFixture.get("/sites/lyon"));

    assertThat(lyon.get("storage").asText()).isEqualTo("disk");
    assertThat(lyon.get("labels"))
        .isEqualTo(RestFixture.body(restFixture.get("/federation")).at("/sites/lyon/labels"));
    assertThat(lyon.at("/labels/region").asText()).isEqualTo("south");
    assertThat(lyon.at("/labels/tier").asText()).isEqualTo("1");
    assertThat(RestFixture.body(restFixture.get("/sites/rome")).get("storage").asText())
        .isEqualTo("memory");
    HttpResponse<byte[]> other =
        restFixture.json(
            "POST", "/sites", "{\"name\": \"lyon\", \"endpoints\": [\"127.0.0.1:1\"]}");
    assertThat(other.statusCode()).isEqualTo(409);
    assertThat(texts(RestFixture.body(other).get("differences")))
        .containsExactlyInAnyOrder("labels", "storage");
  }

  @Test
  void withoutAWishChanceDecides() throws Exception {
    assertThat(placed("\"replication\": 1"))
        .contains(List.of("lyon"), List.of("oslo"), List.of("rome"));
  }

  @Test
  void requiredLabelsAreKept() throws Exception {
    assertThat(placed("\"require\": {\"region\": \"south\", \"tier\": 1}"))
        .containsOnly(List.of("lyon"));
    HttpResponse<byte[]> nowhere =
        restFixture.json(
            "POST", "/caches", "{\"name\": \"d\", \"require\": {\"region\": \"west\"}}");

    assertThat(nowhere.statusCode()).isEqualTo(409);
    assertThat(RestFixture.body(nowhere).get("type").asText())
        .isEqualTo("/problems/placement-impossible");
    assertThat(RestFixture.body(nowhere).at("/reasons/oslo").asText())
        .isEqualTo("label region must be west, is north");
    assertThat(restFixture.get("/caches/d").statusCode()).isEqualTo(404);
  }

  @Test
  void spreadSitesHaveDifferentLabels() throws Exception {
    assertThat(placed("\"replication\": 2, \"spreadBy\": \"region\""))
        .allSatisfy(sites -> assertThat(sites).hasSize(2).contains("oslo"));
  }

  @Test
  void preferredSitesAndThoseOfNearCachesAreTaken() throws Exception {
    created("hub", "\"sites\": [\"oslo\", \"rome\"]");

    assertThat(placed("\"prefer\": [\"rome\"]")).containsOnly(List.of("rome"));
    for (int i = 0; i < SEVERAL; i++) {
      List<String> near =
          texts(created("n" + i, "\"replication\": 2, \"near\": [\"hub\"]").get("sites"));
      assertThat(near).containsExactlyInAnyOrder("oslo", "rome");
    }
  }

  @Test
  void bannedSitesAreLeftOutAndTheReasonsSaySo() throws Exception {
    assertThat(placed("\"replication\": 2, \"ban\": [\"lyon\"]"))
        .allSatisfy(sites -> assertThat(sites).containsExactlyInAnyOrder("oslo", "rome"));

    JsonNode told = placement("c0");

    assertThat(texts(told.get("sites"))).isEqualTo(texts(told.at("/then/sites")));
    assertThat(reason(told.get("then"), "lyon")).isEqualTo("lyon: excluded: banned");
    assertThat(reason(told.get("then"), "oslo")).contains("chosen as number ");
    assertThat(reason(told.get("now"), "lyon")).isEqualTo("lyon: excluded: banned");
    assertThat(reason(told.get("now"), "oslo")).contains("held 150");
  }

  /** A cache on disk goes to disk when its site is drained; the reasons show both decisions. */
  @Test
  void aCacheThatIsOnDiskStaysSoAndThePlacementTellsThenAndNow() throws Exception {
    List<String> names = new ArrayList<>();
    for (int i = 0; i < SEVERAL; i++) {
      names.add("c" + i);
      created("c" + i, "\"consistency\": \"MWMR\", \"prefer\": [\"lyon\"]");
    }
    JsonNode before = placement("c0");
    assertThat(texts(before.at("/now/sites"))).containsExactly("lyon");
    assertThat(reason(before.get("then"), "lyon"))
        .contains("preferred 5000")
        .doesNotContain("disk");
    assertThat(reason(before.get("now"), "oslo")).contains("on disk 2400");
    assertThat(reason(before.get("now"), "rome"))
        .contains("on disk 0 (keeps its stores in memory)");

    HttpResponse<byte[]> drain = restFixture.call("POST", "/sites/lyon/drain", NONE);
    String operation = drain.headers().firstValue("Location").orElseThrow();
    await("the end of the drain")
        .pollInterval(20, TimeUnit.MILLISECONDS)
        .atMost(60, TimeUnit.SECONDS)
        .until(
            () ->
                !RestFixture.body(restFixture.get(operation))
                    .get("state")
                    .asText()
                    .equals("running"));

    for (String name : names) {
      JsonNode after = placement(name);
      assertThat(texts(after.get("sites"))).as(name).isEqualTo(Collections.singletonList("oslo"));
      assertThat(after.get("then")).isEqualTo(before.get("then"));
      assertThat(texts(after.at("/now/sites"))).containsExactly("oslo");
      assertThat(reason(after.get("now"), "lyon")).isEqualTo("lyon: excluded: draining");
    }
  }

  @Test
  void ofSitesThatWereNamedNothingWasDecided() throws Exception {
    created("c", "\"sites\": [\"rome\", \"oslo\"]");

    JsonNode told = placement("c");

    assertThat(told.has("then")).isFalse();
    assertThat(texts(told.get("sites"))).containsExactly("rome", "oslo");
    assertThat(texts(told.at("/now/sites"))).containsExactlyInAnyOrder("rome", "oslo");
    assertThat(reason(told.get("now"), "lyon")).startsWith("lyon: not chosen: score ");
  }
}
