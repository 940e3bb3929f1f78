package io.ensemble.cli.check;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.params.provider.Arguments.arguments;

import com.fasterxml.jackson.databind.JsonNode;
import io.ensemble.check.federation.FederationFile;
import io.ensemble.check.federation.LocalFederation;
import io.ensemble.check.federation.LocalPlan;
import io.ensemble.check.federation.RunningFederation;
import io.ensemble.check.process.ExitCode;
import io.ensemble.check.report.CheckEvidence;
import io.ensemble.cli.CliResult;
import io.ensemble.testkit.history.HistoryMeta;
import io.ensemble.testkit.history.HistoryReader;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * The trial as users run it: on its own sites among faults, and on sites of others. Trials are
 * independent and wait most of the time, so they run in parallel.
 */
class CheckCommandIT {
  @TempDir Path directory;

  /** The short form of {@link #theGuaranteeHoldsAmongFaultsOfNodesToo}. */
  @Test
  @Execution(ExecutionMode.CONCURRENT)
  @Timeout(600)
  void theGuaranteeHoldsAmongFaults() throws Exception {
    holdsAmong("--nodes 1 --operations 1000 --duration 6s", List.of("kill", "cut", "amnesia"));
  }

  /** The catalog of the run replaces the history file after the check that the file is writable. */
  @Test
  @Execution(ExecutionMode.CONCURRENT)
  @Timeout(600)
  void whatWasRecordedIsKeptWhereTheHistoryCannotBeWritten() throws Exception {
    Path report = directory.resolve("report");

    CliResult ran =
        check(
            "--mode mwmr --clients 2 --client-processes 1 --keys 4 --seed 1 --nodes 1"
                + " --operations 100 --duration 1s --faults none --report "
                + report
                + " --history "
                + report.resolve("definitions"));

    assertThat(ran.code()).isEqualTo(ExitCode.FAILED);
    assertThat(ran.err())
        .contains("cannot write", "the records of the run are in " + report.resolve("clients"));
    assertThat(ran.out()).as("the verdict").contains("held: ");
    assertThat(HistoryReader.read(report.resolve("history.jsonl")).operations()).isNotEmpty();
    assertThat(report.resolve("clients")).isNotEmptyDirectory();
  }

  /** A site is cut off, and a listener is killed, paused or restarted, while clients write. */
  @Test
  @Execution(ExecutionMode.CONCURRENT)
  @Timeout(600)
  void aStreamIsCompleteAmongFaults() throws Exception {
    Path copy = directory.resolve("streams.jsonl");

    CliResult ran =
        check(
            "--mode mwmr --listen --listeners 1 --nodes 1 --clients 4 --client-processes 1 --keys 5"
                + " --operations 600 --duration 6s --faults cut,listener --seed 1 --json --history "
                + copy);

    JsonNode json = ran.json();
    CheckEvidence.requireOk(json, ran.err(), CheckCommandIT.class, "listen");
    assertThat(ran.code()).isZero();
    assertThat(json.get("faults").get("listener").asInt()).isPositive();
    assertThat(json.at("/streams/listeners").asInt()).isEqualTo(1);
    assertThat(json.at("/streams/changes").asInt()).isGreaterThan(50);
    assertThat(HistoryReader.read(copy).notes()).isNotEmpty();
    assertThat(check("--only-check --history " + copy).code()).isZero();
  }

  /** The cache moves, sites fail, and listeners are restarted, on servers that are processes. */
  @Tag("deep")
  @ParameterizedTest
  @ValueSource(strings = {"mwmr", "swmr", "weak"})
  @Timeout(900)
  void streamsAreCompleteAmongAllFaults(String mode) throws Exception {
    CliResult ran =
        check(
            "--mode "
                + mode
                + " --listen --processes --nodes 1 --operations 8000 --keys 20"
                + " --faults reconfigure,kill,pause,cut,slow,listener --json");

    CheckEvidence.requireOk(ran.json(), ran.err(), CheckCommandIT.class, "listen-" + mode);
    assertThat(ran.code()).isZero();
  }

  /** The longer form, with nodes that die too. */
  @Test
  @Tag("nightly")
  @Timeout(600)
  void theGuaranteeHoldsAmongFaultsOfNodesToo() throws Exception {
    holdsAmong("--operations 2000 --duration 10s", List.of("kill", "node", "cut", "amnesia"));
  }

  private void holdsAmong(String size, List<String> faults) throws Exception {
    Path report = directory.resolve("report");
    Path copy = directory.resolve("copy.jsonl");

    CliResult ran =
        check(
            "--mode mwmr --clients 8 --client-processes 2 --keys 20 --seed 1 --json "
                + size
                + " --faults "
                + String.join(",", faults)
                + " --report "
                + report
                + " --history "
                + copy);

    JsonNode json = ran.json();
    CheckEvidence.requireOk(json, ran.err(), CheckCommandIT.class, String.join("-", faults));
    assertThat(ran.code()).isZero();
    assertThat(json.get("verdict").asText()).isEqualTo("held");
    assertThat(json.get("operations").get("completed").asInt()).isGreaterThan(500);
    for (String kind : faults) {
      assertThat(json.get("faults").get(kind).asInt()).as(kind).isPositive();
    }
    assertThat(json.get("refilled").asInt()).isGreaterThanOrEqualTo(2);
    assertThat(json.at("/one_site_dead/operations").asInt()).isPositive();
    assertThat(HistoryReader.read(copy).operations())
        .hasSize(json.get("operations").get("recorded").asInt());
    assertThat(HistoryMeta.readBeside(copy).faults()).isNotEmpty();
    try (var files = Files.list(report)) {
      assertThat(files.map(file -> file.getFileName().toString()))
          .containsExactlyInAnyOrder(
              ".ensemble-check",
              "summary.json",
              "history.jsonl",
              "history.jsonl.meta.json",
              "faults.jsonl",
              "throughput.svg",
              "report.html");
    }
    assertThat(check("--only-check --history " + copy).code()).isZero();
  }

