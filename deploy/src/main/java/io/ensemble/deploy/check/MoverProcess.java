package io.ensemble.deploy.check;

import static java.nio.charset.StandardCharsets.UTF_8;

import io.ensemble.deploy.CommandFailure;
import java.io.BufferedReader;
import java.io.File;
import java.io.IOException;
import java.io.Writer;
import java.nio.file.Path;
import java.util.List;

/** A process that carries a change out, until it is killed or closed. */
final class MoverProcess implements AutoCloseable {

  private final Process process;
  private final Thread reaper;

  private MoverProcess(Process process) {
    this.process = process;
    this.reaper = new Thread(process::destroyForcibly, "check-mover-reaper");
  }

  /**
   * Starts one, and waits until it has begun the change.
   *
   * @param log where it writes what libraries print
   */
  static MoverProcess begun(MoverOrder order, Path log) {
    List<String> command =
        List.of(
            Path.of(System.getProperty("java.home"), "bin", "java").toString(),
            "-Xmx256m",
            "-XX:TieredStopAtLevel=1",
            "-XX:+UseSerialGC",
            "-cp",
            System.getProperty("java.class.path"),
            MoverProgram.class.getName());
    try {
      File file = log.toFile();
      MoverProcess mover =
          new MoverProcess(
              new ProcessBuilder(command)
                  .redirectError(ProcessBuilder.Redirect.appendTo(file))
                  .start());
      Runtime.getRuntime().addShutdownHook(mover.reaper);
      Writer orders = mover.process.outputWriter(UTF_8);
      orders.write(Lines.json(order) + "\n");
      orders.flush();
      BufferedReader words = mover.process.inputReader(UTF_8);
      String word = words.readLine();
      if (!MoverProgram.BEGUN.equals(word)) {
        mover.close();
        throw new CommandFailure("a mover did not begin; see its log " + log);
      }
      return mover;
    } catch (IOException e) {
      throw new CommandFailure("cannot start a mover: " + e.getMessage(), e);
    }
  }

  /** As {@code kill -9}; waits until it is dead. */
  void kill() throws InterruptedException {
    process.destroyForcibly().waitFor();
  }

  @Override
  public void close() {
    process.destroyForcibly();
    try {
      Runtime.getRuntime().removeShutdownHook(reaper);
    } catch (IllegalStateException shuttingDown) {
      // Then the hook does its work.
    }
  }
}
