package io.ensemble.rest;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import io.ensemble.rest.http.ProblemType;
import io.ensemble.rest.http.RestRoute;
import io.ensemble.rest.http.Role;
import io.ensemble.rest.resource.ResourceRoutes;
import io.ensemble.rest.resource.context.BlockingTaskPool;
import io.ensemble.rest.resource.context.RestContext;
import io.micrometer.prometheusmetrics.PrometheusConfig;
import io.micrometer.prometheusmetrics.PrometheusMeterRegistry;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import java.util.TreeSet;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** What the service reports about itself is true. */
@Timeout(180)
class AboutResourceTest {

  private final RestFixture restFixture = new RestFixture();

  @AfterEach
  void close() throws Exception {
    restFixture.close();
  }

  private List<RestRoute> routes() {
    try (BlockingTaskPool blockingTaskPool = new BlockingTaskPool(1, 1);
        RestContext context =
            new RestContext(restFixture.manager, blockingTaskPool, RestLimits.DEFAULT)) {
      return ResourceRoutes.createAll(
          context, new PrometheusMeterRegistry(PrometheusConfig.DEFAULT));
    }
  }

  @Test
  void everyRouteIsInTheDocumentAndNothingElse() throws Exception {
    JsonNode document = RestFixture.body(restFixture.get("/openapi.json"));

    Set<String> documented = new TreeSet<>();
    document
        .get("paths")
        .fields()
        .forEachRemaining(
            path ->
                path.getValue()
                    .fieldNames()
                    .forEachRemaining(method -> documented.add(method + " " + path.getKey())));
    assertThat(documented)
        .containsExactlyInAnyOrderElementsOf(
            routes().stream()
                .map(one -> one.method().name().toLowerCase(Locale.ROOT) + " " + one.path())
                .toList());
  }

  @Test
  void everySchemaThatIsNamedIsThere() throws Exception {
    JsonNode document = RestFixture.body(restFixture.get("/openapi.json"));

    List<String> named = new ArrayList<>(document.findValuesAsText("$ref"));

    assertThat(named).isNotEmpty();
    for (String one : named) {
      assertThat(document.at(one.substring(1)).isMissingNode()).as(one).isFalse();
    }
  }

  @Test
  void whatAsksWhoComesSaysHowTheyMaySaySo() throws Exception {
    JsonNode document = RestFixture.body(restFixture.get("/openapi.json"));

    for (RestRoute route : routes()) {
      JsonNode operation =
          document
              .get("paths")
              .get(route.path())
              .get(route.method().name().toLowerCase(Locale.ROOT));
      assertThat(operation.get("security").findValues("bearer"))
          .as(route.id())
          .hasSize(route.role() == Role.NONE ? 0 : 1);
    }
    assertThat(document.at("/components/securitySchemes/bearer/scheme").asText())
        .isEqualTo("bearer");
  }

  @Test
  void everyProblemHasAnAddressThatTellsOfIt() throws Exception {
    for (ProblemType type : ProblemType.values()) {
      JsonNode kind = RestFixture.body(restFixture.get(type.uri()));

      assertThat(kind.get("status").asInt()).isEqualTo(type.status());
    }
    assertThat(restFixture.get("/problems/none").statusCode()).isEqualTo(404);
  }

  @Test
  void itLivesWithoutSitesAndIsReadyWithoutThem() throws Exception {
    restFixture.sites.values().forEach(site -> site.mood = MemorySite.Mood.GONE);

    assertThat(restFixture.get("/health/live").statusCode()).isEqualTo(200);
    assertThat(restFixture.get("/health/ready").statusCode()).isEqualTo(200);
    assertThat(restFixture.get("/metrics").statusCode()).isEqualTo(200);
    assertThat(restFixture.call("HEAD", "/health/live", new byte[0]).body()).isEmpty();
  }
}
