package io.ensemble.cache.weak.replica;

/**
 * Told what happens, at once and on the thread where it happens: must be quick and thread-safe, and
 * throw nothing.
 */
public interface WeakMetrics {

  /** Ignores everything. */
  WeakMetrics NONE = new WeakMetrics() {};

  /** What a request was for. */
  enum Kind {
    /** A read for a caller. */
    READ,
    /** A write for a caller. */
    WRITE,
    /** A step of a conditional operation. */
    CONDITIONAL,
    /** A copy in the background. */
    COPY
  }

  /** What a caller asked for. */
  enum Operation {
    READ,
    WRITE,
    UPDATE
  }

  /** An operation ended after so many rounds of requests that followed one another. */
  default void roundTrips(Operation operation, int rounds) {}

  /** A site answered, or failed to; a write that had to put something newer back is one answer. */
  default void answered(String site, Kind kind, long nanos, boolean succeeded) {}

  /** An entry that was overwritten by an older one was put back. */
  default void putBack(String site) {}

  /** Concurrent values beyond the bound were dropped from what {@code site} holds. */
  default void siblingsDropped(String site, int siblings) {}

  /** Copies were not made, and the site is left to a comparison. */
  default void copiesDropped(String site, int copies) {}

  /** A write or conditional operation ended with an unknown outcome. */
  default void outcomeUnknown() {}

  /** A site went down or came back, as this engine sees it. */
  default void siteChanged(String site, boolean up) {}

  /** A comparison or a refill ended. */
  default void compared(AntiEntropyReport report) {}
}
