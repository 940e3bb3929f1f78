package io.ensemble.testkit.zookeeper;

import static java.nio.charset.StandardCharsets.UTF_8;

import io.ensemble.testkit.process.child.JavaProgram;
import io.ensemble.testkit.process.child.ProcessResumer;
import io.ensemble.testkit.process.child.Signals;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * One ZooKeeper server on the loopback interface, in a process of its own that can be killed,
 * paused, and started again on its data on disk. It ends with this process. Needs a POSIX shell.
 * Not thread-safe.
 */
public final class ZooKeeperProcess implements AutoCloseable {

  private static final int LONGEST_FAREWELL_SECONDS = 30;

  private final Path directory;
  private final int port;
  private final Path log;
  private final List<String> javaOptions;
  private final Map<String, String> settings;
  private Process process;
  private @Nullable ProcessResumer processResumer;

  private ZooKeeperProcess(
      Path directory, int port, List<String> javaOptions, Map<String, String> settings)
      throws IOException {
    this.directory = directory;
    this.port = port;
    this.javaOptions = List.copyOf(javaOptions);
    this.settings = Map.copyOf(settings);
    Files.createDirectories(directory);
    this.log = directory.resolve("server.log");
    this.process = launch();
  }

  /**
   * Starts a server with the class path of this process, and waits until it serves.
   *
   * @param directory the data directory; created if absent
   * @param port a free port
   * @throws IllegalStateException if it does not start; the message names its log
   */
  public static ZooKeeperProcess start(Path directory, int port) {
    return start(directory, port, List.of(), Map.of());
  }

  /**
   * The same with more options.
   *
   * @param javaOptions the options of its JVM
   * @param settings ZooKeeper settings, in addition to those of every node
   */
  public static ZooKeeperProcess start(
      Path directory, int port, List<String> javaOptions, Map<String, String> settings) {
    try {
      return new ZooKeeperProcess(directory, port, javaOptions, settings);
    } catch (IOException e) {
      throw new UncheckedIOException("ZooKeeper did not start; directory=" + directory, e);
    }
  }

  private Process launch() throws IOException {
    List<String> arguments = new ArrayList<>(List.of(directory.toString(), Integer.toString(port)));
    settings.forEach((name, value) -> arguments.add(name + "=" + value));
    Process fresh =
        JavaProgram.ofThisProcess(ZooKeeperProgram.class.getName(), options())
            .process(arguments)
            .redirectError(ProcessBuilder.Redirect.appendTo(log.toFile()))
            .start();
    BufferedReader output = fresh.inputReader(UTF_8);
    for (String line = output.readLine(); line != null; line = output.readLine()) {
      if (line.equals(ZooKeeperProgram.SERVING)) {
        return fresh;
      }
    }
    fresh.destroyForcibly();
    throw new IllegalStateException("ZooKeeper did not start; port=" + port + " log=" + log);
  }

  private String[] options() {
    return Stream.concat(Stream.of("-Xmx128m", "-XX:+UseSerialGC"), javaOptions.stream())
        .toArray(String[]::new);
  }

  /** The address for clients. */
  public String connectString() {
    return "127.0.0.1:" + port;
  }

  /**
   * The processor time of the process, to hundredths of 1 s; zero if the system does not report it.
   */
  public Duration processorTime() {
    return process.info().totalCpuDuration().orElse(Duration.ZERO);
  }

  /** Kills the process as {@code kill -9}. Returns when it has ended. */
  public void kill() {
    resumeIfPaused();
    process.destroyForcibly();
    awaitEnd();
  }

  /** Starts it again after {@link #kill}, and waits until it serves. */
  public void restart() {
    if (process.isAlive()) {
      throw new IllegalStateException("ZooKeeper is running already; port=" + port);
    }
    try {
      process = launch();
    } catch (IOException e) {
      throw new UncheckedIOException("ZooKeeper did not start; directory=" + directory, e);
    }
  }

  /** Pauses the process: connections stay open, and no request is answered. */
  public void pause() {
    processResumer =
        ProcessResumer.of(process.pid()); // Made in advance: a stopped process cannot even end.
    Signals.stop(process.pid());
  }

  /** Resumes the process after {@link #pause}. */
  public void resume() {
    resumeIfPaused();
  }

  private void resumeIfPaused() {
    ProcessResumer waiting = processResumer;
    processResumer = null;
    if (waiting != null) {
      waiting.close();
    }
  }

  /** Ends the process, in an orderly way if possible. */
  @Override
  public void close() {
    resumeIfPaused();
    try {
      process.getOutputStream().close();
      if (!process.waitFor(LONGEST_FAREWELL_SECONDS, TimeUnit.SECONDS)) {
        kill();
      }
    } catch (IOException e) {
      kill(); // The process does not respond any more.
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      process.destroyForcibly();
    }
  }

  private void awaitEnd() {
    try {
      if (!process.waitFor(LONGEST_FAREWELL_SECONDS, TimeUnit.SECONDS)) {
        throw new IllegalStateException("a killed ZooKeeper is still running; port=" + port);
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new IllegalStateException("interrupted while waiting for ZooKeeper's end", e);
    }
  }
}
