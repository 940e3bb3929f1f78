package io.ensemble.rest;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import com.fasterxml.jackson.databind.JsonNode;
import io.ensemble.rest.json.StrictJson;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.TimeUnit;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;

/** The alert rules and the dashboard name only metrics that the service exports. */
@Timeout(120)
@Execution(ExecutionMode.CONCURRENT)
class MonitoringFilesTest {

  private static final Path FILES = Path.of("..", "docs", "monitoring");
  private static final Pattern SAMPLE = Pattern.compile("(?m)^(ensemble_\\w+)(\\{[^}]*})? ");
  private static final Pattern IDENTIFIER = Pattern.compile("[a-zA-Z_:][a-zA-Z0-9_:]*");

  /** Texts in quotes, label matchers, ranges, and labels to group by. */
  private static final Pattern NO_METRICS =
      Pattern.compile("\"[^\"]*\"|\\{[^}]*}|\\[[^]]*]|\\bby \\([^)]*\\)|\\b\\d+\\w*");

  private static final Set<String> FUNCTIONS =
      Set.of(
          "and", "count", "increase", "label_values", "max", "min", "or", "rate", "sum", "vector");

  private static final List<String> MODES =
      List.of(
          "\"consistency\": \"WEAK\"",
          "\"consistency\": \"MWMR\"",
          "\"consistency\": \"SWMR\"",
          "\"consistency\": \"SWMR\", \"acknowledgement\": \"primary\"");

  private static Set<String> metrics(List<String> expressions) {
    Set<String> names = new TreeSet<>();
    for (String expression : expressions) {
      String rest = NO_METRICS.matcher(expression).replaceAll(" ");
      IDENTIFIER.matcher(rest).results().map(MatchResult::group).forEach(names::add);
    }
    names.removeAll(FUNCTIONS);
    return names;
  }

  private static List<String> rules() throws Exception {
    List<String> expressions = new ArrayList<>();
    for (String line : Files.readAllLines(FILES.resolve("prometheus-rules.yml"))) {
      if (line.strip().startsWith("expr: ")) {
        expressions.add(line.strip().substring("expr: ".length()));
      }
    }
    return expressions;
  }

  private static List<String> dashboard() throws Exception {
    JsonNode document =
        StrictJson.parse(Files.readAllBytes(FILES.resolve("grafana-dashboard.json")));
    List<String> expressions = new ArrayList<>(document.findValuesAsText("expr"));
    for (JsonNode variable : document.get("templating").get("list")) {
      if (variable.has("definition")) {
        String query = variable.get("definition").asText();
        expressions.add(query.replaceAll(", \\w+\\)", ")")); // Without the label.
      }
    }
    return expressions;
  }

  @Test
  void everyMetricIsExported() throws Exception {
    List<String> expressions = new ArrayList<>(rules());
    assertThat(expressions).hasSizeGreaterThan(5);
    expressions.addAll(dashboard());
    assertThat(expressions).hasSizeGreaterThan(20);
    Set<String> named = metrics(expressions);
    assertThat(named).allMatch(name -> name.startsWith("ensemble_"));

    try (RestFixture rest = new RestFixture()) {
      for (int i = 0; i < MODES.size(); i++) {
        String body =
            "{\"name\": \"c%d\", %s, \"replication\": 3, \"deadlineMillis\": 3000}"
                .formatted(i, MODES.get(i));
        assertThat(rest.json("POST", "/caches", body).statusCode()).isEqualTo(201);
        String entry = "/caches/c" + i + "/entries/k";
        assertThat(rest.call("PUT", entry, "v".getBytes()).statusCode()).isEqualTo(204);
        assertThat(rest.get(entry).statusCode()).isEqualTo(200);
      }

      await("all are exported")
          .atMost(60, TimeUnit.SECONDS)
          .pollInterval(200, TimeUnit.MILLISECONDS)
          .untilAsserted(
              () ->
                  assertThat(
                          SAMPLE
                              .matcher(new String(rest.get("/metrics").body()))
                              .results()
                              .map(sample -> sample.group(1))
                              .collect(Collectors.toSet()))
                      .containsAll(named));
    }
  }
}
