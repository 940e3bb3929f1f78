package io.ensemble.cli.bench;

import static org.assertj.core.api.Assertions.assertThat;

import io.ensemble.cli.CliResult;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** {@code ycsb --latency}, up to the start of its benchmarks. */
@Timeout(120)
class YcsbLatencyIT {

  private static final Pattern OSLO =
      Pattern.compile("oslo\\W+(\\d+\\.\\d) ms\\W+(\\d+\\.\\d\\d) ms\\W+(\\d+\\.\\d\\d) ms");

  @Test
  void itTellsWhatTheLinesGaveBeforeItMeasures(@TempDir Path directory) throws Exception {
    System.setProperty(YcsbProcess.PROPERTY, directory.toString());
    try {
      CliResult ran =
          CliResult.ensemble(
              ("ycsb --workload a --mode weak --sites 2 --nodes 1 --latency 4ms --out "
                      + directory.resolve("out"))
                  .split(" "));

      assertThat(ran.err()).contains("YcsbMain"); // Missing on purpose.
      Matcher oslo = OSLO.matcher(ran.err());
      assertThat(oslo.find()).as(ran.err()).isTrue();
      assertThat(Double.parseDouble(oslo.group(1))).isEqualTo(4.0);
      assertThat(Double.parseDouble(oslo.group(2))).isGreaterThanOrEqualTo(4.0);
      assertThat(Double.parseDouble(oslo.group(3)))
          .isGreaterThanOrEqualTo(Double.parseDouble(oslo.group(2)));
      assertThat(ran.err().lines().filter(line -> line.contains("lyon ")))
          .noneMatch(line -> line.contains(" ms"));
      assertThat(Files.exists(directory.resolve("out/result.json"))).isFalse();
    } finally {
      System.clearProperty(YcsbProcess.PROPERTY);
    }
  }
}
