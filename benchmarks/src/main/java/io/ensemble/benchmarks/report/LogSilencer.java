package io.ensemble.benchmarks.report;

import java.util.List;
import java.util.logging.Level;
import java.util.logging.Logger;

/** Keeps the log lines of libraries away from results and progress. */
public final class LogSilencer {

  // Held, because loggers without references are collected, with their levels.
  private static final Logger ROOT = Logger.getLogger("");
  private static final List<Logger> LOGGERS =
      List.of(Logger.getLogger("org.infinispan"), Logger.getLogger("org.infinispan.HOTROD"));

  private LogSilencer() {}

  /**
   * From now on libraries log only severe events, and Infinispan none. Infinispan logs a site that
   * is down at length and repeatedly, although its user gets exceptions. No effect if the command
   * line of the JVM configures logging.
   */
  public static void ofLibraries() {
    if (System.getProperty("java.util.logging.config.file") == null) {
      ROOT.setLevel(Level.SEVERE);
      LOGGERS.forEach(logger -> logger.setLevel(Level.OFF));
    }
  }
}
