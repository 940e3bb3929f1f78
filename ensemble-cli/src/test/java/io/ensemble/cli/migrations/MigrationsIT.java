package io.ensemble.cli.migrations;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import io.ensemble.check.federation.FederationFile;
import io.ensemble.check.federation.LocalPlan;
import io.ensemble.check.federation.RunningFederation;
import io.ensemble.check.process.ExitCode;
import io.ensemble.cli.CliResult;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Commands change caches and control these changes; each opens its own connections. */
class MigrationsIT {

  @TempDir static Path directory;
  private static FederationFile file;
  private static RunningFederation federation;

  @BeforeAll
  static void up() {
    file = FederationFile.at(directory.resolve("federation.json"));
    federation = RunningFederation.start(file.claim(), LocalPlan.embedded(3, 1), line -> {});
  }

  @AfterAll
  static void down() {
    federation.close();
  }

  @Test
  void aCacheIsAlteredAndItsChangeIsSteered() throws IOException {
    String[] create = {"caches", "create", "moved", "--mode", "weak", "--sites", "lyon,oslo"};
    ok("created", create);
    ok("written", "put", "moved", "k", "v");
    assertThat(run("migrations").out()).startsWith("no cache is being changed");
    refused(ExitCode.FAILED, "no change of", "migrations", "show", "moved");
    refused(ExitCode.FAILED, "no change of", "migrations", "resume", "moved");
    refused(
        ExitCode.USAGE, "no replica at 'rome'", "caches", "alter", "moved", "--drop-site", "rome");
    refused(ExitCode.USAGE, "already", "caches", "alter", "moved", "--add-site", "oslo");
    refused(ExitCode.USAGE, "no such site", "caches", "alter", "moved", "--sites", "bern");
    ok("unchanged: cache 'moved' is weak", "caches", "alter", "moved", "--mode", "weak");

    String[] begin = {"caches", "alter", "moved", "--mode", "mwmr", "--add-site", "rome"};
    ok("begun: cache 'moved' is weak at lyon,oslo", with(begin, "--no-wait", "--rate", "7"));
    JsonNode listed = run("migrations", "list", "--json").json().get("migrations").get(0);
    assertThat(listed.get("cache").asText()).isEqualTo("moved");
    assertThat(listed.get("number").asInt()).isEqualTo(2);
    assertThat(listed.get("to").get("sites").toString()).isEqualTo("[\"lyon\",\"oslo\",\"rome\"]");
    assertThat(listed.get("rate").asInt()).isEqualTo(7);
    assertThat(run("migrations").out()).contains("weak lyon,oslo", "mwmr lyon,oslo,rome", "7/s");
    ok("paced: the change of cache 'moved' copies 9", "migrations", "rate", "moved", "9");
    assertThat(run("migrations", "show", "moved").out()).contains("9 keys per second", "turn 1");
    String[] other = {"caches", "alter", "moved", "--sites", "rome"};
    refused(ExitCode.FAILED, "is being changed", other);
    CliResult cancelled = run("migrations", "cancel", "moved");
    assertThat(cancelled.out()).startsWith("cancelled: cache 'moved' is weak at lyon,oslo");
    assertThat(cancelled.code()).isZero();

    ok("begun", with(begin, "--no-wait"));
    CliResult resumed = run("migrations", "resume", "moved", "--json");
    assertThat(resumed.code()).as(resumed.err()).isZero();
    assertThat(resumed.json().get("outcome").asText()).isEqualTo("altered");
    assertThat(resumed.json().get("configuration").asInt()).isEqualTo(2);
    assertThat(resumed.json().get("left")).isEmpty();
    CliResult altered = run("caches", "alter", "moved", "--drop-site", "lyon");
    assertThat(altered.out())
        .startsWith("altered: cache 'moved' is mwmr at oslo,rome, configuration 3");
    ok("v", "get", "moved", "k");
    ok("deleted", "caches", "delete", "moved");
  }

  @Test
  void aRefusedCreationOfADistributedCacheLeavesNothingBehind() throws IOException {
    ok("created", "caches", "create", "d1", "--mode", "mwmr", "--sites", "lyon");
    String[] create = {"caches", "create", "zod", "--distributed", "d1,site:rome"};

    assertThat(run(with(create, "--partitioner", "zodiac")).code()).isNotZero();
    assertThat(run("caches", "create", "zod", "--distributed", "nothere,site:rome").code())
        .isNotZero();
    assertThat(run("caches", "create", "d1", "--distributed", "site:rome").code()).isNotZero();

    assertThat(run("caches", "list", "--json").json().toString())
        .contains("d1")
        .doesNotContain("zod", "d1.rome");
    ok("created: cache 'zod', distributed", create);
    refused(
        ExitCode.USAGE,
        "part=nothere",
        "caches",
        "alter",
        "zod",
        "--add-part",
        "nothere",
        "--move-most");
    ok("deleted", "caches", "delete", "zod");
    ok("deleted", "caches", "delete", "zod.rome");
    ok("deleted", "caches", "delete", "d1");
  }

  private static String[] with(String[] command, String... more) {
    List<String> all = new ArrayList<>(List.of(command));
    all.addAll(List.of(more));
    return all.toArray(String[]::new);
  }

  private static void ok(String shown, String... arguments) {
    CliResult ran = run(arguments);
    assertThat(ran.err()).isEmpty();
    assertThat(ran.out()).startsWith(shown);
    assertThat(ran.code()).isZero();
  }

  private static void refused(int code, String why, String... arguments) {
    CliResult ran = run(arguments);
    assertThat(ran.err()).startsWith("ensemble: ").contains(why);
    assertThat(ran.out()).isEmpty();
    assertThat(ran.code()).isEqualTo(code);
  }

  private static CliResult run(String... arguments) {
    return CliResult.ensemble(with(arguments, "--federation", file.path().toString()));
  }
}
