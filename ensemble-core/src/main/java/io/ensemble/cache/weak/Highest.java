package io.ensemble.cache.weak;

import io.ensemble.envelope.Envelope;
import org.jspecify.annotations.Nullable;

/** The last writer wins. */
record Highest() implements Union {

  @Override
  public Held of(Held kept, Held other) {
    return other.isNewerThan(kept) ? other : kept;
  }

  @Override
  public Held stored(@Nullable Held there, Held entry) {
    return there == null ? entry : of(there, entry);
  }

  @Override
  public boolean same(Held one, Held other) {
    return one.stamp().equals(other.stamp());
  }

  @Override
  public long fingerprint(long key, Envelope envelope) {
    return Fingerprint.of(key, envelope.stamp());
  }

  @Override
  public int dropped(@Nullable Held there, Held entry) {
    return 0;
  }

  @Override
  public boolean swaps() {
    return true;
  }
}
