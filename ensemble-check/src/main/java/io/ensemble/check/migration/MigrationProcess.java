package io.ensemble.check.migration;

import static java.nio.charset.StandardCharsets.UTF_8;

import io.ensemble.check.process.ChildProcess;
import io.ensemble.check.process.CommandException;
import io.ensemble.check.process.JsonLines;
import io.ensemble.testkit.process.child.JavaProgram;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.Writer;
import java.nio.file.Path;

/** A process that carries out a change, until it is killed or closed. */
final class MigrationProcess implements AutoCloseable {

  private static final JavaProgram PROGRAM =
      JavaProgram.ofThisProcess(
          MigrationProgram.class.getName(),
          "-Xmx256m",
          "-XX:TieredStopAtLevel=1",
          "-XX:+UseSerialGC");

  private final ChildProcess child;

  private MigrationProcess(ChildProcess child) {
    this.child = child;
  }

  /**
   * Starts a process, and waits until it has begun the change.
   *
   * @param log the file for the output of libraries
   */
  static MigrationProcess begun(MigrationSpec order, Path log) {
    try {
      MigrationProcess mover =
          new MigrationProcess(
              ChildProcess.start(
                  "check-mover",
                  PROGRAM.process().redirectError(ProcessBuilder.Redirect.appendTo(log.toFile()))));
      Writer orders = mover.child.process().outputWriter(UTF_8);
      orders.write(JsonLines.json(order) + "\n");
      orders.flush();
      BufferedReader output = mover.child.process().inputReader(UTF_8);
      String line = output.readLine();
      if (!MigrationProgram.BEGUN.equals(line)) {
        mover.close();
        throw new CommandException("a mover process did not start; see its log " + log);
      }
      return mover;
    } catch (IOException e) {
      throw new CommandException("cannot start a mover process: " + e.getMessage(), e);
    }
  }

  /** Kills the process as {@code kill -9}; waits until it is dead. */
  void kill() throws InterruptedException {
    child.process().destroyForcibly().waitFor();
  }

  @Override
  public void close() {
    child.close();
  }
}
