package io.ensemble.benchmarks;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.ensemble.benchmarks.store.SiteAddresses;
import io.ensemble.testkit.embedded.EmbeddedFederation;
import io.ensemble.testkit.embedded.SharedFederation;
import java.io.BufferedReader;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.HdrHistogram.AbstractHistogram;
import org.HdrHistogram.HistogramLogReader;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/**
 * Runs of the program against sites; in a separate JVM, as the launcher starts it, where necessary.
 * {@link YcsbMainTest} has the tests that need no site.
 */
class YcsbMainIT {

  private static final int OPERATIONS = 200;

  private final EmbeddedFederation federation = SharedFederation.threeSites();

  @TempDir Path directory;

  @Test
  void aRunInAProcessIsMeasuredAndKept() throws Exception {
    Path out = directory.resolve("out");

    YcsbOutput ended = run(arguments("a", "mwmr", "--out", out.toString(), "--json"));

    requireMeasured(ended, out, "a", "mwmr", "READ", "UPDATE");
  }

  @ParameterizedTest
  @CsvSource({"d, weak, READ, INSERT", "e, raw, SCAN, INSERT"})
  void aRunIsMeasuredAndKept(String workload, String mode, String some, String other)
      throws Exception {
    Path out = directory.resolve("out");

    YcsbOutput ended = here(workload, mode, "--out", out.toString(), "--json");

    requireMeasured(ended, out, workload, mode, some, other);
  }

  private static void requireMeasured(
      YcsbOutput ended, Path out, String workload, String mode, String some, String other)
      throws IOException {
    assertThat(ended.code()).as(ended.err()).isZero();
    JsonNode result = new ObjectMapper().readTree(ended.out());
    assertThat(result).isEqualTo(new ObjectMapper().readTree(out.resolve("result.json").toFile()));
    assertThat(result.at("/ok").booleanValue()).isTrue();
    assertThat(result.at("/mode").textValue()).isEqualTo(mode);
    assertThat(result.at("/revision/commit").textValue()).isNotEmpty();
    assertThat(result.at("/machine/processors").intValue()).isPositive();
    assertThat(result.at("/command").textValue()).contains("--workload " + workload);
    JsonNode load = result.at("/phases/0");
    JsonNode run = result.at("/phases/1");
    assertThat(load.at("/operations/INSERT/returns/OK").longValue()).isEqualTo(100);
    assertThat(run.at("/done").longValue()).isEqualTo(OPERATIONS);
    assertThat(run.at("/throughput_per_second").doubleValue()).isPositive();
    long counted = 0;
    for (String operation : List.of(some, other)) {
      JsonNode figures = run.at("/operations/" + operation);
      counted += figures.at("/count").longValue();
      assertThat(figures.at("/errors").longValue()).isZero();
      assertThat(figures.at("/p50_micros").doubleValue())
          .isBetween(1.0, figures.at("/p999_micros").doubleValue());
      assertThat(logged(out.resolve("run-" + operation + ".hdr")))
          .isEqualTo(figures.at("/count").longValue());
    }
    assertThat(counted).isEqualTo(OPERATIONS);
    assertThat(out.resolve("run.txt")).content().contains("[OVERALL], Throughput(ops/sec)");
    assertThat(out.resolve("load.txt")).content().contains("[INSERT], Operations, 100");
  }

  @Test
  void withoutJsonThereIsATable() {
    YcsbOutput ended = here("f", "mwmr", "--target", "2000");

    assertThat(ended.code()).as(ended.err()).isZero();
    assertThat(ended.out()).contains("workload f, mode mwmr", "READ-MODIFY-WRITE", "p99.9");
    assertThat(ended.err()).contains("ycsb: run ");
  }

  @Test
  void aFederationThatDiesOnTheWayIsAFailure() throws Exception {
    try (EmbeddedFederation doomed =
        EmbeddedFederation.start(
            EmbeddedFederation.Options.defaults().withSiteNames("doom").withNodesPerSite(1))) {
      Process process =
          start(
              "--endpoints",
              SiteAddresses.of(doomed),
              "--workload",
              "a",
              "--mode",
              "raw",
              "--records",
              "10",
              "--operations",
              "1000000",
              "--json");
      try (BufferedReader err = process.errorReader(UTF_8)) {
        List<String> lines = new ArrayList<>();
        assertThat(
                err.lines()
                    .peek(lines::add)
                    .filter(line -> line.contains(" sec: "))
                    .skip(1)
                    .findFirst())
            .as("two lines of progress")
            .isPresent();

        doomed.site("doom").kill();
        err.lines().forEach(lines::add);

        assertThat(process.waitFor(1, TimeUnit.MINUTES)).isTrue();
        assertThat(process.exitValue()).isEqualTo(1);
        assertThat(lines)
            .anySatisfy(line -> assertThat(line).contains("FAILED: operations failed"));
      } finally {
        process.destroyForcibly();
      }
    }
  }

  @Test
  void aProcessWithAWrongCommandLineEndsWithTwo() throws Exception {
    YcsbOutput ended =
        run(
            List.of(
                "--endpoints", SiteAddresses.of(federation), "--workload", "g", "--mode", "mwmr"));

    assertThat(ended.code()).isEqualTo(2);
    assertThat(ended.err().lines()).singleElement().asString().contains("a to f");
  }

  /** Runs the program in this JVM. */
  private YcsbOutput here(String workload, String mode, String... more) {
    return YcsbOutput.of(arguments(workload, mode, more));
  }

  private List<String> arguments(String workload, String mode, String... more) {
    List<String> arguments =
        new ArrayList<>(
            List.of(
                "--endpoints",
                SiteAddresses.of(federation),
                "--workload",
                workload,
                "--mode",
                mode,
                "--records",
                "100",
                "--operations",
                "" + OPERATIONS,
                "--threads",
                "4"));
    arguments.addAll(List.of(more));
    return arguments;
  }

  private YcsbOutput run(List<String> arguments) throws Exception {
    Path out = directory.resolve("stdout");
    Path err = directory.resolve("stderr");
    Process process =
        builder(arguments).redirectOutput(out.toFile()).redirectError(err.toFile()).start();
    try {
      assertThat(process.waitFor(2, TimeUnit.MINUTES)).isTrue();
      return new YcsbOutput(process.exitValue(), Files.readString(out), Files.readString(err));
    } finally {
      process.destroyForcibly();
    }
  }

  private Process start(String... arguments) throws IOException {
    return builder(List.of(arguments)).redirectOutput(directory.resolve("stdout").toFile()).start();
  }

  private static ProcessBuilder builder(List<String> arguments) {
    List<String> command =
        new ArrayList<>(
            List.of(
                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                "-Xmx512m",
                "-XX:TieredStopAtLevel=1",
                "-cp",
                System.getProperty("java.class.path"),
                YcsbMain.class.getName()));
    command.addAll(arguments);
    return new ProcessBuilder(command);
  }

  private static long logged(Path file) throws IOException {
    long count = 0;
    HistogramLogReader reader = new HistogramLogReader(file.toFile());
    for (Object next = reader.nextIntervalHistogram();
        next != null;
        next = reader.nextIntervalHistogram()) {
      count += ((AbstractHistogram) next).getTotalCount();
    }
    return count;
  }
}
