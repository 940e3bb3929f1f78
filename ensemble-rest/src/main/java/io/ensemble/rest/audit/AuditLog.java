package io.ensemble.rest.audit;

import java.io.IOException;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Lines to the logger {@value #NAME}, at INFO: what becomes of them is the log's matter. While it
 * is off at that level nothing is kept, which fails.
 */
public final class AuditLog implements AuditSink {

  /** The logger. */
  public static final String NAME = "io.ensemble.rest.audit";

  private static final Logger LOG = LoggerFactory.getLogger(NAME);

  @Override
  public void write(String line) throws IOException {
    if (!LOG.isInfoEnabled()) {
      throw new IOException("the logger " + NAME + " drops what is at INFO");
    }
    LOG.info("{}", line);
  }

  @Override
  public void close() {}
}
