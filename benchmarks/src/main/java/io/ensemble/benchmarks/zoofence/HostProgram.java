package io.ensemble.benchmarks.zoofence;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.ensemble.benchmarks.process.CompilerOptions;
import io.ensemble.benchmarks.process.LineProcess;
import io.ensemble.testkit.process.child.JavaProgram;
import java.io.EOFException;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

/** A program of this package on some host, which receives values as JSON. One caller at a time. */
final class HostProgram implements AutoCloseable {

  private static final ObjectMapper JSON = new ObjectMapper();
  private static final Duration LONGEST_END = Duration.ofSeconds(20);

  private final String what;
  private final LineProcess process;

  private HostProgram(String what, LineProcess process) {
    this.what = what;
    this.process = process;
  }

  /**
   * Starts a program.
   *
   * @param argument its argument, passed as JSON
   * @param javaOptions the options of its JVM
   */
  static HostProgram start(
      HostNetwork hostNetwork, int host, Class<?> main, Object argument, List<String> javaOptions) {
    List<String> options = new ArrayList<>(List.of("-Xms64m", "-Xmx512m", "-XX:+UseSerialGC"));
    options.addAll(JavaProgram.optionsOfNetty());
    options.addAll(CompilerOptions.ofThisProcess());
    options.addAll(javaOptions);
    String what = main.getSimpleName() + " at host " + host;
    try {
      ProcessBuilder program =
          JavaProgram.ofThisProcess(main.getName(), options.toArray(String[]::new))
              .process(JSON.writeValueAsString(argument));
      return new HostProgram(what, LineProcess.start(hostNetwork.at(host, program), LONGEST_END));
    } catch (IOException e) {
      throw new UncheckedIOException(what + " did not start", e);
    }
  }

  void tell(Object value) {
    try {
      process.tell(JSON.writeValueAsString(value));
    } catch (JsonProcessingException e) {
      throw new AssertionError("writing a command cannot fail", e);
    } catch (IOException e) {
      throw new UncheckedIOException(what + " has ended", e);
    }
  }

  /** Waits for a line that begins with {@code prefix}; returns the text after the prefix. */
  String answer(String prefix) {
    try {
      return process.answer(prefix);
    } catch (EOFException e) {
      throw new IllegalStateException(what + " ended; see its output above", e);
    } catch (IOException e) {
      throw new UncheckedIOException(what + " does not answer", e);
    }
  }

  /** The same for a value as JSON. */
  <T> T answer(String prefix, Class<T> type) {
    try {
      return JSON.readValue(answer(prefix), type);
    } catch (JsonProcessingException e) {
      throw new IllegalStateException(what + " says what cannot be read", e);
    }
  }

  Duration processorTime() {
    return process.processorTime();
  }

  @Override
  public void close() {
    process.close();
  }
}
