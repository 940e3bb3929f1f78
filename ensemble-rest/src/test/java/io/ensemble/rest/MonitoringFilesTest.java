package io.ensemble.rest;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import com.fasterxml.jackson.databind.JsonNode;
import io.ensemble.rest.access.ServiceCertificateMeters;
import io.ensemble.rest.json.StrictJson;
import io.ensemble.site.CertificateExpiry;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.concurrent.TimeUnit;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;

/**
 * The alert rules and the dashboard name only metrics and labels that the service exports, and each
 * rule has a runbook.
 */
@Timeout(120)
@Execution(ExecutionMode.CONCURRENT)
class MonitoringFilesTest {

  private static final Path ROOT = Path.of("..");
  private static final Path FILES = ROOT.resolve("docs/monitoring");
  private static final Pattern SAMPLE = Pattern.compile("(?m)^(ensemble_\\w+)(\\{[^}]*})? ");
  private static final Pattern IDENTIFIER = Pattern.compile("[a-zA-Z_:][a-zA-Z0-9_:]*");
  private static final Pattern LABEL = Pattern.compile("(\\w+)(=~|!~|!=|=)");
  private static final Pattern MATCHERS = Pattern.compile("(ensemble_\\w+)\\{([^}]*)}");
  private static final Pattern GROUPING = Pattern.compile("\\bby \\(([^)]*)\\)");
  private static final Pattern METRIC = Pattern.compile("ensemble_\\w+");
  private static final Pattern TEXT = Pattern.compile("\"[^\"]*\"");
  private static final Pattern HEADING = Pattern.compile("(?m)^## (.*)$");

  /** Texts in quotes, label matchers, ranges, and labels to group by. */
  private static final Pattern NO_METRICS =
      Pattern.compile("\"[^\"]*\"|\\{[^}]*}|\\[[^]]*]|\\bby \\([^)]*\\)|\\b\\d+\\w*");

  private static final Set<String> FUNCTIONS =
      Set.of(
          "and", "count", "increase", "label_values", "max", "min", "or", "rate", "sum", "vector");

  /** Labels that Prometheus adds to each sample. */
  private static final Set<String> OF_PROMETHEUS = Set.of("instance", "job");

  private static final List<String> MODES =
      List.of(
          "\"consistency\": \"WEAK\"",
          "\"consistency\": \"MWMR\"",
          "\"consistency\": \"SWMR\"",
          "\"consistency\": \"SWMR\", \"acknowledgement\": \"primary\"");

  /** An alert rule; "" where it has no such line. */
  private record AlertRule(String name, String expression, Map<String, String> lines) {

    String line(String key) {
      return lines.getOrDefault(key, "");
    }
  }

  private static Set<String> metrics(List<String> expressions) {
    Set<String> names = new TreeSet<>();
    for (String expression : expressions) {
      String rest = NO_METRICS.matcher(expression).replaceAll(" ");
      IDENTIFIER.matcher(rest).results().map(MatchResult::group).forEach(names::add);
    }
    names.removeAll(FUNCTIONS);
    return names;
  }

  private static List<AlertRule> rules() throws IOException {
    List<AlertRule> rules = new ArrayList<>();
    Map<String, String> lines = new LinkedHashMap<>();
    List<String> all = new ArrayList<>(Files.readAllLines(FILES.resolve("prometheus-rules.yml")));
    all.add("- alert: end");
    for (String line : all) {
      String text = line.strip();
      int colon = text.indexOf(": ");
      if (text.startsWith("- alert: ")) {
        if (!lines.isEmpty()) {
          rules.add(
              new AlertRule(
                  lines.getOrDefault("- alert", ""),
                  lines.getOrDefault("expr", ""),
                  Map.copyOf(lines)));
        }
        lines.clear();
      }
      if (colon > 0 && (!lines.isEmpty() || text.startsWith("- alert: "))) {
        lines.put(text.substring(0, colon), text.substring(colon + 2));
      }
    }
    return rules;
  }

  private static List<String> expressionsOfRules() throws IOException {
    return rules().stream().map(AlertRule::expression).toList();
  }

