package io.ensemble.cli.check;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import io.ensemble.check.process.ExitCode;
import io.ensemble.check.report.ReportFiles;
import io.ensemble.check.report.WorkDirectory;
import io.ensemble.cli.CliResult;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Refusals of {@code check} before it starts anything, and its verdicts on recorded files. */
class CheckCommandTest {
  private static final String GOOD =
      """
      {"client":0,"key":"c","op":"inc","in":null,"out":1,"call_ns":0,"return_ns":5,"ok":true}
      {"client":1,"key":"q","op":"dequeue","in":null,"out":null,"call_ns":0,"return_ns":5,"ok":true}
      {"client":2,"key":"r","op":"write","in":3,"out":null,"call_ns":0,"return_ns":null,"ok":"unknown"}
      """;
  private static final String STALE =
      """
      {"client":0,"key":"r","op":"write","in":1,"out":null,"call_ns":0,"return_ns":5,"ok":true}
      {"client":1,"key":"r","op":"write","in":2,"out":null,"call_ns":6,"return_ns":9,"ok":true}
      {"client":2,"key":"r","op":"read","in":null,"out":1,"call_ns":10,"return_ns":12,"ok":true}
      """;

  /**
   * One acknowledged write; a listener's stream that follows as it should, and one that loses it.
   */
  private static final String LISTENED =
      """
      {"client":0,"key":"r","op":"write","in":1,"out":null,"call_ns":20,"return_ns":30,"ok":true}
      {"kind":"stamp","client":0,"call_ns":20,"stamp":"20@00000000000000000000000000000001"}
      {"kind":"opened","listener":0,"stream":0,"mode":"mwmr","from":null,"call_ns":1,"ready_ns":2}
      {"kind":"ended","stream":0,"covers_ns":40,"at_ns":50}
      """;

  private static final String SHOWN =
      """
      {"kind":"change","stream":0,"number":1,"key":"r","change":"created","value":1,"stamp":"1:20@00000000000000000000000000000001","at_ns":35}
      """;

