package io.ensemble.cli.caches;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import com.fasterxml.jackson.databind.JsonNode;
import io.ensemble.check.federation.FederationFile;
import io.ensemble.check.federation.LocalPlan;
import io.ensemble.check.federation.RunningFederation;
import io.ensemble.check.process.ExitCode;
import io.ensemble.cli.CliResult;
import io.ensemble.cli.CliRunner;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Commands that place caches, and that make caches of other caches. */
class CliPlacementIT {

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
  void aCacheIsPlacedAndSaysWhy() throws IOException {
    federation.label("lyon", Map.of("region", "eu"));
    federation.label("rome", Map.of("region", "eu"));
    ensemble.ok("created", "caches", "create", "orders", "--mode", "mwmr", "--sites", "rome");

    ensemble.ok(
        "created: cache 'near', mwmr, at rome",
        "caches create near --mode mwmr --replication 1 --label region=eu --near orders"
            .split(" "));

    JsonNode why = ensemble.run("explain", "placement", "near", "--json").json();
    assertThat(why.get("sites").toString()).isEqualTo("[\"rome\"]");
    assertThat(why.get("wish").asText())
        .isEqualTo("--replication 1 --label region=eu --near orders");
    assertThat(why.get("then").get("reasons").toString())
        .contains("rome: chosen as number 1: ", "lyon: not chosen: ", "oslo: excluded: ");
    assertThat(why.get("now").get("sites").toString()).isEqualTo("[\"rome\"]");
    assertThat(ensemble.run("explain", "placement", "near").out())
        .contains("at creation", "decided now", "  oslo: excluded: ");
    assertThat(ensemble.run("explain", "placement", "orders").out())
        .contains("nothing: its sites were given by name", "best now");
    ensemble.refused(
        ExitCode.FAILED,
        "too few sites may hold the cache; cache=x required=2 found=1",
        "caches create x --mode weak --replication 2 --ban rome --label region=eu".split(" "));
    ensemble.refused(
        ExitCode.USAGE,
        "cache=x unknown=[olso] known=[lyon, oslo, rome]",
        "caches create x --mode weak --replication 1 --ban olso".split(" "));
    ensemble.ok(
        "created: cache 'stuck', weak, at rome",
        "caches create stuck --mode weak --replication 1 --label region=eu --ban lyon".split(" "));
    ensemble.refused(
        ExitCode.FAILED,
        "cache stuck: one more site (label region=eu, none of [lyon]) is required; there are lyon: "
            + "banned; oslo: label region=eu missing",
        "sites drain rome".split(" "));
    ensemble.ok("deleted", "caches", "delete", "stuck");
    ensemble.refused(
        ExitCode.USAGE,
        "--replication N is required",
        "caches create x --mode weak --ban rome".split(" "));
    ensemble.refused(ExitCode.FAILED, "there is no cache 'none'", "explain", "placement", "none");
    federation.label("oslo", Map.of("region", "eu"));
    assertThat(
            ensemble
                .run("explain", "placement", "near", "--json")
                .json()
                .get("then")
                .get("reasons")
                .toString())
        .contains("oslo: excluded: ");
  }

  /** The nodes of a site add up their statistics every three seconds. */
  @Test
  void aCacheComesWhereTheLeastIs() throws Exception {
    ensemble.ok("created", "caches create full --mode weak --sites lyon,rome".split(" "));
    for (int i = 0; i < 40; i++) {
      ensemble.ok("written", "put", "full", "k" + i, "v");
    }
    await("the figures of all sites have come")
        .atMost(Duration.ofMinutes(2))
        .until(
            () -> {
              boolean placed = placedByFigures("light");
              if (!placed) {
                ensemble.ok("deleted", "caches", "delete", "light");
              }
              return placed;
            });

    assertThat(decided("light")).contains("oslo: chosen as number 1", "load -");
    await("the figures of both sites count all entries")
        .atMost(Duration.ofMinutes(2))
        .untilAsserted(
            () -> {
              JsonNode sites = ensemble.run("sites", "list", "--json").json().get("sites");
              assertThat(sites.findValues("entries")).hasSize(3);
              for (JsonNode site : sites) {
                if (!site.get("name").asText().equals("oslo")) {
                  assertThat(site.get("entries").asLong()).isGreaterThanOrEqualTo(40);
                }
              }
            });
    assertThat(ensemble.run("sites", "list").out()).contains("ENTRIES", "REQUESTS/S");
  }

