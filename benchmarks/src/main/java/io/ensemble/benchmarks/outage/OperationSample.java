package io.ensemble.benchmarks.outage;

/**
 * How one operation of an {@link OpenLoop} went. Times are nanoseconds since the first counted
 * operation was to begin; those of the warm-up are negative.
 *
 * @param key number of its key
 * @param number of the operation; a write stores it; 0 and more
 * @param write whether it was one
 * @param intendedNanos when it was to begin
 * @param begunNanos when it began
 * @param endedNanos when it had ended
 * @param end how
 */
record OperationSample(
    int key,
    long number,
    boolean write,
    long intendedNanos,
    long begunNanos,
    long endedNanos,
    End end) {

  /** How an operation ends. */
  enum End {
    /** Answered. */
    DONE,
    /** Certainly without effect. */
    REFUSED,
    /** A write that may have had an effect. */
    UNKNOWN,
    /** Never begun, for too many were under way. */
    NOT_BEGUN
  }

  boolean done() {
    return end == End.DONE;
  }

  /** From when it was to begin. */
  long latencyNanos() {
    return endedNanos - intendedNanos;
  }
}
