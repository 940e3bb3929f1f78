package io.ensemble.benchmarks;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.ensemble.benchmarks.store.SiteAddresses;
import io.ensemble.testkit.embedded.EmbeddedFederation;
import java.io.BufferedReader;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.HdrHistogram.AbstractHistogram;
import org.HdrHistogram.HistogramLogReader;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** The program as the launcher starts it: in a JVM of its own. */
class YcsbMainIT {

  private static final int OPERATIONS = 200;

  private static EmbeddedFederation federation;

  @TempDir Path directory;

  @BeforeAll
  static void start() {
    federation =
        EmbeddedFederation.start(
            EmbeddedFederation.Options.defaults()
                .withSiteNames("lyon", "oslo", "rome")
                .withNodesPerSite(1));
  }

  @AfterAll
  static void stop() {
    federation.close();
  }

  /** How a JVM ended. */
  private record Ended(int code, String out, String err) {}

  @ParameterizedTest
  @CsvSource({"a, mwmr, READ, UPDATE", "d, weak, READ, INSERT", "e, raw, SCAN, INSERT"})
  void aRunIsMeasuredAndKept(String workload, String mode, String some, String other)
      throws Exception {
    Path out = directory.resolve("out");

    Ended ended = ycsb(workload, mode, "--out", out.toString(), "--json");

    assertThat(ended.code).as(ended.err).isZero();
    JsonNode result = new ObjectMapper().readTree(ended.out);
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
  void withoutJsonThereIsATable() throws Exception {
    Ended ended = ycsb("f", "mwmr", "--target", "2000");

    assertThat(ended.code).as(ended.err).isZero();
    assertThat(ended.out).contains("workload f, mode mwmr", "READ-MODIFY-WRITE", "p99.9");
    assertThat(ended.err).contains("ycsb: run ");
  }

  @Test
  void aFederationThatIsDownIsAFailure() throws Exception {
    String nobody = "lyon=127.0.0.1:1;oslo=127.0.0.1:1;rome=127.0.0.1:1";

    Path out = Files.createDirectory(directory.resolve("out"));
    for (String stale : List.of("result.json", "run.txt", "load-INSERT.hdr", "run-SCAN.hdr")) {
      Files.writeString(out.resolve(stale), "of an earlier run");
    }
    Path other = Files.writeString(out.resolve("notes.txt"), "kept");

    Ended ended =
        run(
            "--endpoints",
            nobody,
            "--workload",
            "a",
            "--mode",
            "mwmr",
            "--json",
            "--out",
            "" + out);

    assertThat(ended.code).isEqualTo(1);
    assertThat(ended.err).contains("ycsb: FAILED: nothing was done").contains("lyon");
    assertThat(ended.out).isEmpty();
    try (Stream<Path> left = Files.list(out)) {
      assertThat(left).containsExactly(other);
    }
  }

  @Test
  void resultsThatCannotBeKeptAreAFailureInOneLine() throws Exception {
    Path taken = Files.writeString(directory.resolve("taken"), "a file");

    Ended ended = ycsb("c", "raw", "--out", taken.toString());

    assertThat(ended.code).isEqualTo(1);
    assertThat(ended.err.lines()).singleElement().asString().contains("FAILED", taken.toString());
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

  @ParameterizedTest
  @CsvSource({
    "--workload g --mode mwmr, a to f",
    "--workload a --mode strong, weak",
    "--workload a --mode raw --replication 2, replication",
    "--workload a --mode mwmr --threads 0, --threads",
    "--workload a --mode mwmr --records 0, --records",
    "--workload a, --mode",
  })
  void aWrongCommandLineIsRefused(String options, String complaint) throws Exception {
    List<String> arguments = new ArrayList<>(List.of("--endpoints", SiteAddresses.of(federation)));
    arguments.addAll(List.of(options.split(" ")));

    Ended ended = run(arguments.toArray(String[]::new));

    assertThat(ended.code).isEqualTo(2);
    assertThat(ended.err.lines()).singleElement().asString().contains(complaint);
  }

  private Ended ycsb(String workload, String mode, String... more) throws Exception {
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
    return run(arguments.toArray(String[]::new));
  }

  private Ended run(String... arguments) throws Exception {
    Path out = directory.resolve("stdout");
    Path err = directory.resolve("stderr");
    Process process =
        builder(arguments).redirectOutput(out.toFile()).redirectError(err.toFile()).start();
    try {
      assertThat(process.waitFor(2, TimeUnit.MINUTES)).isTrue();
      return new Ended(process.exitValue(), Files.readString(out), Files.readString(err));
    } finally {
      process.destroyForcibly();
    }
  }

  private Process start(String... arguments) throws IOException {
    return builder(arguments).redirectOutput(directory.resolve("stdout").toFile()).start();
  }

  private static ProcessBuilder builder(String... arguments) {
    List<String> command =
        new ArrayList<>(
            List.of(
                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                "-Xmx512m",
                "-XX:TieredStopAtLevel=1",
                "-cp",
                System.getProperty("java.class.path"),
                YcsbMain.class.getName()));
    command.addAll(List.of(arguments));
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