  private static boolean placedByFigures(String cache) {
    ensemble.ok("created", ("caches create " + cache + " --mode weak --replication 1").split(" "));
    return decided(cache).matches("(?s).*lyon: not chosen[^\\n]* entries -\\d+ \\([4-9]\\d.*");
  }

  private static String decided(String cache) {
    return ensemble.run("explain", "placement", cache).out();
  }

  @Test
  void aPartIsAddedAndRemoved() throws IOException {
    for (String part : List.of("m1", "m2", "m3")) {
      ensemble.ok("created", "caches", "create", part, "--mode", "mwmr", "--sites", "lyon");
    }
    ensemble.ok("created", "caches", "create", "grows", "--distributed", "m1,m2");
    for (int i = 0; i < 4; i++) {
      ensemble.ok("written", "put", "grows", "k" + i, "v" + i);
    }

    CliResult altered = ensemble.run("caches", "alter", "grows", "--add-part", "m3");
    assertThat(altered.code()).as(altered.err()).isZero();
    assertThat(altered.out()).startsWith("altered: cache 'grows', distributed to m1,m2,m3");

    for (int i = 0; i < 4; i++) {
      ensemble.ok("v" + i, "get", "grows", "k" + i);
    }
    JsonNode described = ensemble.run("caches", "describe", "grows", "--json").json();
    assertThat(described.get("parts").toString()).isEqualTo("[\"m1\",\"m2\",\"m3\"]");
    assertThat(described.has("growing")).isFalse();
    ensemble.refused(
        ExitCode.USAGE,
        "must be a part of the cache",
        "caches",
        "alter",
        "grows",
        "--remove-part",
        "x");
    ensemble.refused(
        ExitCode.FAILED, "no change of the parts", "caches", "alter", "grows", "--resume");
    ensemble.refused(ExitCode.USAGE, "no change requested", "caches", "alter", "grows");
    ensemble.ok(
        "created", "caches create modulo --distributed m1,m2 --partitioner modulo".split(" "));
    ensemble.refused(
        ExitCode.FAILED,
        "% of the keys would move",
        "caches",
        "alter",
        "modulo",
        "--add-part",
        "m3");
    ensemble.ok("deleted", "caches", "delete", "modulo");
    ensemble.ok("deleted", "caches", "delete", "grows");
  }

  @Test
  void aCacheWithShardsIsOneCacheToItsCommands() throws IOException {
    ensemble.ok(
        "created: cache 'wide', mwmr, at lyon,oslo,rome, in 3 shards",
        "caches create wide --mode mwmr --shards 3".split(" "));
    for (int i = 0; i < 9; i++) {
      ensemble.ok("written", "put", "wide", "k" + i, "v" + i);
    }

    JsonNode described = ensemble.run("caches", "describe", "wide", "--json").json();
    assertThat(described.get("shards")).hasSize(3);
    String shard = described.get("parts").get(2).asText();
    assertThat(described.get("shards").get(shard).get("whole").asInt()).isEqualTo(3);
    assertThat(ensemble.run("caches", "describe", "wide").out())
        .contains(shard + ": 3 of 3 available; survives 1 further loss");
    ensemble.refused(ExitCode.FAILED, "distributed=[wide]", "caches", "delete", shard);
    String[] alter = "caches alter wide --drop-site oslo".split(" ");
    assertThat(ensemble.run(alter).out())
        .contains("altered: cache '" + shard + "' is mwmr at lyon,rome");
    assertThat(ensemble.run(alter).out()).contains("unchanged: cache '" + shard);
    ensemble.refused(
        ExitCode.USAGE, "no such site: 'bern'", "caches alter wide --drop-site bern".split(" "));
    assertThat(ensemble.run("caches", "rebuild", "wide").out())
        .contains("altered: cache '" + shard + "' is mwmr at lyon,rome, configuration 3");
    assertThat(ensemble.run("caches", "list").out())
        .contains(shard, "lyon,rome")
        .doesNotContain("lyon,oslo,rome");
    for (int i = 0; i < 9; i++) {
      ensemble.ok("v" + i, "get", "wide", "k" + i);
    }
    ensemble.ok("deleted", "caches", "delete", "wide");
    ensemble.ok("created", "caches create led --mode swmr --shards 2".split(" "));
    assertThat(ensemble.run("caches", "promote", "led", "rome").out())
        .containsPattern("'led\\.[0-9a-f]{8}\\.1' has its primary at rome")
        .containsPattern("'led\\.[0-9a-f]{8}\\.2' has its primary at rome");
    ensemble.ok("deleted", "caches", "delete", "led");
    assertThat(ensemble.run("caches", "list").out()).doesNotContain("wide");
    ensemble.refused(
        ExitCode.USAGE, "--shards", "caches create x --mode mwmr --shards 0".split(" "));
    ensemble.refused(
        ExitCode.USAGE,
        "requires sites by name",
        "caches create x --mode mwmr --shards 2 --replication 2".split(" "));
    ensemble.refused(
        ExitCode.USAGE, "--shards", "caches create x --distributed y --shards 2".split(" "));
  }

