package io.ensemble.cache.weak;

import io.ensemble.envelope.Envelope;

/** The last writer wins. */
record Highest() implements Union {

  @Override
  public Held of(Held kept, Held other) {
    return other.isNewerThan(kept) ? other : kept;
  }

  @Override
  public Held fresh(Held entry) {
    return entry;
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
  public int dropped(Held kept, Held other) {
    return 0;
  }

  @Override
  public boolean swaps() {
    return true;
  }
}
