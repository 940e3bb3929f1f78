package io.ensemble.cli.sites;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import io.ensemble.check.process.ExitCode;
import io.ensemble.check.process.JsonOutput;
import io.ensemble.cli.CliResult;
import io.ensemble.testkit.embedded.EmbeddedFederation;
import io.ensemble.testkit.embedded.EmbeddedSite;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** {@code sites recover} while the node that holds a store is away. */
@Timeout(400)
class SitesRecoverIT {

  @TempDir Path directory;

  @Test
  void aStoreWhoseNodeStaysAwayIsDiscardedOnRequestOnly() throws Exception {
    try (EmbeddedFederation small = start(1, "lyon", "oslo");
        EmbeddedFederation large = start(3, "rome")) {
      Path file = written(small, large);
      EmbeddedSite rome = large.site("rome");
      assertThat(run(file, "caches", "create", "c", "--mode", "mwmr").code()).isZero();
      assertThat(run(file, "put", "c", "k", "kept").code()).isZero();

      CliResult refused = killTheHolder(file, rome);

      assertThat(refused.json().get("ok").asBoolean()).isFalse();
      JsonNode cache = refused.json().at("/caches/0");
      assertThat(cache.get("outcome").asText()).isEqualTo("failed");
      assertThat(cache.get("error").asText()).contains("site=rome", "UNREACHABLE");
      assertThat(run(file, "get", "c", "k").out()).isEqualToIgnoringNewLines("kept");
      CliResult described = run(file, "caches", "describe", "c");
      assertThat(described.code()).isZero();
      assertThat(described.out())
          .contains("replicas         2 of 3 available; survives no further loss")
          .containsPattern("at rome .*, MISSING: its node does not answer")
          .containsPattern("at oslo .*, whole");

      CliResult given = run(file, "sites", "recover", "rome", "--discard", "--json");
      assertThat(given.code()).as(given.err()).isZero();
      assertThat(given.json().at("/caches/0/outcome").asText()).isEqualTo("recovered");
      assertThat(given.json().at("/caches/0/keys").asInt()).isEqualTo(1);

      CliResult again = run(file, "sites", "recover", "rome", "--discard");
      assertThat(again.code()).as(again.err()).isZero();
      assertThat(again.out()).contains("unharmed"); // An intact store is not discarded.
      small.site("oslo").kill();
      assertThat(run(file, "get", "c", "k").out()).isEqualToIgnoringNewLines("kept");
    }
  }

  /** Kills the one of three nodes that holds the store; returns a recovery without that node. */
  private static CliResult killTheHolder(Path file, EmbeddedSite rome) throws Exception {
    for (int node = 0; node < 3; node++) {
      rome.killNode(node);
      CliResult ran = run(file, "sites", "recover", "rome", "--json");
      if (ran.code() != ExitCode.OK) {
        return ran;
      }
      assertThat(ran.json().at("/caches/0/outcome").asText()).isEqualTo("unharmed");
      rome.restartNode(node);
    }
    throw new AssertionError("no node holds the store");
  }

  private static EmbeddedFederation start(int nodes, String... names) {
    return EmbeddedFederation.start(
        EmbeddedFederation.Options.defaults().withSiteNames(names).withNodesPerSite(nodes));
  }

  /** Writes a file of the sites, as an operator would. */
  private Path written(EmbeddedFederation... federations) throws Exception {
    List<Map<String, Object>> sites = new ArrayList<>();
    for (EmbeddedFederation federation : federations) {
      for (EmbeddedSite site : federation.sites()) {
        List<String> endpoints =
            site.endpoints().stream().map(at -> at.getHostString() + ":" + at.getPort()).toList();
        sites.add(Map.of("name", site.name(), "endpoints", endpoints));
      }
    }
    return Files.write(
        directory.resolve("sites.json"),
        JsonOutput.mapper().writeValueAsBytes(Map.of("sites", sites)));
  }

  private static CliResult run(Path file, String... arguments) {
    List<String> all = new ArrayList<>(List.of(arguments));
    all.addAll(List.of("--federation", file.toString()));
    return CliResult.ensemble(all);
  }
}
