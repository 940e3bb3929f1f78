package io.ensemble.cli.explain;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import io.ensemble.check.federation.FederationFile;
import io.ensemble.check.federation.LocalPlan;
import io.ensemble.check.federation.RunningFederation;
import io.ensemble.check.process.ExitCode;
import io.ensemble.cli.CliResult;
import io.ensemble.cli.CliRunner;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The history of keys and caches, seen by commands. */
class CliWatchIT {

  @TempDir static Path directory;
  private static FederationFile file;
  private static RunningFederation federation;
  private static CliRunner ensemble;

  @BeforeAll
  static void up() {
    file = FederationFile.at(directory.resolve("federation.json"));
    ensemble = new CliRunner(file);
    federation = RunningFederation.start(file.claim(), LocalPlan.embedded(3, 1), line -> {});
  }

  @AfterAll
  static void down() {
    federation.close();
  }

  @Test
  void whatEachSiteHoldsOfAKeyIsShown() throws IOException {
    for (String mode : List.of("weak", "swmr", "mwmr")) {
      String cache = "shown-" + mode;
      ensemble.ok("created", "caches", "create", cache, "--mode", mode, "--replication", "3");
      ensemble.ok("written", "put", cache, "k", "v");
      JsonNode there = ensemble.run("explain", "key", cache, "k", "--json").json();
      assertThat(there.get("mode").asText()).isEqualTo(mode);
      assertThat(there.get("sites")).hasSize(3);
      assertThat(there.get("sites"))
          .filteredOn(site -> site.get("latest").asBoolean())
          .as(there.toString())
          .hasSizeGreaterThanOrEqualTo(2)
          .allSatisfy(
              site -> {
                assertThat(site.get("answered").asBoolean()).isTrue();
                assertThat(site.get("state").asText()).isEqualTo("value");
                assertThat(site.get("bytes").asInt()).isEqualTo(2);
                assertThat(site.get("digest").asText()).hasSize(16);
                assertThat(site.get("store").asText()).startsWith(cache + ".1.");
                assertThat(site.get("millis").asDouble()).isPositive();
              });
      ensemble.ok("removed", "remove", cache, "k");

      assertThat(ensemble.run("explain", "key", cache, "k").out())
          .contains("in cache '" + cache, "removed", "SITE", "lyon", "oslo", "rome");
      assertThat(ensemble.run("explain", "key", cache, "never").out()).contains("absent");
    }
    ensemble.refused(ExitCode.FAILED, "there is no cache 'none'", "explain", "key", "none", "k");
  }

  @Test
  void whatApplicationsDoIsRecordedAndJudged() throws IOException {
    Path one = directory.resolve("one.jsonl");
    Path two = directory.resolve("two.jsonl");
    ensemble.ok("created", "caches", "create", "worked", "--mode", "mwmr", "--replication", "3");
    for (Path file : List.of(one, two)) {
      String part = (file == one ? "1" : "2") + "/2";
      CliResult load =
          ensemble.run("load", "worked", "--history", file + "", "--for", "1s", "--part", part);
      assertThat(load.code()).as(load.err()).isZero();
      assertThat(load.out()).contains(" answered, 0 refused", "without an answer");
    }

    CliResult judged = ensemble.run("check", "--only-check", "--history", one + "," + two);
    assertThat(judged.code()).as(judged.out()).isZero();
    assertThat(judged.out()).contains("held: linearizable");

    List<String> lines = new ArrayList<>(Files.readAllLines(one));
    Files.write(one, lines.stream().map(line -> line.replace("\"write\"", "\"read\"")).toList());
    assertThat(ensemble.run("check", "--only-check", "--history", one + "," + two).code())
        .as("what was read was never written")
        .isNotZero();
    ensemble.refused(ExitCode.USAGE, "1/2", "load", "worked", "--history", "h", "--part", "3/2");
    ensemble.refused(ExitCode.FAILED, "there is no cache", "load", "none", "--history", "h");
  }
}
