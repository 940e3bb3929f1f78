package io.ensemble.cache.weak.replica;

import org.jspecify.annotations.Nullable;

/**
 * What a site may lack that nobody is going to send: only a comparison makes up for it. Immutable.
 *
 * @param marks writes that were not copied, or perhaps not, so far: one for each, and never fewer
 * @param cleaned the marks up to which a comparison of all sites has made up for them
 * @param tried the marks up to which all sites in reach were compared; -1 to compare them anew
 * @param lostMemory whether the site has lost its memory since, so that marks say little
 * @param doubtNanos when a request last got no answer, on the scheduler's clock; null for never
 * @param comparedMicros when a comparison of all sites last ended, since 1970; 0 for never
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

  boolean isTried() {
    return marks == tried;
  }

  RepairBacklog marked(int writes) {
    return new RepairBacklog(
        marks + writes, cleaned, tried, lostMemory, doubtNanos, comparedMicros);
  }

  RepairBacklog doubted(long atNanos) {
    return new RepairBacklog(marks + 1, cleaned, tried, lostMemory, atNanos, comparedMicros);
  }

  RepairBacklog forgotten() {
    return new RepairBacklog(marks + 1, cleaned, tried, true, doubtNanos, comparedMicros);
  }

  /**
   * Whether a comparison that began then saw whatever the last request without an answer did, given
   * that it had arrived after {@code longestNanos}.
   */
  private boolean isBeyondDoubt(long beganNanos, long longestNanos) {
    return doubtNanos == null || beganNanos - doubtNanos >= longestNanos;
  }

  /** Compared with all who could be reached. */
  RepairBacklog tried(long upTo, long beganNanos, long longestNanos) {
    return isBeyondDoubt(beganNanos, longestNanos)
        ? new RepairBacklog(marks, cleaned, upTo, lostMemory, doubtNanos, comparedMicros)
        : this;
  }

  /** Forgets that comparing was tried. */
  RepairBacklog untried() {
    return new RepairBacklog(marks, cleaned, -1, lostMemory, doubtNanos, comparedMicros);
  }

  /** Compared with all sites, and equal up to {@code upTo}. */
  RepairBacklog compared(long upTo, long beganNanos, long longestNanos, long nowMicros) {
    return isBeyondDoubt(beganNanos, longestNanos)
        ? new RepairBacklog(marks, upTo, upTo, lostMemory && marks != upTo, doubtNanos, nowMicros)
        : new RepairBacklog(marks, cleaned, tried, lostMemory, doubtNanos, nowMicros);
  }
}
