package io.ensemble.cache.weak.replica;

/**
 * Receives events immediately, on the thread where they occur. Implementations must be fast and
 * thread-safe, and throw nothing.
 */
public interface WeakMetrics {

  /** Ignores all events. */
  WeakMetrics NONE = new WeakMetrics() {};

  /** The purpose of a request. */
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

  /** The kind of a caller's operation. */
  enum Operation {
    READ,
    WRITE,
    UPDATE
  }

  /** An operation ended after {@code rounds} consecutive rounds of requests. */
  default void roundTrips(Operation operation, int rounds) {}

  /** A site answered, or failed to; a write that had to put a newer entry back is one response. */
  default void answered(String site, Kind kind, long nanos, boolean succeeded) {}

  /** An entry that was overwritten by an older one was put back. */
  default void putBack(String site) {}

  /** Concurrent values beyond the bound were dropped from the entry at {@code site}. */
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
