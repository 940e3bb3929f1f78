package io.ensemble.check.process;

import static java.nio.charset.StandardCharsets.UTF_8;

import io.ensemble.testkit.process.child.JavaProgram;
import java.io.BufferedReader;
import java.io.File;
import java.io.IOException;

/** A process that does not outlive this one. {@link #close} kills it. */
public final class ChildProcess implements AutoCloseable {

  /** Receives the output of a process. */
  public interface Listener {

    /**
     * The process has printed a line.
     *
     * @throws IOException to receive no more lines
     */
    void onLine(String line) throws IOException;

    /** The output has ended. */
    void onEnd();
  }

  private final String name;
  private final Process process;
  private final ShutdownHook reaper;

  private ChildProcess(String name, Process process) {
    this.name = name;
    this.process = process;
    this.reaper = ShutdownHook.set(name + "-reaper", process::destroyForcibly);
  }

  /**
   * Starts a process.
   *
   * @param name for threads
   */
  public static ChildProcess start(String name, ProcessBuilder program) throws IOException {
    return new ChildProcess(name, program.start());
  }

  /**
   * Takes over a process that has been started.
   *
   * @param name for threads
   */
  public static ChildProcess of(String name, Process started) {
    return new ChildProcess(name, started);
  }

  /** A small program with the class path of this process, whose libraries log nothing. */
  public static JavaProgram small(String main) {
    return JavaProgram.ofThisProcess(
        main,
        "-Xmx256m",
        "-XX:+UseSerialGC",
        "-XX:TieredStopAtLevel=1", // Starts sooner; it waits more than it works.
        "-Djava.util.logging.config.file=" + File.separator + "dev" + File.separator + "null",
        "-Dorg.jboss.logging.provider=jdk");
  }

  /** The process. */
  public Process process() {
    return process;
  }

  /** Reads the output, on a thread of its own that ends with the process. */
  public Thread startReader(Listener listener) {
    Thread reader = new Thread(() -> lines(listener), name + "-hears");
    reader.setDaemon(true);
    reader.start();
    return reader;
  }

  private void lines(Listener listener) {
    try (BufferedReader lines = process.inputReader(UTF_8)) {
      for (String line = lines.readLine(); line != null; line = lines.readLine()) {
        listener.onLine(line);
      }
    } catch (IOException e) {
      // The process has been killed, or its further output is lost.
    } finally {
      listener.onEnd();
    }
  }

  /** Kills it, without waiting. */
  @Override
  public void close() {
    process.destroyForcibly();
    boolean unused = reaper.withdraw();
  }
}
