package io.ensemble.rest;

import java.util.logging.Level;
import java.util.logging.Logger;
import org.slf4j.LoggerFactory;

/**
 * Keeps Jetty from writing requests into the log: at DEBUG it shows them byte by byte, and so what
 * callers prove with who they are.
 */
final class JettyLogs {

  private static final String NAME = "org.eclipse.jetty";

  /** Held, or its level would be forgotten with it. */
  private static final Logger JDK = Logger.getLogger(NAME);

  private JettyLogs() {}

  /** As far as the log can be told; else it is said that it does. */
  static void keepQuiet() {
    if (JDK.isLoggable(Level.CONFIG)) {
      JDK.setLevel(Level.INFO);
    }
    if (LoggerFactory.getLogger(NAME).isDebugEnabled()) {
      LoggerFactory.getLogger(JettyLogs.class)
          .warn(
              "the logger {} is at DEBUG: it writes tokens and passwords of requests into the log",
              NAME);
    }
  }
}
