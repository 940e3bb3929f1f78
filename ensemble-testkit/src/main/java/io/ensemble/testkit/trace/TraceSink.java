package io.ensemble.testkit.trace;

import java.io.IOException;

/** Receives the versions of a trace, one after the other. */
@FunctionalInterface
public interface TraceSink {
  /** Receives the next version. */
  void take(TraceVersion version) throws IOException;
}
