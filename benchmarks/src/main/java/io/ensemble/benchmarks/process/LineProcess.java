package io.ensemble.benchmarks.process;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.io.BufferedReader;
import java.io.EOFException;
import java.io.IOException;
import java.time.Duration;
import java.util.concurrent.TimeUnit;

/**
 * A process that reads lines, answers with lines, and ends when its input does: on close. One
 * caller at a time.
 */
public final class LineProcess implements AutoCloseable {

  private final Process process;
  private final BufferedReader answers;
  private final Duration longestEnd;

  private LineProcess(Process process, Duration longestEnd) {
    this.process = process;
    this.answers = process.inputReader(UTF_8);
    this.longestEnd = longestEnd;
  }

  /**
   * Starts a process, with the standard error of this process.
   *
   * @param longestEnd the time after which it is killed, if it does not end
   */
  public static LineProcess start(ProcessBuilder program, Duration longestEnd) throws IOException {
    return new LineProcess(
        program.redirectError(ProcessBuilder.Redirect.INHERIT).start(), longestEnd);
  }

  /**
   * Sends a line to the process.
   *
   * @throws IOException if it has ended
   */
  public void tell(String line) throws IOException {
    process.outputWriter(UTF_8).append(line).append('\n').flush();
  }

  /**
   * Waits for its next line that begins with {@code prefix}, and skips the output of libraries.
   *
   * @return the text after the prefix
   * @throws IOException if it has ended
   */
  public String answer(String prefix) throws IOException {
    for (String line = answers.readLine(); line != null; line = answers.readLine()) {
      if (line.startsWith(prefix)) {
        return line.substring(prefix.length());
      }
    }
    throw new EOFException("the process ended; expected='" + prefix + "'");
  }

  /**
   * The processor time of the process, to hundredths of 1 s; zero if the system does not report it.
   */
  public Duration processorTime() {
    return process.info().totalCpuDuration().orElse(Duration.ZERO);
  }

  @Override
  public void close() {
    try {
      process.getOutputStream().close();
      if (!process.waitFor(longestEnd.toMillis(), TimeUnit.MILLISECONDS)) {
        process.destroyForcibly();
      }
    } catch (IOException e) {
      process.destroyForcibly();
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      process.destroyForcibly();
    }
  }
}
