package io.ensemble.benchmarks.report;

import java.util.List;
import java.util.logging.Level;
import java.util.logging.Logger;

/** Keeps the log lines of libraries away from results and progress. */
public final class LogSilencer {

  // Held, for loggers are forgotten when nobody does.
  private static final Logger ROOT = Logger.getLogger("");
  private static final List<Logger> TALKERS =
      List.of(Logger.getLogger("org.infinispan"), Logger.getLogger("org.infinispan.HOTROD"));

  private LogSilencer() {}

  /**
   * From now on only what a library calls severe is logged, and of Infinispan nothing, which tells
   * of a site that is down at length and again and again: who uses it gets exceptions. Without
   * effect when the JVM was told otherwise.
   */
  public static void ofLibraries() {
    if (System.getProperty("java.util.logging.config.file") == null) {
      ROOT.setLevel(Level.SEVERE);
      TALKERS.forEach(logger -> logger.setLevel(Level.OFF));
    }
  }
}
