package io.ensemble.deploy;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import io.ensemble.deploy.federation.FederationFile;
import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;

/** {@code up} as the process that it is, and the commands that find it by its file. */
record Up(Process process, FederationFile file) {

  static Up started(FederationFile file, String... options) throws IOException {
    List<String> command =
        new ArrayList<>(
            List.of(
                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                "-Xmx512m",
                "-Densemble.servers=" + System.getProperty("ensemble.servers"),
                "-cp",
                System.getProperty("java.class.path"),
                Main.class.getName(),
                "up",
                "--json",
                "--federation",
                file.path().toString()));
    command.addAll(List.of(options));
    return new Up(
        new ProcessBuilder(command).redirectError(ProcessBuilder.Redirect.INHERIT).start(), file);
  }

  /** What it prints when it is up; it keeps its standard output open. */
  JsonNode published() throws IOException {
    InputStream out = process.getInputStream();
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

  /** Ends it as a user does, by SIGTERM. */
  void stop() throws InterruptedException {
    process.destroy();
    assertThat(process.waitFor(60, TimeUnit.SECONDS)).isTrue();
  }

  /** Ends it as {@code kill -9}. */
  void kill() throws InterruptedException {
    process.destroyForcibly().waitFor();
  }

  /** A command on its federation, that is to end with {@code code}. */
  Ran run(int code, String... arguments) {
    List<String> all = new ArrayList<>(List.of(arguments));
    all.addAll(List.of("--federation", file.path().toString()));
    Ran ran = Ran.ensemble(all);
    assertThat(ran.code()).as(ran.err()).isEqualTo(code);
    return ran;
  }
}
