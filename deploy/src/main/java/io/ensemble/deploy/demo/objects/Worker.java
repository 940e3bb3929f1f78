package io.ensemble.deploy.demo.objects;

import static java.nio.charset.StandardCharsets.UTF_8;

import io.ensemble.deploy.CommandFailure;
import java.io.BufferedReader;
import java.io.File;
import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.function.BiConsumer;

/** A worker that this process has started, and hears. Closing it ends it. */
final class Worker implements AutoCloseable {

  final String name;
  private final Process process;
  private final Thread reaper;
  private final Thread ears;

  private Worker(String name, Process process, BiConsumer<Worker, String> heard) {
    this.name = name;
    this.process = process;
    this.reaper = new Thread(process::destroyForcibly, "demo-reaper-" + name);
    this.ears = new Thread(() -> hear(heard), "demo-hears-" + name);
  }

  /**
   * @param heard told each line that it says, on a thread of its own
   */
  static Worker start(String name, String endpoints, BiConsumer<Worker, String> heard) {
    List<String> command =
        List.of(
            Path.of(System.getProperty("java.home"), "bin", "java").toString(),
            "-Xmx256m",
            "-XX:+UseSerialGC",
            "-Djava.util.logging.config.file=" + File.separator + "dev" + File.separator + "null",
            "-Dorg.jboss.logging.provider=jdk",
            "-cp",
            System.getProperty("java.class.path"),
            WorkerProgram.class.getName(),
            endpoints);
    try {
      Process process =
          new ProcessBuilder(command).redirectError(ProcessBuilder.Redirect.DISCARD).start();
      Worker worker = new Worker(name, process, heard);
      Runtime.getRuntime().addShutdownHook(worker.reaper);
      worker.ears.setDaemon(true);
      worker.ears.start();
      return worker;
    } catch (IOException e) {
      throw new CommandFailure("cannot start a process: " + e.getMessage(), e);
    }
  }

  private void hear(BiConsumer<Worker, String> heard) {
    try (BufferedReader lines = process.inputReader(UTF_8)) {
      for (String line = lines.readLine(); line != null; line = lines.readLine()) {
        heard.accept(this, line);
      }
    } catch (IOException e) {
      // It has been killed.
    }
    heard.accept(this, "gone");
  }

  /** Ends it as nothing else does: SIGKILL. */
  void kill() {
    process.destroyForcibly();
  }

  long pid() {
    return process.pid();
  }

  @Override
  public void close() {
    process.destroyForcibly();
    try {
      process.waitFor(10, TimeUnit.SECONDS);
      ears.join(1000);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
    try {
      Runtime.getRuntime().removeShutdownHook(reaper);
    } catch (IllegalStateException shuttingDown) {
      // Then the hook does its work.
    }
  }
}