  private static List<String> dashboard() throws IOException {
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

  /** The labels of each metric in a scrape. */
  private static Map<String, Set<String>> labels(String scrape) {
    Map<String, Set<String>> labels = new TreeMap<>();
    SAMPLE
        .matcher(scrape)
        .results()
        .forEach(
            sample ->
                labels
                    .computeIfAbsent(sample.group(1), name -> new TreeSet<>(OF_PROMETHEUS))
                    .addAll(names(sample.group(2) == null ? "" : sample.group(2))));
    return labels;
  }

  private static Set<String> names(String matchers) {
    String withoutTexts = TEXT.matcher(matchers).replaceAll("");
    return LABEL
        .matcher(withoutTexts)
        .results()
        .map(label -> label.group(1))
        .collect(Collectors.toSet());
  }

  /** The labels that an expression uses of a metric without having them: METRIC and LABEL. */
  private static List<String> unknownLabels(String expression, Map<String, Set<String>> known) {
    List<String> unknown = new ArrayList<>();
    MATCHERS
        .matcher(expression)
        .results()
        .forEach(
            selector ->
                names(selector.group(2)).stream()
                    .filter(label -> !known.get(selector.group(1)).contains(label))
                    .forEach(label -> unknown.add(selector.group(1) + " " + label)));
    GROUPING
        .matcher(expression)
        .results()
        .flatMap(grouping -> Stream.of(grouping.group(1).split(", ")))
        .forEach(
            label ->
                metrics(List.of(expression)).stream()
                    .filter(metric -> !known.get(metric).contains(label))
                    .forEach(metric -> unknown.add(metric + " " + label)));
    return unknown;
  }

  private static Set<String> metricsOfRunbooks() throws IOException {
    Set<String> named = new TreeSet<>();
    try (Stream<Path> files = Files.list(ROOT.resolve("docs/runbooks"))) {
      for (Path file : files.toList()) {
        METRIC.matcher(Files.readString(file)).results().forEach(one -> named.add(one.group()));
      }
    }
    return named;
  }

  /** The meters that this module cannot show: NodeDiskMetersTest checks their names. */
  private static boolean isOfNodes(String metric) {
    return metric.startsWith("ensemble_node_disk_");
  }

  /** A service that has all meters once a cache of each mode was used. */
  private static RestFixture started() throws Exception {
    RestFixture rest = new RestFixture();
    rest.sites.get("lyon").certificates =
        List.of(new CertificateExpiry(CertificateExpiry.Kind.SERVER, "a:1", Instant.now()));
    ServiceCertificateMeters.show(rest.meters, "service", Instant::now);
    for (int i = 0; i < MODES.size(); i++) {
      String body =
          "{\"name\": \"c%d\", %s, \"replication\": 3, \"deadlineMillis\": 3000}"
              .formatted(i, MODES.get(i));
      assertThat(rest.json("POST", "/caches", body).statusCode()).isEqualTo(201);
      String entry = "/caches/c" + i + "/entries/k";
      assertThat(rest.call("PUT", entry, "v".getBytes()).statusCode()).isEqualTo(204);
      assertThat(rest.get(entry).statusCode()).isEqualTo(200);
    }
    return rest;
  }

  @Test
  void everyMetricAndLabelIsExportedAndInTheTable() throws Exception {
    List<String> expressions = new ArrayList<>(expressionsOfRules());
    assertThat(expressions).hasSizeGreaterThan(20);
    expressions.addAll(dashboard());
    assertThat(expressions).hasSizeGreaterThan(40);
    assertThat(metrics(expressions)).allMatch(name -> name.startsWith("ensemble_"));
    expressions.removeIf(one -> metrics(List.of(one)).stream().anyMatch(m -> isOfNodes(m)));

    try (RestFixture rest = started()) {
      await("all are exported")
          .atMost(60, TimeUnit.SECONDS)
          .pollInterval(200, TimeUnit.MILLISECONDS)
          .untilAsserted(
              () ->
                  assertThat(labels(new String(rest.get("/metrics").body())).keySet())
                      .containsAll(metrics(expressions)));

      Map<String, Set<String>> known = labels(new String(rest.get("/metrics").body()));
      assertThat(expressions)
          .allSatisfy(expression -> assertThat(unknownLabels(expression, known)).isEmpty());
      assertThat(metricsOfRunbooks()).filteredOn(m -> !isOfNodes(m)).allMatch(known::containsKey);
      String table = Files.readString(ROOT.resolve("docs/metrics.md"));
      assertThat(rest.meters.getMeters())
          .extracting(meter -> meter.getId().getName())
          .filteredOn(name -> name.startsWith("ensemble."))
          .allSatisfy(name -> assertThat(table).contains("| `" + name + "` |"));
    }
  }

  @Test
  void aLabelThatAMetricLacksIsFound() {
    Map<String, Set<String>> known = Map.of("ensemble_a", Set.of("site", "instance"));

    assertThat(unknownLabels("max by (site, node) (ensemble_a{cache=\"node=1\"})", known))
        .containsExactly("ensemble_a cache", "ensemble_a node");
  }

  @Test
  void everyRuleHasASeverityASummaryAndARunbook() throws IOException {
    Set<String> pages = new TreeSet<>();
    for (AlertRule rule : rules()) {
      assertThat(rule.line("labels")).as(rule.name()).matches("\\{severity: (warning|critical)}");
      assertThat(rule.line("summary")).as(rule.name()).isNotEmpty();
      assertThat(rule.line("description")).as(rule.name()).isNotEmpty();
      String page = "docs/runbooks/%s.md".formatted(rule.name());
      assertThat(rule.line("runbook_url")).isEqualTo("\"" + page + "\"");
      String text = Files.readString(ROOT.resolve(page));
      assertThat(text).startsWith("# " + rule.name() + "\n");
      assertThat(HEADING.matcher(text).results().map(heading -> heading.group(1)))
          .as(page)
          .containsExactly("Meaning", "Impact", "Diagnosis", "Action", "End");
      pages.add(page);
    }
    try (Stream<Path> files = Files.list(ROOT.resolve("docs/runbooks"))) {
      assertThat(files.map(file -> "docs/runbooks/" + file.getFileName()))
          .as("each page but the list belongs to a rule")
          .filteredOn(page -> !page.endsWith("/README.md"))
          .containsExactlyInAnyOrderElementsOf(pages);
    }
    String list = Files.readString(ROOT.resolve("docs/runbooks/README.md"));
    for (AlertRule rule : rules()) {
      String severity = rule.line("labels").replaceAll("\\{severity: |}", "");
      assertThat(list).contains("[%1$s](%1$s.md) | %2$s |".formatted(rule.name(), severity));
    }
  }
}
