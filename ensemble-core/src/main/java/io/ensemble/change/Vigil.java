package io.ensemble.change;

import org.jspecify.annotations.Nullable;

/**
 * Whether the mover of one change has fallen silent, as one process sees it: its beat has not moved
 * for {@link ChangeRules#silenceNanos} between records that this process has read, on this
 * process's own clock, never further apart than {@link ChangeRules#blindNanos}. A mover that is
 * merely slow is taken for silent too, and loses nothing but its turn. One that has given its turn
 * up is silent at once. Not thread-safe.
 */
public final class Vigil {

  /** What moves while an owner lives. */
  private record Sign(String owner, long turn, Step step, long beat) {}

  private final ChangeRules rules;
  private @Nullable Sign last;
  private long sinceNanos;
  private long lookedNanos;

  public Vigil(ChangeRules rules) {
    this.rules = rules;
  }

  /** Whether the owner of {@code change}, which the record showed just now, is silent. */
  public boolean isSilent(Change change, long nowNanos) {
    if (change.owner().equals(Change.NOBODY)) {
      return true;
    }
    Sign sign = new Sign(change.owner(), change.turn(), change.step(), change.beat().number());
    if (!sign.equals(last) || isStale(nowNanos)) {
      last = sign;
      sinceNanos = nowNanos;
    }
    lookedNanos = nowNanos;
    return nowNanos - sinceNanos >= rules.silenceNanos(change.step());
  }

  /** Whether the last look is so long ago that the next one begins anew. */
  public boolean isStale(long nowNanos) {
    return nowNanos - lookedNanos > rules.blindNanos();
  }
}
