package io.ensemble.rest;

import java.util.logging.Level;
import java.util.logging.Logger;
import org.slf4j.LoggerFactory;

/**
 * Keeps Jetty from logging requests. At DEBUG Jetty logs each request byte by byte, including the
 * caller's credentials.
 */
final class JettyLogs {

  private static final String NAME = "org.eclipse.jetty";

  /** A strong reference: without it, the logger and its level could be garbage collected. */
  private static final Logger JDK = Logger.getLogger(NAME);

  private JettyLogs() {}

  /**
   * Raises the level of Jetty's logger where the logging back end allows it. Otherwise logs a
   * warning that Jetty logs requests.
   */
  static void keepQuiet() {
    if (JDK.isLoggable(Level.CONFIG)) {
      JDK.setLevel(Level.INFO);
    }
    if (LoggerFactory.getLogger(NAME).isDebugEnabled()) {
      LoggerFactory.getLogger(JettyLogs.class)
          .warn(
              "the logger {} is at level DEBUG and writes tokens and passwords of requests into "
                  + "the log",
              NAME);
    }
  }
}
