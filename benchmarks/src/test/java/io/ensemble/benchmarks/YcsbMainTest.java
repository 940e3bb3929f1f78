package io.ensemble.benchmarks;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Runs of the program that end before the first operation. */
class YcsbMainTest {

  private static final String REFUSING = "lyon=127.0.0.1:1;oslo=127.0.0.1:1;rome=127.0.0.1:1";

  @TempDir Path directory;

  @ParameterizedTest
  @CsvSource({
    "--workload g --mode mwmr, a to f",
    "--workload a --mode strong, weak",
    "--workload a --mode raw --replication 2, replication",
    "--workload a --mode mwmr --threads 0, --threads",
    "--workload a --mode mwmr --records 0, --records",
    "--workload a --mode mwmr --connect-deadline -1, --connect-deadline",
    "--workload a --mode mwmr --connect-deadline 86401, --connect-deadline",
    "--workload a, --mode",
  })
  void aWrongCommandLineIsRefused(String options, String complaint) {
    YcsbOutput ended = run(options.split(" "));

    assertThat(ended.code()).isEqualTo(2);
    assertThat(ended.err().lines()).singleElement().asString().contains(complaint);
  }

  /** Refused connections fail soon, although the deadline for connecting is one day. */
  @ParameterizedTest
  @CsvSource({"mwmr", "raw"})
  @Timeout(60)
  void aFederationThatRefusesConnectionsIsAFailure(String mode) throws IOException {
    Path out = Files.createDirectory(directory.resolve("out"));
    for (String stale : List.of("result.json", "run.txt", "load-INSERT.hdr", "run-SCAN.hdr")) {
      Files.writeString(out.resolve(stale), "of an earlier run");
    }
    Path other = Files.writeString(out.resolve("notes.txt"), "kept");

    YcsbOutput ended =
        run(
            "--workload",
            "a",
            "--mode",
            mode,
            "--json",
            "--connect-deadline",
            "86400",
            "--out",
            out.toString());

    assertThat(ended.code()).isEqualTo(1);
    assertThat(ended.err()).contains("ycsb: FAILED: nothing was done").contains("lyon");
    assertThat(ended.out()).isEmpty();
    try (Stream<Path> left = Files.list(out)) {
      assertThat(left).containsExactly(other);
    }
  }

  @Test
  void resultsThatCannotBeKeptAreAFailureInOneLine() throws IOException {
    Path taken = Files.writeString(directory.resolve("taken"), "a file");

    YcsbOutput ended = run("--workload", "c", "--mode", "raw", "--out", taken.toString());

    assertThat(ended.code()).isEqualTo(1);
    assertThat(ended.err().lines()).singleElement().asString().contains("FAILED", taken.toString());
  }

  private static YcsbOutput run(String... options) {
    List<String> arguments = new ArrayList<>(List.of("--endpoints", REFUSING));
    arguments.addAll(List.of(options));
    return YcsbOutput.of(arguments);
  }
}
