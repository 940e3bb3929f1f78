package io.ensemble.rest;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import io.ensemble.rest.http.ProblemType;
import io.ensemble.rest.http.Role;
import io.ensemble.rest.http.Route;
import io.ensemble.rest.resource.Federation;
import io.ensemble.rest.resource.Resources;
import io.ensemble.rest.resource.Workers;
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

/** What the service says of itself is so. */
@Timeout(180)
class AboutTest {

  private final Served served = new Served();

  @AfterEach
  void close() throws Exception {
    served.close();
  }

  private List<Route> routes() {
    try (Workers workers = new Workers(1, 1);
        Federation federation = new Federation(served.manager, workers, Limits.DEFAULT)) {
      return Resources.all(federation, new PrometheusMeterRegistry(PrometheusConfig.DEFAULT));
    }
  }

  @Test
  void everyRouteIsInTheDocumentAndNothingElse() throws Exception {
    JsonNode document = Served.body(served.get("/openapi.json"));

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
    JsonNode document = Served.body(served.get("/openapi.json"));

    List<String> named = new ArrayList<>(document.findValuesAsText("$ref"));

    assertThat(named).isNotEmpty();
    for (String one : named) {
      assertThat(document.at(one.substring(1)).isMissingNode()).as(one).isFalse();
    }
  }

  @Test
  void whatAsksWhoComesSaysHowTheyMaySaySo() throws Exception {
    JsonNode document = Served.body(served.get("/openapi.json"));

    for (Route route : routes()) {
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
      JsonNode kind = Served.body(served.get(type.uri()));

      assertThat(kind.get("status").asInt()).isEqualTo(type.status());
    }
    assertThat(served.get("/problems/none").statusCode()).isEqualTo(404);
  }

  @Test
  void itLivesWithoutSitesAndIsReadyWithoutThem() throws Exception {
    served.sites.values().forEach(site -> site.mood = MemorySite.Mood.GONE);

    assertThat(served.get("/health/live").statusCode()).isEqualTo(200);
    assertThat(served.get("/health/ready").statusCode()).isEqualTo(200);
    assertThat(served.get("/metrics").statusCode()).isEqualTo(200);
    assertThat(served.call("HEAD", "/health/live", new byte[0]).body()).isEmpty();
  }
}
