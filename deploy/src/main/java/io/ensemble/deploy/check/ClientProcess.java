package io.ensemble.deploy.check;

import static java.nio.charset.StandardCharsets.UTF_8;

import io.ensemble.deploy.CommandFailure;
import io.ensemble.deploy.Output;
import java.io.BufferedReader;
import java.io.File;
import java.io.IOException;
import java.io.Writer;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;

/** A client process that this one has started, and what it says. Closing it ends it. */
final class ClientProcess implements AutoCloseable {
  private static final Duration LONGEST_START = Duration.ofSeconds(150);
  private static final Duration LONGEST_END = Duration.ofSeconds(150);
  private static final Duration LONGEST_FAREWELL = Duration.ofSeconds(10);

  private final int number;
  private final Process process;
  private final Writer orders;
  private final Thread reaper;
  private final CountDownLatch ready = new CountDownLatch(1);
  private final CountDownLatch ended = new CountDownLatch(1);
  private volatile ClientWord last = ClientWord.SILENT;

  private ClientProcess(int number, Process process) {
    this.number = number;
    this.process = process;
    this.orders = process.outputWriter(UTF_8);
    this.reaper = new Thread(process::destroyForcibly, "check-reaper-" + number);
  }

  /**
   * Starts one with the class path of this process.
   *
   * @param program the class that is run
   * @param order what it is told first
   * @param log where it writes what libraries print
   */
  static ClientProcess start(int number, String program, Record order, Path log) {
    List<String> command =
        List.of(
            Path.of(System.getProperty("java.home"), "bin", "java").toString(),
            "-Xmx256m",
            "-XX:+UseSerialGC",
            "-XX:TieredStopAtLevel=1", // It begins the sooner; it waits for sites more than it
            // works.
            "-Djava.util.logging.config.file=" + File.separator + "dev" + File.separator + "null",
            "-Dorg.jboss.logging.provider=jdk",
            "-cp",
            System.getProperty("java.class.path"),
            program);
    try {
      Process process =
          new ProcessBuilder(command)
              .redirectError(ProcessBuilder.Redirect.to(log.toFile()))
              .start();
      ClientProcess client = new ClientProcess(number, process);
      Runtime.getRuntime().addShutdownHook(client.reaper);
      Thread ears = new Thread(client::hear, "check-hears-" + number);
      ears.setDaemon(true);
      ears.start();
      client.tell(Lines.json(order));
      return client;
    } catch (IOException e) {
      throw new CommandFailure("cannot start a client process: " + e.getMessage(), e);
    }
  }

  private void hear() {
    try (BufferedReader lines = process.inputReader(UTF_8)) {
      for (String line = lines.readLine(); line != null; line = lines.readLine()) {
        last = Output.mapper().readValue(line, ClientWord.class);
        ready.countDown();
        if (last.word().equals(ClientWord.ENDED)) {
          ended.countDown();
        }
      }
    } catch (IOException e) {
      // What it says is lost with it; that it did not end is noticed.
    } finally {
      ready.countDown();
      ended.countDown();
    }
  }

  private void tell(String line) throws IOException {
    orders.write(line + "\n");
    orders.flush();
  }

  /** Waits until it can begin. */
  void awaitReady() throws InterruptedException {
    if (!ready.await(LONGEST_START.toMillis(), TimeUnit.MILLISECONDS) || last.word().isEmpty()) {
      throw new CommandFailure("a client process did not start; number=" + number);
    }
  }

  /** Lets it begin. */
  void go() {
    try {
      tell("go");
    } catch (IOException e) {
      throw new CommandFailure("a client process is gone; number=" + number, e);
    }
  }

  /** What it has said last. */
  ClientWord last() {
    return last;
  }

  long pid() {
    return process.pid();
  }

  boolean isAlive() {
    return process.isAlive();
  }

  /** Tells it to stop. */
  void stop() {
    tellIfThere("stop");
  }

  /** Tells it something. */
  void tellIfThere(String word) {
    try {
      tell(word);
    } catch (IOException e) {
      // It has gone, which its silence tells.
    }
  }

  /** Kills it, as {@code kill -9} does, and waits until it has gone. */
  void kill() throws InterruptedException {
    process.destroyForcibly().waitFor();
  }

  /** Kills it, without waiting. */
  void destroy() {
    process.destroyForcibly();
  }

  /** Whether it has told its end, with its history on disk; it stays until it is closed. */
  boolean awaitEnd() throws InterruptedException {
    return ended.await(LONGEST_END.toMillis(), TimeUnit.MILLISECONDS)
        && last.word().equals(ClientWord.ENDED);
  }

  @Override
  public void close() {
    try {
      orders.close();
      process.waitFor(LONGEST_FAREWELL.toMillis(), TimeUnit.MILLISECONDS);
    } catch (IOException e) {
      // It has gone.
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
    process.destroyForcibly();
    try {
      Runtime.getRuntime().removeShutdownHook(reaper);
    } catch (IllegalStateException shuttingDown) {
      // Then the hook does its work.
    }
  }
}
