package io.ensemble.cli.bench;

import static java.nio.charset.StandardCharsets.UTF_8;

import io.ensemble.check.federation.SiteDescriptor;
import io.ensemble.check.process.CommandException;
import io.ensemble.check.process.ExitCode;
import io.ensemble.check.process.ShutdownHook;
import io.ensemble.testkit.process.child.JavaProgram;
import java.io.BufferedReader;
import java.io.File;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/** Runs the benchmarks' program and waits for its end. */
public final class YcsbProcess {

  /** The system property with the class path of the benchmarks, which the launcher sets. */
  public static final String PROPERTY = "ensemble.benchmarks";

  private static final String JAR = "ensemble-benchmarks.jar"; // Its manifest names the others.
  private static final String MAIN = "io.ensemble.benchmarks.YcsbMain";
  private static final int LONGEST_OUTPUT_CHARACTERS = 4 << 20;

  private final Path libraries;

  /**
   * The benchmarks whose jars are in {@code libraries}.
   *
   * @throws CommandException if they do not exist
   */
  public YcsbProcess(Path libraries) {
    if (!Files.isDirectory(libraries)) {
      throw new CommandException(
          "the benchmarks are not built: no directory " + libraries + "; run them with ./ensemble");
    }
    this.libraries = libraries;
  }

  /** The benchmarks that the launcher has built. */
  public static YcsbProcess installed() {
    String property = System.getProperty(PROPERTY);
    return new YcsbProcess(Path.of(property == null ? "benchmarks/target/lib" : property));
  }

  /**
   * The output and the end of the program.
   *
   * @param exitCode 0 when every operation succeeded; the system's code for a process that was
   *     killed
   * @param output its standard output; blank when there was no report
   * @param lastWord the last line on its standard error; empty when there was none
   */
  public record YcsbResult(int exitCode, String output, String lastWord) {

    /** Whether the program ended on its own. */
    public boolean hasExitedNormally() {
      return exitCode <= ExitCode.USAGE;
    }

    /** The message about an end without a report. */
    public String failureMessage() {
      String message = lastWord.replaceFirst("^ycsb: (FAILED: )?", "").strip();
      return hasExitedNormally() && !message.isEmpty()
          ? message
          : "ycsb returned no report and exited with code %d%s"
              .formatted(exitCode, message.isEmpty() ? "" : "; last line: " + message);
    }
  }

  /**
   * Runs the program. Its standard output is kept, and its standard error is reported line by line.
   * An interrupt stops it.
   *
   * @param catalog the address of the catalog; null for none
   * @param shownAs the command that its result names
   */
  public YcsbResult run(
      YcsbRequest request,
      List<SiteDescriptor> sites,
      @Nullable String catalog,
      String shownAs,
      boolean json,
      Consumer<String> standardError)
      throws InterruptedException {
    List<String> arguments = new ArrayList<>(request.arguments(sites, catalog));
    if (json) {
      arguments.add("--json");
    }
    Process process = start(shownAs, arguments);
    // The program must not outlive this process: Ctrl-C on a terminal reaches both, a SIGTERM only
    // this one.
    ShutdownHook reaper = ShutdownHook.set("ycsb-reaper", process::destroy);
    LastLineRecorder lastLine = new LastLineRecorder(standardError);
    Thread errors = new Thread(() -> lines(process, lastLine), "ycsb-errors");
    errors.setDaemon(true);
    errors.start();
    try {
      String output = output(process);
      int code = process.waitFor();
      errors.join();
      return new YcsbResult(code, output, lastLine.last);
    } finally {
      process.destroy();
      boolean unused = reaper.withdraw();
    }
  }

  private Process start(String shownAs, List<String> arguments) {
    List<String> options = new ArrayList<>(List.of("-Xmx768m", "-XX:+UseParallelGC"));
    options.addAll(JavaProgram.optionsOfNetty());
    options.add("-Densemble.command=" + shownAs);
    try {
      return new JavaProgram(options, libraries.resolve(JAR).toString(), MAIN)
          .process(arguments)
          .redirectInput(ProcessBuilder.Redirect.from(nullDevice()))
          .start();
    } catch (IOException e) {
      throw new CommandException("cannot start the benchmarks: " + e.getMessage(), e);
    }
  }

  /** Keeps the last of the lines that it passes on. */
  private static final class LastLineRecorder implements Consumer<String> {

    private final Consumer<String> next;
    private volatile String last = "";

    LastLineRecorder(Consumer<String> next) {
      this.next = next;
    }

    @Override
    public void accept(String line) {
      last = line;
      next.accept(line);
    }
  }

  private static File nullDevice() {
    return new File(System.getProperty("os.name").startsWith("Windows") ? "NUL" : "/dev/null");
  }

  private static String output(Process process) {
    StringBuilder output = new StringBuilder();
    try (BufferedReader reader = process.inputReader(UTF_8)) {
      String line = reader.readLine();
      while (line != null) {
        if (output.length() + line.length() < LONGEST_OUTPUT_CHARACTERS) {
          output.append(line).append('\n');
        }
        line = reader.readLine();
      }
      return output.toString();
    } catch (IOException e) {
      throw new CommandException("cannot read the output of the benchmarks: " + e.getMessage(), e);
    }
  }

  private static void lines(Process process, Consumer<String> each) {
    try (BufferedReader reader = process.errorReader(UTF_8)) {
      String line = reader.readLine();
      while (line != null) {
        each.accept(line);
        line = reader.readLine();
      }
    } catch (IOException e) {
      // The program has ended, and its exit code shows how.
    }
  }
}
