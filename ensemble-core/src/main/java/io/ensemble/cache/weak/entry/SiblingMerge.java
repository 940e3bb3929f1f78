package io.ensemble.cache.weak.entry;

import io.ensemble.cache.Payload;
import io.ensemble.envelope.Envelope;
import io.ensemble.envelope.MalformedEnvelopeException;
import io.ensemble.sibling.Siblings;
import io.ensemble.sibling.StoredSiblings;
import io.ensemble.site.Bytes;
import org.jspecify.annotations.Nullable;

/**
 * Keeps concurrent values, {@code maxSiblings} of them. Needs no user code, so any process that
 * finds two entries can merge them.
 */
public record SiblingMerge(int maxSiblings) implements EntryMerge {

  static Siblings<Payload> siblings(StampedEntry stampedEntry) {
    return decodeSiblings(stampedEntry).siblings();
  }

  /** A malformed entry counts as empty, so that any entry replaces it. */
  private static StoredSiblings<Payload> decodeSiblings(StampedEntry stampedEntry) {
    try {
      return SiblingCodec.resident(WeakEntries.decode(stampedEntry.stored()));
    } catch (MalformedEnvelopeException exception) {
      return StoredSiblings.none();
    }
  }

  private static StampedEntry toEntry(StoredSiblings<Payload> storedSiblings) {
    return StampedEntry.of(SiblingCodec.envelope(storedSiblings));
  }

  @Override
  public StampedEntry of(StampedEntry kept, StampedEntry other) {
    if (kept.stored().equals(other.stored())) {
      return kept;
    }
    StoredSiblings<Payload> current = decodeSiblings(kept);
    StoredSiblings<Payload> merged = current.joined(siblings(other));
    return merged == current ? kept : toEntry(merged);
  }

  /** A copy does not carry the actor of the store that it comes from. */
  @Override
  public StampedEntry mergeInto(@Nullable StampedEntry existing, StampedEntry entry) {
    StoredSiblings<Payload> current =
        existing == null ? StoredSiblings.none() : decodeSiblings(existing);
    StoredSiblings<Payload> merged = current.joined(siblings(entry)).atMost(maxSiblings);
    return existing != null && merged == current ? existing : toEntry(merged);
  }

  @Override
  public int countDropped(@Nullable StampedEntry existing, StampedEntry entry) {
    Siblings<Payload> copy = siblings(entry);
    Siblings<Payload> allSiblings = existing == null ? copy : siblings(existing).join(copy);
    return Math.max(0, allSiblings.alive().size() - maxSiblings);
  }

  @Override
  public boolean isSame(StampedEntry first, StampedEntry second) {
    return first.stored().equals(second.stored()) || siblings(first).equals(siblings(second));
  }

  @Override
  public long fingerprint(long key, Envelope envelope) {
    Bytes context = envelope.context();
    if (context == null) { // From before siblings were kept: treated as if written since.
      Siblings<Payload> siblings = SiblingCodec.siblings(envelope);
      return fingerprint(key, SiblingCodec.envelope(new StoredSiblings<>(siblings, null)));
    }
    long hash = EntryFingerprint.of(context, EntryFingerprint.of(key, envelope.stamp()));
    Bytes values = envelope.payload();
    return values == null ? hash : EntryFingerprint.of(values, hash);
  }

  @Override
  public boolean usesSwap() {
    return false;
  }
}
