package io.ensemble.deploy;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.fasterxml.jackson.databind.JsonNode;
import io.ensemble.deploy.federation.FederationFile;
import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** {@code up} as the process that it is, from its start to the two ways of its end. */
@Timeout(120)
class UpIT {

  @TempDir Path directory;

  @Test
  void aFederationServesOtherProcessesAndLeavesNothingWhenItIsStopped() throws Exception {
    FederationFile file = FederationFile.at(directory.resolve("f.json"));
    Process up = up(file);
    try {
      JsonNode shown = published(up);

      assertThat(shown.get("file").asText()).isEqualTo(file.path().toString());
      assertThat(shown.get("federation").get("pid").asLong()).isEqualTo(up.pid());
      assertThat(file.read().siteNames()).containsExactly("lyon", "oslo", "rome");
      run(0, file, "caches", "create", "c", "--mode", "mwmr");
      run(0, file, "put", "c", "k", "v");
      assertThat(run(0, file, "get", "c", "k").out()).isEqualToIgnoringNewLines("v");
    } finally {
      up.destroy(); // SIGTERM
      assertThat(up.waitFor(60, TimeUnit.SECONDS)).isTrue();
    }

    assertThat(file.path()).doesNotExist();
    assertThat(run(1, file, "get", "c", "k").err()).contains("run 'ensemble up'");
  }

  @Test
  void afterAViolentEndTheFileIsKnownToBeStaleAndTakenOver() throws Exception {
    FederationFile file = FederationFile.at(directory.resolve("f.json"));
    Process up = up(file);
    published(up);
    run(0, file, "caches", "create", "c", "--mode", "weak");
    up.destroyForcibly().waitFor();

    assertThat(run(1, file, "sites").err()).contains("process " + up.pid() + " is gone");

    try (FederationFile.Claim claim = file.claim()) {
      assertThat(claim.definitions()).isEmptyDirectory();
      assertThatThrownBy(() -> file.read()).hasMessageContaining("no federation runs");
    }
  }

  private static Process up(FederationFile file) throws IOException {
    return new ProcessBuilder(
            Path.of(System.getProperty("java.home"), "bin", "java").toString(),
            "-Xmx512m",
            "-cp",
            System.getProperty("java.class.path"),
            Main.class.getName(),
            "up",
            "--nodes",
            "1",
            "--json",
            "--federation",
            file.path().toString())
        .redirectError(ProcessBuilder.Redirect.DISCARD)
        .start();
  }

  /** What it prints when it is up; it keeps its standard output open. */
  private static JsonNode published(Process up) throws IOException {
    InputStream out = up.getInputStream();
    StringBuilder document = new StringBuilder();
    int depth = 0;
    do {
      int next = out.read();
      assertThat(next).as("the end came after: " + document).isNotNegative();
      document.append((char) next);
      depth += next == '{' ? 1 : next == '}' ? -1 : 0;
    } while (depth > 0 || document.toString().isBlank());
    return Output.mapper().readTree(document.toString().getBytes(UTF_8));
  }

  private static Ran run(int code, FederationFile file, String... arguments) {
    String[] all = Arrays.copyOf(arguments, arguments.length + 2);
    all[arguments.length] = "--federation";
    all[arguments.length + 1] = file.path().toString();
    Ran ran = Ran.ensemble(all);
    assertThat(ran.code()).as(ran.err()).isEqualTo(code);
    return ran;
  }
}
