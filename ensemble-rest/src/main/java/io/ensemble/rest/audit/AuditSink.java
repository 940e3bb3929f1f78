package io.ensemble.rest.audit;

import java.io.IOException;

/** Where lines go. Thread-safe. */
public interface AuditSink extends AutoCloseable {

  /**
   * Takes a line.
   *
   * @param line without its end
   * @throws IOException if it is not kept
   */
  void write(String line) throws IOException;

  @Override
  void close();
}
