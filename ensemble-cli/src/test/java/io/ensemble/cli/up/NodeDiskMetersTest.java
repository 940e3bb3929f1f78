package io.ensemble.cli.up;

import static org.assertj.core.api.Assertions.assertThat;

import io.micrometer.prometheusmetrics.PrometheusConfig;
import io.micrometer.prometheusmetrics.PrometheusMeterRegistry;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The disks of the nodes of a federation are shown as they are now. */
class NodeDiskMetersTest {

  private static final Path DOCS = Path.of("..", "docs");
  private static final Pattern METRIC = Pattern.compile("ensemble_node_\\w+");

  private final PrometheusMeterRegistry registry =
      new PrometheusMeterRegistry(PrometheusConfig.DEFAULT);

  @TempDir Path data;

  private void node(String site, int node, long reserve) throws IOException {
    Path directory = Files.createDirectories(data.resolve(site).resolve(String.valueOf(node)));
    Files.createDirectories(directory.resolve("conf"));
    Files.writeString(directory.resolve("conf").resolve("disk-reserve"), String.valueOf(reserve));
  }

  private double value(String meter, String site, String node) {
    return registry
        .get("ensemble.node.disk." + meter)
        .tags("site", site, "node", node)
        .gauge()
        .value();
  }

  @Test
  void eachNodeShowsItsDiskAndWhetherItIsLow() throws IOException {
    Files.writeString(data.resolve("federation.json"), "{}");
    node("lyon", 0, 1);
    node("lyon", 1, 1);
    node("oslo", 0, Long.MAX_VALUE / 2);

    new NodeDiskMeters(data).bindTo(registry);

    assertThat(value("free", "lyon", "1")).isPositive();
    assertThat(value("reserve", "lyon", "1")).isEqualTo(1);
    assertThat(value("low", "lyon", "1")).isZero();
    assertThat(value("low", "oslo", "0")).isEqualTo(1);
    Path mark = Files.writeString(data.resolve("lyon/1/disk-low"), "free_bytes=0");
    assertThat(value("low", "lyon", "1")).as("it rejects clients").isEqualTo(1);
    assertThat(value("low", "lyon", "0")).isZero();
    Files.delete(mark);
    assertThat(value("low", "lyon", "1")).isZero();
  }

  @Test
  void rulesDashboardAndTableNameTheseMeters() throws IOException {
    Files.writeString(data.resolve("federation.json"), "{}");
    node("lyon", 0, 1);
    new NodeDiskMeters(data).bindTo(registry);
    String scrape = registry.scrape();

    Set<String> named = new TreeSet<>();
    for (String file :
        List.of("monitoring/prometheus-rules.yml", "monitoring/grafana-dashboard.json")) {
      METRIC
          .matcher(Files.readString(DOCS.resolve(file)))
          .results()
          .forEach(metric -> named.add(metric.group()));
    }

    assertThat(named).hasSize(3);
    assertThat(named)
        .allSatisfy(name -> assertThat(scrape).contains(name + "{node=\"0\",site=\"lyon\"}"));
    String table = Files.readString(DOCS.resolve("metrics.md"));
    assertThat(registry.getMeters())
        .extracting(meter -> meter.getId().getName())
        .allSatisfy(name -> assertThat(table).contains("| `" + name + "` |"));
  }
}
