package io.ensemble.cli.bench;

import static org.assertj.core.api.Assertions.assertThat;

import io.ensemble.check.process.ExitCode;
import io.ensemble.cli.CliResult;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** The messages of {@code ycsb} without a report: its benchmarks cannot even start. */
class YcsbCommandTest {

  @TempDir Path directory;
  private Path sites;

  @BeforeEach
  void benchmarksWithoutAProgramAndSitesWithoutAServer() throws IOException {
    System.setProperty(
        YcsbProcess.PROPERTY, Files.createDirectory(directory.resolve("lib")).toString());
    sites =
        Files.writeString(
            directory.resolve("sites.json"),
            "{\"sites\": [{\"name\": \"lyon\", \"endpoints\": [\"127.0.0.1:1\"]}]}");
  }

  @AfterEach
  void noProperty() {
    System.clearProperty(YcsbProcess.PROPERTY);
  }

  @Test
  void anEndWithoutAReportIsADocumentToo() throws IOException {
    CliResult json = ycsb("--json");
    CliResult text = ycsb();

    assertThat(json.code()).isEqualTo(ExitCode.FAILED);
    assertThat(json.json().get("exit_code").asInt()).isEqualTo(ExitCode.FAILED);
    assertThat(json.json().get("error").asText()).contains("YcsbMain");
    assertThat(text.code()).isEqualTo(ExitCode.FAILED);
    assertThat(text.out()).isEmpty();
    assertThat(text.err()).contains("YcsbMain");
  }

  @Test
  void theReportOfAnEarlierRunDoesNotOutliveAFailure() throws IOException {
    Path out = Files.createDirectory(directory.resolve("out"));
    Path stale = Files.writeString(out.resolve("result.json"), "{\"ok\": true}");
    Path other = Files.writeString(out.resolve("notes.txt"), "kept");

    assertThat(ycsb("--out", out.toString()).code()).isEqualTo(ExitCode.FAILED);

    assertThat(stale).doesNotExist();
    assertThat(other).exists();
  }

  @Test
  void aDirectoryThatCannotBeIsToldBeforeAnythingIsStarted() throws IOException {
    Path file = Files.writeString(directory.resolve("file"), "");

    CliResult ran = ycsb("--out", file.resolve("out").toString());

    assertThat(ran.code()).isEqualTo(ExitCode.FAILED);
    assertThat(ran.err().lines()).singleElement().asString().contains("cannot keep results in");
  }

  @ParameterizedTest
  @CsvSource({
    "137, '', ycsb: load 2 sec, 1, 137",
    "0, '', '', 1, returned no report",
    "2, '', ycsb: --x is wrong, 2, --x is wrong",
    "1, '', ycsb: FAILED: nothing was done: no site, 1, nothing was done: no site",
  })
  void howItEndedIsToldInOurOwnExitCodes(
      int ended, String output, String lastWord, int code, String error) throws IOException {
    CliResult ran = CliResult.reporting(true, new YcsbProcess.YcsbResult(ended, output, lastWord));

    assertThat(ran.code()).isEqualTo(code);
    assertThat(ran.json().get("exit_code").asInt()).isEqualTo(code);
    assertThat(ran.json().get("error").asText()).contains(error).doesNotStartWith("ycsb: ");
  }

  @Test
  void aReportIsPassedOnWhateverItTells() {
    CliResult ran =
        CliResult.reporting(
            true, new YcsbProcess.YcsbResult(1, "{\"ok\": false}\n", "ycsb: FAILED: x"));

    assertThat(ran.code()).isEqualTo(ExitCode.FAILED);
    assertThat(ran.out()).isEqualTo("{\"ok\": false}\n");
    assertThat(ran.err()).isEmpty();
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "--threads 0",
        "--threads -4",
        "--target -1",
        "--records 0",
        "--operations 0",
        "--replication 0",
        "--replication 2",
        "--nodes 3",
        "--sites 3",
        "--out sites.json",
      })
  void whatIsWrongIsToldBeforeAnythingIsStarted(String options) {
    String[] words = options.replace("sites.json", sites.toString()).split(" ");

    CliResult ran = ycsb(words);

    assertThat(ran.code()).isEqualTo(ExitCode.USAGE);
    assertThat(ran.err()).startsWith("ensemble: ").contains(words[0]);
    assertThat(ran.err().lines()).hasSizeLessThanOrEqualTo(2);
    assertThat(ran.out()).isEmpty();
  }

  private CliResult ycsb(String... more) {
    List<String> all =
        new ArrayList<>(
            List.of("ycsb", "--workload", "a", "--mode", "weak", "--federation", "" + sites));
    all.addAll(List.of(more));
    return CliResult.ensemble(all);
  }
}
