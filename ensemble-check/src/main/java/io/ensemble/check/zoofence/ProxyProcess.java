package io.ensemble.check.zoofence;

import static java.nio.charset.StandardCharsets.UTF_8;

import io.ensemble.check.process.CommandException;
import io.ensemble.testkit.process.child.JavaProgram;
import io.ensemble.testkit.process.child.ProcessResumer;
import io.ensemble.testkit.process.child.Signals;
import java.io.BufferedReader;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * A process of ZooFence that can be killed, paused and started again. It ends with this process.
 * Not thread-safe, except for {@link #queuesLed}.
 */
final class ProxyProcess implements AutoCloseable {
  private static final String SERVING = "serving at ";
  private static final Pattern LED = Pattern.compile("zoofence_queues_led\\t(\\d+)");
  private static final int LONGEST_SECONDS = 30;
  private static final Duration LONGEST_START = Duration.ofSeconds(90);
  private static final int LONGEST_WORD_MILLIS = 1_000;

  private final String program;
  private final List<String> arguments;
  private final int port;
  private final Path log;
  private final Duration longestStart;
  private Process process;
  private @Nullable ProcessResumer processResumer;

  private ProxyProcess(
      String program, List<String> arguments, int port, Path log, Duration longestStart)
      throws IOException {
    this.program = program;
    this.arguments = List.copyOf(arguments);
    this.port = port;
    this.log = log;
    this.longestStart = longestStart;
    this.process = launched();
  }

  /**
   * Starts a process, and waits until it serves.
   *
   * @param program takes the command line of {@code ./ensemble}
   * @param arguments the arguments of the command, without the port
   * @param port a free port
   * @throws CommandException if it does not start; the message names its log
   */
  static ProxyProcess start(String program, List<String> arguments, int port, Path log) {
    return start(program, arguments, port, log, LONGEST_START);
  }

  /**
   * The same.
   *
   * @param longestStart the time limit until it serves, for each start
   */
  static ProxyProcess start(
      String program, List<String> arguments, int port, Path log, Duration longestStart) {
    try {
      return new ProxyProcess(program, arguments, port, log, longestStart);
    } catch (IOException e) {
      throw new CommandException("cannot start a proxy: " + e.getMessage(), e);
    }
  }

  private Process launched() throws IOException {
    JavaProgram java =
        JavaProgram.ofThisProcess(
            program, "-Xmx192m", "-XX:+UseSerialGC", "-XX:TieredStopAtLevel=1");
    List<String> command = new ArrayList<>(arguments);
    command.addAll(List.of("--port", Integer.toString(port)));
    long end = System.nanoTime() + longestStart.toNanos();
    while (System.nanoTime() < end) { // It ends again while an instance is away.
      Process fresh =
          java.process(command)
              .redirectError(ProcessBuilder.Redirect.appendTo(log.toFile()))
              .start();
      if (awaitServing(fresh, end)) {
        return fresh;
      }
      fresh.destroyForcibly();
    }
    throw new CommandException("a proxy did not start; port=%d log=%s".formatted(port, log));
  }

  /** Whether the process reports that it serves, before it ends or that time. */
  private static boolean awaitServing(Process fresh, long endNanos) {
    CompletableFuture<Boolean> serving = new CompletableFuture<>();
    Thread reader = new Thread(() -> readOutput(fresh, serving), "check-proxy-words");
    reader.setDaemon(true);
    reader.start();
    try {
      return serving.get(endNanos - System.nanoTime(), TimeUnit.NANOSECONDS);
    } catch (TimeoutException e) {
      return false;
    } catch (ExecutionException e) {
      throw new IllegalStateException("checking the start of a proxy cannot fail", e);
    } catch (InterruptedException e) {
      fresh.destroyForcibly();
      Thread.currentThread().interrupt();
      throw new IllegalStateException("interrupted while a proxy started", e);
    }
  }

  /** Reads the output to its end: a process whose output is not read may block. */
  private static void readOutput(Process fresh, CompletableFuture<Boolean> serving) {
    try (BufferedReader output = fresh.inputReader(UTF_8)) {
      for (String line = output.readLine(); line != null; line = output.readLine()) {
        if (line.startsWith(SERVING)) {
          serving.complete(true);
        }
      }
    } catch (IOException e) {
      // The process has ended.
    }
    serving.complete(false);
  }

  /** The address for clients. */
  String address() {
    return "127.0.0.1:" + port;
  }

  /** The number of queues that it leads, by its own report; -1 if there is none. */
  int queuesLed() {
    try (Socket socket = new Socket()) {
      socket.connect(
          new InetSocketAddress(InetAddress.getLoopbackAddress(), port), LONGEST_WORD_MILLIS);
      socket.setSoTimeout(LONGEST_WORD_MILLIS);
      socket.getOutputStream().write("mntr".getBytes(UTF_8));
      Matcher led = LED.matcher(new String(socket.getInputStream().readAllBytes(), UTF_8));
      return led.find() ? Integer.parseInt(led.group(1)) : -1;
    } catch (IOException silent) {
      return -1;
    }
  }

  /** Kills the process as {@code kill -9}. Returns when it has ended. */
  void kill() {
    resumeIfPaused();
    process.destroyForcibly();
    try {
      if (!process.waitFor(LONGEST_SECONDS, TimeUnit.SECONDS)) {
        throw new IllegalStateException("a killed proxy is still running; port=" + port);
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new IllegalStateException("interrupted while waiting for a proxy's end", e);
    }
  }

  /** Starts the process again after {@link #kill}, and waits until it serves. */
  void restart() {
    try {
      process = launched();
    } catch (IOException e) {
      throw new CommandException("cannot start a proxy: " + e.getMessage(), e);
    }
  }

  /** Pauses the process: connections stay open, and no request is answered. */
  void pause() {
    processResumer = ProcessResumer.of(process.pid());
    Signals.stop(process.pid());
  }

  /** Resumes the process after {@link #pause}. */
  void resume() {
    resumeIfPaused();
  }

  private void resumeIfPaused() {
    ProcessResumer waiting = processResumer;
    processResumer = null;
    if (waiting != null) {
      waiting.close();
    }
  }

  @Override
  public void close() {
    resumeIfPaused();
    process.destroyForcibly();
  }
}
