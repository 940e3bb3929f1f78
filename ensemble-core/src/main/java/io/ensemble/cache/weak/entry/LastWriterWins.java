package io.ensemble.cache.weak.entry;

import io.ensemble.envelope.Envelope;
import org.jspecify.annotations.Nullable;

/** The merge by which the last writer wins. */
public record LastWriterWins() implements EntryMerge {

  @Override
  public StampedEntry of(StampedEntry kept, StampedEntry other) {
    return other.isNewerThan(kept) ? other : kept;
  }

  @Override
  public StampedEntry stored(@Nullable StampedEntry there, StampedEntry entry) {
    return there == null ? entry : of(there, entry);
  }

  @Override
  public boolean same(StampedEntry one, StampedEntry other) {
    return one.stamp().equals(other.stamp());
  }

  @Override
  public long fingerprint(long key, Envelope envelope) {
    return EntryFingerprint.of(key, envelope.stamp());
  }

  @Override
  public int dropped(@Nullable StampedEntry there, StampedEntry entry) {
    return 0;
  }

  @Override
  public boolean swaps() {
    return true;
  }
}
