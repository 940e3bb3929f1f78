package io.ensemble.rest.audit;

import java.io.IOException;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Writes lines to the logger {@value #NAME} at INFO; the logging configuration decides their
 * destination. If the logger is off at that level, no line is kept, and writing fails.
 */
public final class AuditLog implements AuditSink {

  /** The name of the logger. */
  public static final String NAME = "io.ensemble.rest.audit";

  private static final Logger LOG = LoggerFactory.getLogger(NAME);

  @Override
  public void write(String line) throws IOException {
    if (!LOG.isInfoEnabled()) {
      throw new IOException("the logger " + NAME + " drops records of level INFO");
    }
    LOG.info("{}", line);
  }

  @Override
  public void close() {}
}
