package io.ensemble.testkit.trace;

import java.io.IOException;

/** Receives the versions of a trace, and its reads, one after the other. */
@FunctionalInterface
public interface TraceSink {
  /** Receives the next version. */
  void take(TraceVersion version) throws IOException;

  /** Receives the next read; by default ignores it. Only traces of logs of accesses have reads. */
  default void read(TraceRead read) throws IOException {}
}