  /** The faults kill any node, the node that owns a counter, and client processes in calls. */
  @Test
  @Tag("nightly")
  @Timeout(600)
  void countersStayLinearizableThoughTheirOwnerAndTheirClientsDie() throws Exception {
    Path copy = directory.resolve("counters.jsonl");

    CliResult ran =
        check(
            "--object counter --clients 6 --client-processes 2 --operations 400 --keys 2"
                + " --duration 4s --faults node,owner,client --seed 1 --json --history "
                + copy);

    JsonNode json = ran.json();
    CheckEvidence.requireOk(json, ran.err(), CheckCommandIT.class, "counters");
    assertThat(ran.code()).isZero();
    assertThat(json.get("verdict").asText()).isEqualTo("held");
    for (String kind : List.of("node", "owner", "client")) {
      assertThat(json.get("faults").get(kind).asInt()).as(kind).isPositive();
    }
    assertThat(json.get("operations").get("unknown").asInt()).as("killed in calls").isPositive();
    assertThat(HistoryMeta.readBeside(copy).faults()).isNotEmpty();
    assertThat(check("--only-check --history " + copy).code()).isZero();
  }

  /** A client process pauses during each change; the mover is killed now and then. */
  @Test
  @Tag("nightly")
  @Timeout(600)
  void theGuaranteeHoldsWhileTheCacheComesToOtherSites() throws Exception {
    CliResult ran =
        check(
            "--mode mwmr --nodes 1 --clients 4 --client-processes 2 --operations 400 --keys 10"
                + " --duration 4s --faults reconfigure --seed 1 --json");

    JsonNode json = ran.json();
    CheckEvidence.requireOk(json, ran.err(), CheckCommandIT.class, "reconfigure");
    assertThat(ran.code()).isZero();
    assertThat(json.get("sites")).hasSize(4);
    assertThat(json.get("faults").get("reconfigure").asInt()).isPositive();
    assertThat(json.get("faults").get("sleeper").asInt()).isPositive();
  }

  @Tag("deep")
  @ParameterizedTest
  @ValueSource(strings = {"mwmr", "swmr", "weak"})
  @Timeout(900)
  void theGuaranteeHoldsWhileTheCacheComesToOtherSitesAmongFaults(String mode) throws Exception {
    CliResult ran =
        check(
            "--mode "
                + mode
                + " --operations 8000 --keys 20 --faults reconfigure,kill,pause,cut,slow --json");

    CheckEvidence.requireOk(ran.json(), ran.err(), CheckCommandIT.class, "reconfigure-" + mode);
    assertThat(ran.code()).isZero();
  }

  static Stream<Arguments> modesAndSeeds() {
    int seeds = Integer.getInteger("ensemble.check.seeds", 3);
    return Stream.of("mwmr", "swmr", "weak")
        .flatMap(
            mode ->
                IntStream.rangeClosed(1, mode.equals("weak") ? 1 : seeds)
                    .mapToObj(seed -> arguments(mode, seed)));
  }

  @Tag("deep")
  @ParameterizedTest
  @MethodSource("modesAndSeeds")
  @Timeout(900)
  void theGuaranteeHoldsAmongAllFaultsForLonger(String mode, int seed) throws Exception {
    CliResult ran =
        check("--mode " + mode + " --operations 20000 --keys 20 --seed " + seed + " --json");

    CheckEvidence.requireOk(ran.json(), ran.err(), CheckCommandIT.class, mode + "-" + seed);
    assertThat(ran.code()).isZero();
  }

  @Test
  @Execution(ExecutionMode.CONCURRENT)
  @Timeout(600)
  @Tag("nightly")
  void onARunningFederationNothingIsBrokenAndNothingStays() throws Exception {
    FederationFile file = FederationFile.at(directory.resolve("federation.json"));
    try (RunningFederation running =
        RunningFederation.start(file.claim(), LocalPlan.embedded(3, 1), line -> {})) {
      String here = " --federation " + file.path();
      assertThat(CliResult.ensemble(("caches create mine --mode mwmr" + here).split(" ")).code())
          .isZero();

      CliResult ran =
          check(
              "--mode weak --clients 2 --client-processes 1 --operations 400 --keys 5 --duration 1s --json --seed 3"
                  + here);

      CheckEvidence.requireOk(ran.json(), ran.err(), CheckCommandIT.class, "running");
      assertThat(ran.code()).isZero();
      assertThat(ran.json().get("faults")).isEmpty();
      assertThat(ran.json().get("report").isNull()).isTrue();
      CliResult bounded =
          check(
              "--mode swmr --ack primary --clients 2 --client-processes 1 --operations 200 --keys 5"
                  + " --duration 1s --json"
                  + here);

      CheckEvidence.requireOk(bounded.json(), bounded.err(), CheckCommandIT.class, "bounded");
      assertThat(bounded.json().get("guarantee").asText()).contains("but for reported writes");
      assertThat(bounded.code()).isZero();
      assertThat(CliResult.ensemble(("caches list --json" + here).split(" ")).json().get("caches"))
          .hasSize(1);
      assertThat(((LocalFederation.Embedded) running.sites()).sites().sites())
          .allMatch(site -> site.isRunning());
    }
  }

  private static CliResult check(String options) {
    List<String> all = new ArrayList<>(List.of("check"));
    all.addAll(List.of(options.split(" ")));
    return CliResult.ensemble(all);
  }
}
