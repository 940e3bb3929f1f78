package io.ensemble.deploy;

import static java.util.concurrent.TimeUnit.MILLISECONDS;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import com.fasterxml.jackson.databind.JsonNode;
import io.ensemble.testkit.embedded.EmbeddedFederation;
import io.ensemble.testkit.embedded.EmbeddedSite;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.awaitility.core.ConditionTimeoutException;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** {@code sites recover} where a store refuses for good: two nodes of three died at once. */
@Timeout(400)
class SitesRecoverIT {

  private static final int MOST_KILLS = 6;
  private static final Duration LONGEST = Duration.ofMinutes(2);

  /** A site that goes on with one node is broken again after that. */
  private static final Duration LONGEST_DEGRADING = Duration.ofSeconds(30);

  @TempDir Path directory;

  @Test
  void aStoreThatRefusesForGoodIsGivenUpOnlyWhenAskedTo() throws Exception {
    try (EmbeddedFederation small = start(1, "lyon", "oslo");
        EmbeddedFederation large = start(3, "rome")) {
      Path file = written(small, large);
      EmbeddedSite rome = large.site("rome");
      assertThat(run(file, "caches", "create", "c", "--mode", "mwmr").code()).isZero();
      assertThat(run(file, "put", "c", "k", "kept").code()).isZero();

      breakForGood(rome);
      rome.restart();
      Ran refused =
          await("the command reports the refusal")
              .atMost(LONGEST)
              .until(
                  () -> run(file, "sites", "recover", "rome", "--json"), SitesRecoverIT::refuses);

      assertThat(refused.json().get("ok").asBoolean()).isFalse();
      JsonNode cache = refused.json().at("/caches/0");
      assertThat(cache.get("outcome").asText()).isEqualTo("failed");
      assertThat(cache.get("error").asText()).contains("refuses everyone", "site=rome");
      assertThat(run(file, "get", "c", "k").out()).isEqualToIgnoringNewLines("kept");

      Ran given = run(file, "sites", "recover", "rome", "--give-up", "--json");
      assertThat(given.code()).as(given.err()).isZero();
      assertThat(given.json().at("/caches/0/outcome").asText()).isEqualTo("recovered");
      assertThat(given.json().at("/caches/0/keys").asInt()).isEqualTo(1);

      Ran again = run(file, "sites", "recover", "rome", "--give-up");
      assertThat(again.code()).as(again.err()).isZero();
      assertThat(again.out()).contains("unharmed"); // What is whole is not given up.
      small.site("oslo").kill();
      assertThat(run(file, "get", "c", "k").out()).isEqualToIgnoringNewLines("kept");
    }
  }

  /**
   * Kills two nodes of three until the last one refuses. The first is among them, which coordinates
   * the others: it might go on if it missed them one by one, and who takes its place does not.
   */
  private static void breakForGood(EmbeddedSite rome) {
    for (int attempt = 1; attempt <= MOST_KILLS; attempt++) {
      rome.killNodes(0, 1);
      try {
        await("the last node refuses")
            .atMost(LONGEST_DEGRADING)
            .pollInterval(50, MILLISECONDS)
            .until(rome::isDegraded);
        return;
      } catch (ConditionTimeoutException goesOn) {
        rome.restart();
        await("the site is whole")
            .atMost(LONGEST)
            .pollInterval(50, MILLISECONDS)
            .until(rome::isBalanced);
      }
    }
    throw new AssertionError("the site never refused; kills=" + MOST_KILLS);
  }

  private static boolean refuses(Ran ran) {
    return ran.code() != ExitCode.OK && ran.out().contains("refuses everyone");
  }

  private static EmbeddedFederation start(int nodes, String... names) {
    return EmbeddedFederation.start(
        EmbeddedFederation.Options.defaults().withSiteNames(names).withNodesPerSite(nodes));
  }

  /** The sites as somebody would who runs them. */
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
        directory.resolve("sites.json"), Output.mapper().writeValueAsBytes(Map.of("sites", sites)));
  }

  private static Ran run(Path file, String... arguments) {
    List<String> all = new ArrayList<>(List.of(arguments));
    all.addAll(List.of("--federation", file.toString()));
    return Ran.ensemble(all);
  }
}
