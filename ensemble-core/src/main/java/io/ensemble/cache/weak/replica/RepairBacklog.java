package io.ensemble.cache.weak.replica;

import org.jspecify.annotations.Nullable;

/**
 * The writes that a site may lack and that no copier will send: only a comparison restores them.
 * Immutable.
 *
 * @param marks number of writes that were not copied, or perhaps not, so far; never decreases
 * @param cleaned the value of {@code marks} up to which a comparison of all sites has restored the
 *     writes
 * @param tried the value of {@code marks} up to which all reachable sites were compared; -1 to
 *     compare them anew
 * @param lostMemory whether the site has lost its memory since, so that {@code marks} says little
 * @param doubtNanos when a request last got no response, on the scheduler's clock; null if all
 *     sites were compared since
 * @param comparedMicros when a comparison of all sites last ended, in microseconds since 1970; 0
 *     for never
 */
record RepairBacklog(
    long marks,
    long cleaned,
    long tried,
    boolean lostMemory,
    @Nullable Long doubtNanos,
    long comparedMicros) {

  static final RepairBacklog NONE = new RepairBacklog(0, 0, 0, false, null, 0);

  boolean isDirty() {
    return marks != cleaned;
  }

  /** Whether a request got no response since a comparison last restored all writes. */
  boolean isInDoubt() {
    return doubtNanos != null;
  }

  boolean isTried() {
    return marks == tried;
  }

  RepairBacklog withMarks(int writes) {
    return new RepairBacklog(
        marks + writes, cleaned, tried, lostMemory, doubtNanos, comparedMicros);
  }

  RepairBacklog withDoubt(long atNanos) {
    return new RepairBacklog(marks + 1, cleaned, tried, lostMemory, atNanos, comparedMicros);
  }

  RepairBacklog withLostMemory() {
    return new RepairBacklog(marks + 1, cleaned, tried, true, doubtNanos, comparedMicros);
  }

  /**
   * Whether a comparison that began at {@code beganNanos} saw every effect of the last request
   * without a response. Such a request arrives within {@code longestNanos}, or never.
   */
  private boolean isBeyondDoubt(long beganNanos, long longestNanos) {
    return doubtNanos == null || beganNanos - doubtNanos >= longestNanos;
  }

  /** After a comparison of all reachable sites. */
  RepairBacklog withAttempt(long upTo, long beganNanos, long longestNanos) {
    return isBeyondDoubt(beganNanos, longestNanos)
        ? new RepairBacklog(marks, cleaned, upTo, lostMemory, doubtNanos, comparedMicros)
        : this;
  }

  /** The same without the attempts to compare. */
  RepairBacklog withoutAttempt() {
    return new RepairBacklog(marks, cleaned, -1, lostMemory, doubtNanos, comparedMicros);
  }

  /** After a comparison of all sites, which are equal up to {@code upTo}. */
  RepairBacklog withComparison(long upTo, long beganNanos, long longestNanos, long nowMicros) {
    return isBeyondDoubt(beganNanos, longestNanos)
        ? new RepairBacklog(marks, upTo, upTo, lostMemory && marks != upTo, null, nowMicros)
        : new RepairBacklog(marks, cleaned, tried, lostMemory, doubtNanos, nowMicros);
  }
}
