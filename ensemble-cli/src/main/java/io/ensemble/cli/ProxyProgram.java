package io.ensemble.cli;

import java.io.IOException;
import java.io.InputStream;

/** {@code ./ensemble zoofence} as a process that does not outlive its starter. */
public final class ProxyProgram {

  private ProxyProgram() {}

  /** Runs the command line, and ends when the standard input does. */
  public static void main(String[] arguments) {
    exitWithParent(System.in);
    Main.main(arguments);
  }

  /** Ends this process when the stream ends. */
  static void exitWithParent(InputStream starter) {
    Thread watchThread =
        new Thread(
            () -> {
              try {
                while (starter.read() >= 0) {
                  // The input carries no data but its end.
                }
              } catch (IOException e) {
                // Equivalent to the end of the input.
              }
              Runtime.getRuntime().halt(0);
            },
            "tether");
    watchThread.setDaemon(true);
    watchThread.start();
  }
}
