package io.ensemble.change;

import org.jspecify.annotations.Nullable;

/**
 * Whether the mover of one change has fallen silent, as one process sees it: its beat has not moved
 * for long enough between records that this process has read, on this process's own clock, never
 * further apart than {@link ChangeRules#blindNanos}. A mover that is merely slow is taken for
 * silent too, and loses nothing but its turn. One that has given its turn up is silent at once. Not
 * thread-safe.
 */
public final class OwnerFailureDetector {

  private final long blindNanos;
  private @Nullable OwnerLiveness last;
  private long sinceNanos;
  private long lookedNanos;

  /**
   * @param blindNanos how far two looks may be apart
   */
  public OwnerFailureDetector(long blindNanos) {
    this.blindNanos = blindNanos;
  }

  /**
   * Whether the owner of a change is silent.
   *
   * @param ownerLiveness what the record showed just now
   * @param silenceNanos for how long it must not have moved
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

  /** Whether the last look is so long ago that the next one begins anew. */
  public boolean isStale(long nowNanos) {
    return nowNanos - lookedNanos > blindNanos;
  }
}