  @Test
  @Tag("nightly")
  void aDistributedCacheIsMadeOfOthers() throws IOException {
    ensemble.ok("created", "caches", "create", "east", "--mode", "mwmr");
    ensemble.ok("created", "caches", "create", "west", "--mode", "weak", "--sites", "oslo");

    ensemble.ok(
        "created: cache 'all', distributed to east,west,all.rome by uniform pattern=^(\\d+)/",
        "caches create all --distributed east,west,site:rome --partitioner pattern=^(\\d+)/"
            .split(" "));

    for (int i = 0; i < 3; i++) {
      ensemble.ok("written", "put", "all", i + "/k", "v" + i);
      ensemble.ok("v" + i, "get", "all", i + "/k");
    }
    assertThat(ensemble.run("caches", "list").out()).contains("distributed", "east,west,all.rome");
    JsonNode described = ensemble.run("caches", "describe", "all", "--json").json();
    assertThat(described.get("parts").toString()).isEqualTo("[\"east\",\"west\",\"all.rome\"]");
    assertThat(described.get("partitioner").asText()).isEqualTo("uniform");
    assertThat(ensemble.run("caches", "describe", "all").out())
        .contains("uniform pattern=^(\\d+)/");
    ensemble.refused(ExitCode.FAILED, "distributed=[all]", "caches", "delete", "east");
    ensemble.refused(ExitCode.FAILED, "its parts are placed", "explain", "placement", "all");
    ensemble.refused(
        ExitCode.FAILED, "'all' is distributed", "caches", "alter", "all", "--mode", "weak");
    ensemble.refused(
        ExitCode.USAGE,
        "no such site: 'bern'; there are [lyon, oslo, rome]",
        "caches create x --distributed east,site:bern".split(" "));
    ensemble.refused(
        ExitCode.FAILED,
        "a distributed cache has this name; cache=all",
        "caches",
        "create",
        "all",
        "--mode",
        "mwmr");
    ensemble.refused(
        ExitCode.FAILED,
        "partitioner",
        "caches",
        "create",
        "x",
        "--distributed",
        "east",
        "--partitioner",
        "zodiac");
    ensemble.refused(
        ExitCode.USAGE,
        "belong to the parts: create the parts first",
        "caches",
        "create",
        "x",
        "--distributed",
        "east",
        "--replication",
        "2");
    ensemble.refused(
        ExitCode.USAGE, "require --distributed", "caches", "create", "x", "--frontier");
    ensemble.refused(ExitCode.USAGE, "a mode is required", "caches", "create", "x");
    ensemble.ok(
        "created: cache 'near-all', distributed to east by rendezvous, in frontier mode",
        "caches",
        "create",
        "near-all",
        "--distributed",
        "east",
        "--frontier");
    ensemble.ok("key 'k' in cache 'east'", "explain", "key", "near-all", "k");
    ensemble.ok("deleted", "caches", "delete", "near-all");
    ensemble.ok("deleted", "caches", "delete", "all");
    ensemble.ok("deleted", "caches", "delete", "all.rome");
  }
}
