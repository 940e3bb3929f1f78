package io.ensemble.benchmarks.outage;

/**
 * The course of one operation of an {@link OpenLoop}. Times are nanoseconds since the first counted
 * operation was due to begin; those of the warm-up are negative.
 *
 * @param key the number of its key
 * @param number the number of the operation, 0 or more; a write stores it
 * @param write whether it was a write
 * @param intendedNanos the time at which it was due to begin
 * @param begunNanos the time at which it began
 * @param endedNanos the time at which it had ended
 * @param end its outcome
 */
record OperationSample(
    int key,
    long number,
    boolean write,
    long intendedNanos,
    long begunNanos,
    long endedNanos,
    SampleOutcome end) {

  /** How an operation ends. */
  enum SampleOutcome {
    /** Answered. */
    DONE,
    /** Certainly without effect. */
    REFUSED,
    /** A write that may have had an effect. */
    UNKNOWN,
    /** Never begun, because too many were under way. */
    NOT_BEGUN
  }

  boolean done() {
    return end == SampleOutcome.DONE;
  }

  /** The time from when the operation was due to begin. */
  long latencyNanos() {
    return endedNanos - intendedNanos;
  }
}
