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
  public StampedEntry mergeInto(@Nullable StampedEntry existing, StampedEntry entry) {
    return existing == null ? entry : of(existing, entry);
  }

  @Override
  public boolean isSame(StampedEntry first, StampedEntry second) {
    return first.stamp().equals(second.stamp());
  }

  @Override
  public long fingerprint(long key, Envelope envelope) {
    return EntryFingerprint.of(key, envelope.stamp());
  }

  @Override
  public int countDropped(@Nullable StampedEntry existing, StampedEntry entry) {
    return 0;
  }

  @Override
  public boolean usesSwap() {
    return true;
  }
}
