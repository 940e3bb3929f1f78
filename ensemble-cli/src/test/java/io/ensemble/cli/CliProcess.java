package io.ensemble.cli;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import io.ensemble.check.process.JsonOutput;
import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;

/** A command as the process that it is, which goes on until it is stopped. */
public record CliProcess(Process process) implements AutoCloseable {

  /**
   * The environment variable that the nodes which a command starts inherit: they do not live long
   * enough for the second compiler, which takes a third of their CPU time.
   */
  public static final String JAVA_OPTIONS = "JDK_JAVA_OPTIONS";

  /**
   * Starts {@code ./ensemble} with these arguments.
   *
   * @param heap such as 512m
   */
  public static CliProcess started(String heap, List<String> arguments) throws IOException {
    List<String> command =
        new ArrayList<>(
            List.of(
                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                "-Xmx" + heap,
                "-XX:TieredStopAtLevel=1",
                "-XX:+UseSerialGC",
                "-Densemble.servers=" + System.getProperty("ensemble.servers"),
                "-Densemble.servers.archive-first=true",
                "-cp",
                System.getProperty("java.class.path"),
                Main.class.getName()));
    command.addAll(arguments);
    ProcessBuilder builder =
        new ProcessBuilder(command).redirectError(ProcessBuilder.Redirect.INHERIT);
    builder.environment().put(JAVA_OPTIONS, "-XX:TieredStopAtLevel=1");
    return new CliProcess(builder.start());
  }

  /** What it prints when it is up; it keeps its standard output open. */
  public JsonNode published() throws IOException {
    InputStream out = process.getInputStream();
    StringBuilder document = new StringBuilder();
    int depth = 0;
    do {
      int next = out.read();
      assertThat(next).as("the end came after: " + document).isNotNegative();
      document.append((char) next);
      depth += next == '{' ? 1 : next == '}' ? -1 : 0;
    } while (depth > 0 || document.toString().isBlank());
    return JsonOutput.mapper().readTree(document.toString().getBytes(UTF_8));
  }

  /** Ends it as a user does, by SIGTERM. */
  public void stop() throws InterruptedException {
    process.destroy();
    assertThat(process.waitFor(60, TimeUnit.SECONDS)).isTrue();
  }

  /** Ends it as {@code kill -9}. */
  void kill() throws InterruptedException {
    process.destroyForcibly().waitFor();
  }

  /** Ends it, where it has not ended. */
  @Override
  public void close() throws InterruptedException {
    kill();
  }
}