  @TempDir Path directory;

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "check | --mode, --object, --versioned or --zoofence is required",
        "check --mode strong | mode",
        "check --mode mwmr --ack primary | --ack requires --mode swmr",
        "check --mode swmr --ack local | --ack",
        "check --mode swmr --ack primary --faults reconfigure | excludes --ack primary",
        "check --mode mwmr --sites 9 --faults reconfigure | --sites must be in [1, 9]",
        "check --mode mwmr --clients 0 | --clients must be in [1, 256]",
        "check --mode mwmr --clients 2 --client-processes 3 | --client-processes must be in [1, 2]",
        "check --mode mwmr --operations 0 | --operations",
        "check --mode mwmr --keys 0 | --keys",
        "check --mode mwmr --enough 0 | --enough must be in [1, 100]",
        "check --mode mwmr --duration 5 | duration",
        "check --mode mwmr --faults kill,storm | --faults must be among kill, node, pause",
        "check --mode mwmr --faults kill,none | got 'none'",
        "check --mode mwmr --faults kill --sites 2 | --faults kill requires more sites",
        "check --mode mwmr --faults amnesia --sites 1 | --faults amnesia requires more sites",
        "check --mode mwmr --faults node --nodes 1 | --faults node requires sites of 3 nodes",
        "check --mode mwmr --faults split --nodes 1 | --faults split requires sites of 3 nodes",
        "check --mode mwmr --faults rolling --sites 1 --nodes 1 | --faults rolling requires sites "
            + "of 3 nodes or more, or 3 sites of one",
        "check --object queue --faults rolling | --faults rolling is not supported with --store",
        "check --object queue --store ensemble --faults split | --faults split is not supported",
        "check --zoofence --faults split | --faults split is not supported here",
        "check --mode mwmr --sites 1 --nodes 2 | a single site requires 1 node, or 3 or more",
        "check --mode mwmr --processes --nodes 10 | --nodes must be in [1, 9]",
        "check --mode mwmr --latency 11s | round trip must be in [0 s, 10 s]",
        "check --mode mwmr --upgrade-to d | --upgrade-to requires --mode and --processes",
        "check --zoofence --processes --upgrade-to d | --upgrade-to requires --mode and",
        "check --mode mwmr --processes --upgrade-to d | requires a rolling restart: --faults roll",
        "check --mode mwmr --processes --faults rolling --upgrade-to nowhere | --upgrade-to must"
            + " be a directory with ensemble-site-process.jar and the jars that it names",
        "check --mode mwmr --listeners 2 | --listeners requires --listen",
        "check --mode mwmr --listen --listeners 0 | --listeners must be at least 1",
        "check --mode mwmr --listen --listeners 17 | --listeners must be in [1, 16]",
        "check --mode swmr --listen --ack primary | --listen excludes --ack primary",
        "check --mode mwmr --faults listener | --faults listener requires --listen",
        "check --object counter --listen | --listen excludes --object",
        "check --zoofence --listen | --listen is not supported with --zoofence",
        "check --only-check | --only-check requires --history FILE",
        "check --mode mwmr --faults leader | --faults leader requires --zoofence",
        "check --mode mwmr --proxies 3 | --proxies requires --zoofence",
        "check --object counter --faults session | --faults session is not supported with --store",
        "check --zoofence --mode mwmr | --mode is not supported with --zoofence",
        "check --zoofence --object queue | --object is not supported with --zoofence",
        "check --zoofence --nodes 3 | --nodes is not supported with --zoofence",
        "check --zoofence --sites 1 | --sites must be in [2, 9] with --zoofence",
        "check --zoofence --proxies 0 | --proxies must be in [1, 9]",
        "check --zoofence --faults cut | --faults cut is not supported here; supported are: "
            + "client, kill",
        "check --zoofence --ensembles a:1 | --ensembles and --proxy must be used together",
        "check --zoofence --admin a:1 | --admin requires --ensembles",
        "check --zoofence --ensembles a:1 --proxy b:1 --faults kill | --faults kill is not "
            + "supported here",
        "check --zoofence --ensembles a:1 --proxy b:1 --sites 2 | --sites and --proxies start a "
            + "deployment",
        "check --object heap | heap",
        "check --object register-counter --store hotrod | --object register-counter requires "
            + "--store ensemble",
        "check --object set-agreement --stored | --stored is not supported with --object",
        "check --object set-agreement --faults events | --faults events is not supported",
        "check --object counter --store disk | disk",
        "check --object counter --mode mwmr | --mode excludes --object",
        "check --object counter --ack primary | --ack excludes --object",
        "check --object counter --only-check | --only-check excludes --object",
        "check --object counter --federation f.json | --federation excludes --object",
        "check --mode mwmr --store hotrod | --store requires --object",
        "check --mode mwmr --stored | --stored requires --object",
        "check --mode mwmr --faults client | --faults client requires --object",
        "check --mode mwmr --faults owner | --faults owner requires --object",
        "check --object queue --sites 3 | --sites requires --store ensemble",
        "check --object queue --nodes 2 | a single site requires 1 node, or 3 or more",
        "check --object queue --nodes 1 --faults owner | --faults owner requires sites of 3 nodes",
        "check --object queue --faults kill | --faults kill is not supported with --store hotrod",
        "check --object queue --store ensemble --faults events | --faults events is not supported",
        "check --object queue --store embedded --faults node | --faults node is not supported",
        "check --object queue --store embedded --nodes 3 | --nodes requires sites",
        "check --object queue --store embedded --processes | --processes requires sites",
        "check --object queue --store embedded --client-processes 2 | requires 3 or more",
        "check --object queue --faults storm | --faults must be among kill, node, pause",
        "check --object queue --clients 0 | --clients must be in [1, 256]",
        "check --object queue --duration 0s | --duration must be in (0 s, 1 d]",
        "check --object queue --deadline 0s | --deadline must be above zero",
        "check --versioned heap | heap",
        "check --versioned tree --object queue | --versioned excludes --object",
        "check --versioned tree --mode mwmr | --mode excludes --versioned",
        "check --versioned tree --faults kill | --faults kill is not supported with --store hotrod",
      })
  void whatIsWrongIsToldBeforeAnythingIsStarted(String line, String why) {
    CliResult ran = CliResult.ensemble(line.strip().split(" "));

    assertThat(ran.code()).isEqualTo(ExitCode.USAGE);
    assertThat(ran.err()).startsWith("ensemble: ").contains(why);
    assertThat(ran.err().lines().count()).isBetween(1L, 3L);
    assertThat(ran.out()).isEmpty();
  }

  @ParameterizedTest
  @CsvSource({
    "--faults reconfigure, requires a federation that is started by check",
    "--faults cut, requires a federation that is started by check",
    "--faults split, requires a federation that is started by check",
    "--faults rolling, requires a federation that is started by check",
    "--sites 3, this run uses",
    "--nodes 1, this run uses",
    "--processes, this run uses",
    "--latency 15ms, this run uses",
    "--bandwidth 10mbit, this run uses",
  })
  void onSitesOfOnesOwnNothingIsBrokenOrStarted(String option, String why) throws IOException {
    Path sites =
        Files.writeString(
            directory.resolve("sites.json"),
            "{\"sites\": [{\"name\": \"lyon\", \"endpoints\": [\"127.0.0.1:1\"]}]}");

    CliResult ran =
        CliResult.ensemble(("check --mode mwmr --federation " + sites + " " + option).split(" "));

    assertThat(ran.code()).isEqualTo(ExitCode.USAGE);
    assertThat(ran.err()).contains(why);
  }

  @Test
  void aTemporaryDirectoryIsKeptOnlyForWhatItHolds(@TempDir Path wanted) throws IOException {
    WorkDirectory passed = WorkDirectory.make(null);
    assertThat(passed.keep(true)).isNull();
    passed.written();
    passed.close();
    WorkDirectory failed = WorkDirectory.make(null);
    assertThat(failed.keep(false)).isEqualTo(failed.file(".").normalize());
    failed.written();
    failed.close();
    WorkDirectory broken = WorkDirectory.make(null);
    Files.writeString(broken.parts().resolve("client-0.log"), "what went wrong");
    broken.close();
    WorkDirectory asked = WorkDirectory.make(wanted);
    assertThat(asked.keep(true)).isEqualTo(wanted);
    asked.written();
    asked.close();

    assertThat(passed.file(".")).doesNotExist();
    assertThat(failed.file(".")).exists();
    assertThat(failed.parts()).doesNotExist();
    assertThat(broken.parts()).exists();
    assertThat(wanted).exists();
    Files.delete(broken.parts().resolve("client-0.log"));
    Files.delete(broken.parts());
    Files.delete(broken.file(".ensemble-check"));
    Files.delete(broken.file(".").normalize());
    Files.delete(failed.file(".").normalize());
  }

  @Test
  void aRecordedHistoryOfAnyObjectsIsJudged() throws IOException {
    CliResult ran = only(GOOD, "--json");

    assertThat(ran.code()).isZero();
    JsonNode json = ran.json();
    assertThat(json.get("ok").asBoolean()).isTrue();
    assertThat(json.get("verdict").asText()).isEqualTo("held");
    assertThat(json.get("operations").get("completed").asInt()).isEqualTo(2);
    assertThat(json.get("operations").get("unknown").asInt()).isEqualTo(1);
    assertThat(json.get("violation").isNull()).isTrue();
  }

  @Test
  void aViolationNamesItsKeyItsLineAndWhatSurroundsIt() throws IOException {
    Path report = directory.resolve("report");

    CliResult text = only(STALE, "--report", report.toString());
    JsonNode json = only(STALE, "--json").json();

    assertThat(text.code()).isEqualTo(ExitCode.FAILED);
    assertThat(text.out())
        .contains("key r, line 3 of the history made it impossible: read() = 1", "<-- impossible")
        .contains("FAILED", "report: " + report);
    assertThat(json.get("violation").get("line").asInt()).isEqualTo(3);
    assertThat(json.get("violation").get("key").asText()).isEqualTo("r");
    assertThat(report.resolve("violation.svg")).exists();
    assertThat(report.resolve("report.html")).exists();
    assertThat(report.resolve("summary.json")).exists();
  }

  @Test
  void theSameHistoryIsGoodEnoughForAWeakCache() throws IOException {
    assertThat(only(STALE, "--mode", "weak").code()).isZero();
    assertThat(only(STALE.replace("\"out\":1", "\"out\":7"), "--mode", "weak").code())
        .isEqualTo(ExitCode.FAILED);
  }

  @Test
  void recordedStreamsAreJudgedByTheirMode() throws IOException {
    CliResult complete = only(LISTENED + SHOWN, "--json");
    CliResult lost = only(LISTENED);
    CliResult weak =
        only((LISTENED + SHOWN.replace("\"value\":1", "\"value\":7")).replace("mwmr", "weak"));

    assertThat(complete.code()).as(complete.out()).isZero();
    assertThat(complete.json().at("/streams/changes").asInt()).isEqualTo(1);
    assertThat(complete.json().get("guarantee").asText()).contains("streams complete");
    assertThat(lost.code()).isEqualTo(ExitCode.FAILED);
    assertThat(lost.out())
        .contains(
            "key r, line 1 of the history made it impossible: write(1) = null",
            "FAILED: COMPLETE: listener 0, stream 0: write(1) = null on key r at 20@",
            "is neither shown nor covered by a gap",
            "streams: 1 listeners, 1 streams, 0 changes, gaps: none");
    assertThat(weak.code()).isEqualTo(ExitCode.FAILED);
    assertThat(weak.out()).contains("FAILED: WRITTEN: ");
    CliResult malformed = only(SHOWN);
    assertThat(malformed.code()).isEqualTo(ExitCode.USAGE);
    assertThat(malformed.err()).contains("expected a line of kind opened for stream 0, got none");
  }

  @Test
  void nothingIsNoEvidence() throws IOException {
    CliResult ran = only("");

    assertThat(ran.code()).isEqualTo(ExitCode.FAILED);
    assertThat(ran.out()).contains("too few operations were completed; expected 1, got 0");
  }

  @Test
  void whatIsNoHistoryIsToldWithItsLine() throws IOException {
    CliResult ran = only(GOOD + "{\"client\":0}\n");

    assertThat(ran.code()).isEqualTo(ExitCode.USAGE);
    assertThat(ran.err()).contains("line 4:", "expected the field");
  }

  @ParameterizedTest
  @CsvSource({
    "--history, a-file/history.jsonl",
    "--history, missing/history.jsonl",
    "--history, a-directory",
    "--report, a-file",
    "--report, a-file/report",
  })
  void whatCannotBeWrittenIsToldBeforeAnythingIsStarted(String option, String where)
      throws IOException {
    Files.writeString(directory.resolve("a-file"), "precious");
    Files.createDirectory(directory.resolve("a-directory"));

    CliResult ran =
        CliResult.ensemble("check", "--mode", "mwmr", option, directory.resolve(where).toString());

    assertThat(ran.code()).isEqualTo(ExitCode.USAGE);
    assertThat(ran.err()).startsWith("ensemble: " + option + " cannot be written").contains(where);
    assertThat(ran.err().lines().count()).isEqualTo(1);
    assertThat(ran.out()).isEmpty();
    assertThat(directory.resolve("a-file")).hasContent("precious");
  }

  @Test
  void aHistoryThatCanBeWrittenIsNotTouchedByFindingThatOut() throws IOException {
    Path file = Files.writeString(directory.resolve("h.jsonl"), GOOD);

    ReportFiles.requireWritable(file);
    ReportFiles.requireWritable(directory.resolve("new.jsonl"));

    assertThat(file).hasContent(GOOD);
    try (Stream<Path> all = Files.list(directory)) {
      assertThat(all).containsExactly(file);
    }
  }

  @Test
  void theHistoryThatIsJudgedIsNotReplacedByTheReportOnIt() throws IOException {
    Path report = Files.createDirectory(directory.resolve("report"));
    Path file = Files.writeString(report.resolve("history.jsonl"), STALE);

    CliResult ran =
        CliResult.ensemble(
            "check", "--only-check", "--history", file.toString(), "--report", report.toString());

    assertThat(ran.code()).isEqualTo(ExitCode.USAGE);
    assertThat(ran.err()).contains("--report would overwrite the history to judge");
    assertThat(file).hasContent(STALE);
  }

  @Test
  void aReportOnARecordedHistoryDoesNotReplaceFilesOfOthers() throws IOException {
    Path report = Files.createDirectory(directory.resolve("report"));
    Path others = Files.writeString(report.resolve("faults.jsonl"), "precious");

    CliResult ran = only(STALE, "--report", report.toString());

    assertThat(ran.code()).isEqualTo(ExitCode.USAGE);
    assertThat(ran.err()).contains("faults.jsonl");
    assertThat(others).hasContent("precious");
  }

  private CliResult only(String history, String... more) throws IOException {
    Path file = Files.writeString(directory.resolve("h.jsonl"), history);
    List<String> all =
        new ArrayList<>(List.of("check", "--only-check", "--history", file.toString()));
    all.addAll(List.of(more));
    return CliResult.ensemble(all);
  }
}
