package io.ensemble.testkit.trace;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.io.BufferedInputStream;
import java.io.Closeable;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * One run of the program {@code git} in a repository, without environment variables or replacement
 * objects that would change the result. {@link #close} ends it.
 */
final class GitProgram implements Closeable {

  private static final List<String> ELSEWHERE =
      List.of(
          "GIT_DIR",
          "GIT_WORK_TREE",
          "GIT_INDEX_FILE",
          "GIT_OBJECT_DIRECTORY",
          "GIT_COMMON_DIR",
          "GIT_NAMESPACE");

  private final Process process;
  private final Path errorFile;
  private final String what;
  private final InputStream out;

  private GitProgram(Process process, Path complaints, String what) {
    this.process = process;
    this.errorFile = complaints;
    this.what = what;
    this.out = new BufferedInputStream(process.getInputStream(), 1 << 16);
  }

  /**
   * Starts the program.
   *
   * @param input its standard input; null if the caller writes to it
   * @param scratch the file for its error messages
   */
  static GitProgram start(
      Path repository, Path scratch, @Nullable Path input, List<String> arguments) {
    List<String> command =
        new ArrayList<>(List.of("git", "--no-replace-objects", "-C", repository.toString()));
    command.addAll(arguments);
    ProcessBuilder builder = new ProcessBuilder(command);
    builder.environment().keySet().removeAll(ELSEWHERE);
    builder.environment().put("LC_ALL", "C");
    builder.environment().put("GIT_NO_LAZY_FETCH", "1"); // Missing contents are not fetched.
    try {
      Path complaints = Files.createTempFile(scratch, "git", ".err");
      builder.redirectError(complaints.toFile());
      if (input != null) {
        builder.redirectInput(input.toFile());
      }
      return new GitProgram(builder.start(), complaints, arguments.get(0));
    } catch (IOException e) {
      throw new GitTraceException("the program git cannot be started; is it installed?", e);
    }
  }

  /** Runs the program to its end, and returns its output. */
  static String run(Path repository, Path scratch, String... arguments) {
    try (GitProgram git = start(repository, scratch, null, List.of(arguments))) {
      String output = new String(git.out.readAllBytes(), UTF_8);
      git.awaitSuccess();
      return output;
    } catch (IOException e) {
      throw new GitTraceException("the output of git " + arguments[0] + " cannot be read", e);
    }
  }

  InputStream out() {
    return out;
  }

  OutputStream in() {
    return process.getOutputStream();
  }

  /** The bytes up to the next {@code end}; null at the end of the output. */
  byte @Nullable [] readUntil(char end) throws IOException {
    byte[] bytes = new byte[256];
    int length = 0;
    for (int next = out.read(); next != end; next = out.read()) {
      if (next < 0) {
        if (length > 0) {
          throw new IOException("git " + what + " ended within a record");
        }
        return null;
      }
      if (length == bytes.length) {
        bytes = Arrays.copyOf(bytes, 2 * length);
      }
      bytes[length++] = (byte) next;
    }
    return Arrays.copyOf(bytes, length);
  }

  /** Waits for its end, and requires exit code 0. */
  void awaitSuccess() {
    try {
      if (process.waitFor() != 0) {
        throw new GitTraceException("git %s: %s".formatted(what, firstErrorLine()));
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new GitTraceException("interrupted while git " + what + " ran", e);
    }
  }

  private String firstErrorLine() {
    try (Stream<String> lines = Files.lines(errorFile)) {
      return lines
          .filter(line -> !line.toLowerCase(Locale.ROOT).startsWith("hint:"))
          .findFirst()
          .orElse("exit code " + process.exitValue());
    } catch (IOException | UncheckedIOException e) {
      return "exit code " + process.exitValue();
    }
  }

  @Override
  public void close() {
    process.destroyForcibly();
  }
}
