package io.ensemble.deploy;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;

/** What a program has printed, and its exit code. */
record ShellResult(int code, String out, String err) {

  /** Runs a program with these variables and no others. */
  static ShellResult of(Path scratch, Map<String, String> environment, List<String> command)
      throws IOException, InterruptedException {
    Path errors = Files.createTempFile(scratch, "err", null);
    ProcessBuilder builder = new ProcessBuilder(command).redirectError(errors.toFile());
    builder.environment().clear();
    builder.environment().putAll(environment);
    Process process = builder.start();
    process.getOutputStream().close();
    String out = new String(process.getInputStream().readAllBytes(), UTF_8);
    return new ShellResult(process.waitFor(), out, Files.readString(errors));
  }

  /** Requires the exit code 0. */
  ShellResult succeeded() {
    assertThat(code).as(out + err).isZero();
    return this;
  }
}
