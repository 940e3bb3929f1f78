package io.ensemble.benchmarks.report;

import java.util.List;
import java.util.logging.Level;
import java.util.logging.Logger;

/** Keeps the log lines of libraries away from results and progress. */
public final class Silence {

  // Held, for loggers are forgotten when nobody does.
  private static final List<Logger> QUIET =
      List.of(Logger.getLogger(""), Logger.getLogger("org.infinispan"));

  private Silence() {}

  /** From now on only what a library calls severe is logged, unless the JVM was told otherwise. */
  public static void ofLibraries() {
    if (System.getProperty("java.util.logging.config.file") == null) {
      QUIET.forEach(logger -> logger.setLevel(Level.SEVERE));
    }
  }
}
