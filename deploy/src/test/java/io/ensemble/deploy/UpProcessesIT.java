package io.ensemble.deploy;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import io.ensemble.deploy.federation.FederationFile;
import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** {@code up --processes --data}: nodes end with it, and what they hold does not. */
@Timeout(240)
class UpProcessesIT {

  @TempDir Path directory;

  @Test
  void nodesHaltWhenTheirStarterIsKilledAndTheNextOneGoesOnWithTheirData() throws Exception {
    FederationFile file = FederationFile.at(directory.resolve("f.json"));
    Path data = directory.resolve("data");
    Process up = up(file, data);
    ProcessHandle node;
    try {
      JsonNode shown = published(up);
      assertThat(shown.at("/federation/sites/0/storage").asText()).isEqualTo("disk");
      assertThat(shown.get("lines")).isEmpty();
      ran(0, file, "caches", "create", "c", "--mode", "mwmr");
      ran(0, file, "put", "c", "k", "kept");
      node = node(data);
      assertThat(node.isAlive()).isTrue();
      assertThat(ran(1, file, "up", "--processes", "--data", data.toString()).err())
          .contains("a federation already runs");
    } finally {
      up.destroyForcibly().waitFor();
    }
    node.onExit().get(30, TimeUnit.SECONDS);

    Process again = up(file, data);
    try {
      published(again);
      assertThat(ran(0, file, "get", "c", "k").out()).isEqualToIgnoringNewLines("kept");
      assertThat(ran(0, file, "sites", "recover", "lyon").out()).contains("unharmed");
      node = node(data);
    } finally {
      again.destroy(); // SIGTERM
      assertThat(again.waitFor(60, TimeUnit.SECONDS)).isTrue();
    }
    assertThat(node.isAlive()).isFalse();
    assertThat(file.path()).doesNotExist();
    assertThat(data.resolve("definitions")).isNotEmptyDirectory();
    assertThat(data.resolve("lyon/0/log/server.log")).isNotEmptyFile();

    Ran other = ran(1, file, "up", "--processes", "--sites", "2", "--data", data.toString());
    assertThat(other.err())
        .contains("keeps sites [lyon] of 1 nodes", "asked for were [lyon, oslo]");
  }

  private static ProcessHandle node(Path data) throws IOException {
    String pid = Files.readString(data.resolve("lyon/0/pid")).split(" ")[0];
    return ProcessHandle.of(Long.parseLong(pid)).orElseThrow();
  }

  private static Process up(FederationFile file, Path data) throws IOException {
    return new ProcessBuilder(
            Path.of(System.getProperty("java.home"), "bin", "java").toString(),
            "-Xmx256m",
            "-Densemble.servers=" + System.getProperty("ensemble.servers"),
            "-cp",
            System.getProperty("java.class.path"),
            Main.class.getName(),
            "up",
            "--processes",
            "--sites",
            "1",
            "--nodes",
            "1",
            "--data",
            data.toString(),
            "--json",
            "--federation",
            file.path().toString())
        .redirectError(ProcessBuilder.Redirect.INHERIT)
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

  private static Ran ran(int code, FederationFile file, String... arguments) {
    List<String> all = new ArrayList<>(List.of(arguments));
    all.addAll(List.of("--federation", file.path().toString()));
    Ran ran = Ran.ensemble(all);
    assertThat(ran.code()).as(ran.err()).isEqualTo(code);
    return ran;
  }
}
