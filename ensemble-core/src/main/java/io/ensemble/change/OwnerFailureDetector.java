package io.ensemble.change;

import org.jspecify.annotations.Nullable;

/**
 * Whether the mover of one change is silent, as one process sees it: the heartbeat has not advanced
 * for long enough. The time is measured on this process's own clock between records that this
 * process has read, never further apart than {@link ChangeRules#blindNanos}. A slow mover counts as
 * silent too, and loses only its ownership. A mover that has resigned is silent immediately. Not
 * thread-safe.
 */
public final class OwnerFailureDetector {

  private final long blindNanos;
  private @Nullable OwnerLiveness last;
  private long sinceNanos;
  private long lookedNanos;

  /**
   * @param blindNanos the maximum time between two reads of the record
   */
  public OwnerFailureDetector(long blindNanos) {
    this.blindNanos = blindNanos;
  }

  /**
   * Whether the owner of a change is silent.
   *
   * @param ownerLiveness the state in the record that was read just now
   * @param silenceNanos for how long it must not have advanced
   */
  public boolean isSilent(OwnerLiveness ownerLiveness, long silenceNanos, long nowNanos) {
    if (ownerLiveness.isNobodys()) {
      return true;
    }
    if (!ownerLiveness.equals(last) || isStale(nowNanos)) {
      last = ownerLiveness;
      sinceNanos = nowNanos;
    }
    lookedNanos = nowNanos;
    return nowNanos - sinceNanos >= silenceNanos;
  }

  /** Whether the last read is so long ago that the measurement begins anew. */
  public boolean isStale(long nowNanos) {
    return nowNanos - lookedNanos > blindNanos;
  }
}
