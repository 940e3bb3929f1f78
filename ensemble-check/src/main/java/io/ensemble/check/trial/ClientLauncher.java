package io.ensemble.check.trial;

import io.ensemble.check.process.ChildProcess;
import java.io.IOException;
import java.nio.file.Path;

/** Starts the clients of a check run. */
@FunctionalInterface
public interface ClientLauncher {

  /**
   * Starts a client, which reads orders from its standard input and reports on its standard output.
   *
   * @param log receives the client's standard error
   * @throws IOException if the client cannot be started
   */
  Process launch(Path log) throws IOException;

  /** A launcher whose clients are processes with the class path of this process. */
  static ClientLauncher ofProgram(Class<?> main) {
    return log ->
        ChildProcess.small(main.getName())
            .process()
            .redirectError(ProcessBuilder.Redirect.to(log.toFile()))
            .start();
  }
}
