package io.ensemble.cli;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** The launcher builds a copy of the sources without any build output, and runs. */
@Tag("nightly")
class LauncherBuildIT {

  @TempDir Path directory;

  @Test
  @Timeout(600)
  void theFirstCommandBuildsWhatItNeeds() throws Exception {
    Path copy = directory.resolve("copy of sources");
    SourceCopy.ofRepository(copy);
    Path out = directory.resolve("out");
    Path errors = directory.resolve("errors");

    Process process =
        new ProcessBuilder(copy.resolve("ensemble").toString(), "--version")
            .redirectOutput(out.toFile())
            .redirectError(errors.toFile())
            .start();

    assertThat(process.waitFor(540, TimeUnit.SECONDS)).as("in time").isTrue();
    assertThat(process.exitValue()).as(Files.readString(errors)).isZero();
    assertThat(Files.readString(out)).containsIgnoringCase("ensemble");
  }
}
