package io.ensemble.cli;

import static org.assertj.core.api.Assertions.assertThat;

import io.ensemble.check.process.ExitCode;
import io.ensemble.cli.output.LogSetup;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class CommandLineTest {

  @ParameterizedTest
  @ValueSource(
      strings = {
        "",
        "nonsense",
        "caches",
        "caches create",
        "caches create c",
        "caches create c --mode strong",
        "caches create c --mode weak --deadline 5",
        "caches create c --mode weak --replication many",
        "caches alter",
        "caches alter c",
        "caches alter c --mode strong",
        "caches alter c --sites a,b --add-site d",
        "caches alter c --mode mwmr --rate -1",
        "migrations nonsense",
        "migrations show",
        "heat",
        "heat c --top 0",
        "heat c --minutes 1441",
        "locks show c",
        "objects",
        "objects list",
        "objects list c --limit 0",
        "tree",
        "tree ls c",
        "tree ls c t --limit 0",
        "tree read c t",
        "tree write c t /p",
        "tree rm c t",
        "tree watch c t",
        "tree watch c t / --events -1",
        "tree watch c t / --for 5",
        "locks revoke c l",
        "migrations cancel",
        "migrations resume",
        "migrations rate c",
        "migrations rate c fast",
        "migrations rate c -- -1",
        "get c",
        "put c k",
        "put c k v --if-absent --if-value w",
        "put c k v --lifespan -1s",
        "up --sites 0",
        "up --nodes 10",
        "up --sites x",
        "up --data d",
        "up --processes --disk-reserve 1GB",
        "up --processes --data d --disk-reserve 256",
        "up --latency 15",
        "up --latency 11s",
        "up --bandwidth 10",
        "up --bandwidth 1kbit",
        "doctor --timeout 0s",
        "bundle",
        "backup",
        "backup create",
        "backup create d --file-size 0",
        "backup create d --file-size 64",
        "backup create d --resume --cache c",
        "backup verify",
        "backup list",
        "backup list s3://bucket",
        "backup list s3://bucket/a --s3-timeout 1ms",
        "backup list s3://bucket/a --s3-endpoint minio:9000",
        "backup create s3://bucket/a --file-size 65GB",
        "restore",
        "restore d --cache =c",
        "restore d --cache c=",
        "restore d --cache c --cache c=e",
        "restore d --on-conflict ask",
        "size --entries 1 --mode mwmr",
        "sites drain",
        "sites drain lyon --rate -1",
        "sites drain lyon --timeout 0s",
        "sites recover",
        "sites recover lyon --timeout 0s",
        "demo --sites 2",
        "demo --nodes 10",
        "demo --records 0",
        "ycsb --workload g --mode weak",
        "ycsb --workload a",
        "up --rest-port 65536",
        "up --site bern --no-rest",
        "rest --port -1",
        "trace",
        "trace git",
        "trace git . --out t --since yesterday",
        "trace git . --out t --limit 0",
        "trace synthetic --out t --keys 0",
        "trace synthetic --out t --alpha 0",
        "trace synthetic",
        "trace show",
      })
  void aWrongCommandLineIsUsageAndOneLine(String line, @TempDir Path directory) {
    List<String> arguments =
        line.startsWith("up")
            ? List.of((line + " --federation " + directory.resolve("f.json")).split(" "))
            : List.of(line.split(" "));

    CliResult ran = CliResult.ensemble(line.isEmpty() ? List.of() : arguments);

    assertThat(ran.code()).isEqualTo(ExitCode.USAGE);
    assertThat(ran.out()).isEmpty();
    assertThat(ran.err()).startsWith("ensemble: ").doesNotContain("\tat ");
    assertThat(ran.err().lines().count()).isBetween(1L, 3L);
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "demo",
        "up",
        "rest",
        "sites",
        "doctor",
        "bundle",
        "backup",
        "restore",
        "size",
        "caches",
        "migrations",
        "explain",
        "load",
        "get",
        "put",
        "remove",
        "heat",
        "locks",
        "ycsb",
        "check",
        "trace",
        "generate-completion"
      })
  void everyCommandHasHelp(String command) {
    assertThat(CliResult.ensemble("--help").out()).contains(command);
    assertThat(CliResult.ensemble(command, "--help").code()).isZero();
    assertThat(CliResult.ensemble("help", command).out()).contains("Usage: ensemble " + command);
  }

  /** 'help' accepts top-level commands only, not their subcommands. */
  @Test
  void whereTheMistakeWasTheHelpOfThatCommandIsNamed() {
    String mistaken = CliResult.ensemble("caches", "create").err();
    assertThat(mistaken).contains("See 'ensemble caches create --help'.");
    assertThat(CliResult.ensemble("caches", "create", "--help").out()).contains("--replication");
    assertThat(CliResult.ensemble().err()).contains("See 'ensemble --help'.");
  }

  @Test
  void aPasswordThatIsGivenByMistakeIsNotRepeated() {
    for (String given : new String[] {"ada:geheim", "ada@geheim"}) {
      CliResult ran =
          CliResult.ensemble(
              "sites", "add", "s", "--endpoints", "h:1", "--credentials", given, "--json");
      assertThat(ran.code()).isEqualTo(ExitCode.USAGE);
      assertThat(ran.err() + ran.out()).contains("USER@file:PATH").doesNotContain("geheim");
    }
  }

  @Test
  void helpTellsTheExitCodes() {
    assertThat(CliResult.ensemble("help").out())
        .contains("0   done", "2   invalid command line", "3   outcome unknown");
  }

  @Test
  void completionIsAScriptOfAllCommands() {
    CliResult ran = CliResult.ensemble("generate-completion");

    assertThat(ran.code()).isZero();
    assertThat(ran.out())
        .startsWith("#!")
        .contains("ensemble", "caches", "--if-absent", "ycsb", "\"rolling\" \"split\"");
  }

  @Test
  void withoutAFederationTheWayOutIsTold(@TempDir Path directory) throws IOException {
    String file = directory.resolve("none.json").toString();

    CliResult text = CliResult.ensemble("get", "c", "k", "--federation", file);
    CliResult json = CliResult.ensemble("caches", "list", "--json", "--federation", file);

    assertThat(text.code()).isEqualTo(ExitCode.FAILED);
    assertThat(text.out()).isEmpty();
    assertThat(text.err())
        .isEqualToIgnoringNewLines(
            "ensemble: no federation is running (no file " + file + "); run 'ensemble up'");
    assertThat(json.json().get("exit_code").asInt()).isEqualTo(ExitCode.FAILED);
    assertThat(json.json().get("error").asText()).contains("run 'ensemble up'");
  }

  @Test
  void aStackTraceIsForDebuggingOnly(@TempDir Path directory) throws IOException {
    Path broken = Files.writeString(directory.resolve("f.json"), "{");

    CliResult plain = CliResult.ensemble("sites", "--federation", broken.toString());
    CliResult debug = CliResult.ensemble("sites", "--debug", "--federation", broken.toString());
    LogSetup.quiet();

    assertThat(plain.err()).contains("does not describe a federation").doesNotContain("\tat ");
    assertThat(debug.err()).contains("does not describe a federation").contains("\tat ");
  }
}
