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
import java.util.Map;
import java.util.concurrent.TimeUnit;

/** A command in a process of its own, which runs until it is stopped. */
public record CliProcess(Process process) implements AutoCloseable {

  /**
   * The environment variable that the nodes of a command inherit. They do not run long enough for
   * the second compiler, which takes a third of their CPU time.
   */
  public static final String JAVA_OPTIONS = "JDK_JAVA_OPTIONS";

  /**
   * Starts {@code ./ensemble} with these arguments.
   *
   * @param heap such as 512m
   */
  public static CliProcess started(String heap, List<String> arguments) throws IOException {
    return started(heap, Map.of(), arguments);
  }

  /** As the other method, with further environment variables. */
  public static CliProcess started(
      String heap, Map<String, String> variables, List<String> arguments) throws IOException {
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
    builder.environment().putAll(variables);
    return new CliProcess(builder.start());
  }

  /** The document that the command prints when it is up; its standard output stays open. */
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

  /** Ends the process as a user does, by SIGTERM. */
  public void stop() throws InterruptedException {
    process.destroy();
    assertThat(process.waitFor(60, TimeUnit.SECONDS)).isTrue();
  }

  /** Ends the process as {@code kill -9} does. */
  void kill() throws InterruptedException {
    process.destroyForcibly().waitFor();
  }

  /** Ends the process if it is running. */
  @Override
  public void close() throws InterruptedException {
    kill();
  }
}
