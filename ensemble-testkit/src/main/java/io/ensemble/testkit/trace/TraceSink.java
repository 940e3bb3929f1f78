package io.ensemble.testkit.trace;

import java.io.IOException;

/** Takes the versions of a trace, one after the other. */
@FunctionalInterface
public interface TraceSink {
  /** Takes the next one. */
  void take(TraceVersion version) throws IOException;
}
