package io.ensemble.rest.audit;

import java.io.IOException;

/** The destination of audit lines. May block; {@link Audit} calls it on a thread of its own. */
public interface AuditSink extends AutoCloseable {

  /**
   * Writes a line.
   *
   * @param line the line, without its end
   * @throws IOException if the line is not kept
   */
  void write(String line) throws IOException;

  @Override
  void close();
}
