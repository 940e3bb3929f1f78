package io.ensemble.cache.weak.entry;

import io.ensemble.cache.Payload;
import io.ensemble.envelope.Envelope;
import io.ensemble.envelope.MalformedEnvelopeException;
import io.ensemble.sibling.Siblings;
import io.ensemble.sibling.StoredSiblings;
import io.ensemble.site.Bytes;
import org.jspecify.annotations.Nullable;

/**
 * Keeps concurrent values, {@code most} of them. Needs no user code, so any process that finds two
 * entries can merge them.
 */
public record SiblingMerge(int most) implements EntryMerge {

  static Siblings<Payload> siblings(StampedEntry stampedEntry) {
    return resident(stampedEntry).siblings();
  }

  /** A malformed entry counts as empty, so that any entry replaces it. */
  private static StoredSiblings<Payload> resident(StampedEntry stampedEntry) {
    try {
      return SiblingCodec.resident(WeakEntries.decode(stampedEntry.stored()));
    } catch (MalformedEnvelopeException notOurs) {
      return StoredSiblings.none();
    }
  }

  private static StampedEntry held(StoredSiblings<Payload> storedSiblings) {
    return StampedEntry.of(SiblingCodec.envelope(storedSiblings));
  }

  @Override
  public StampedEntry of(StampedEntry kept, StampedEntry other) {
    if (kept.stored().equals(other.stored())) {
      return kept;
    }
    StoredSiblings<Payload> mine = resident(kept);
    StoredSiblings<Payload> both = mine.joined(siblings(other));
    return both == mine ? kept : held(both);
  }

  /** A copy does not carry the actor of the store that it comes from. */
  @Override
  public StampedEntry stored(@Nullable StampedEntry there, StampedEntry entry) {
    StoredSiblings<Payload> before = there == null ? StoredSiblings.none() : resident(there);
    StoredSiblings<Payload> after = before.joined(siblings(entry)).atMost(most);
    return there != null && after == before ? there : held(after);
  }

  @Override
  public int dropped(@Nullable StampedEntry there, StampedEntry entry) {
    Siblings<Payload> copy = siblings(entry);
    Siblings<Payload> all = there == null ? copy : siblings(there).join(copy);
    return Math.max(0, all.alive().size() - most);
  }

  @Override
  public boolean same(StampedEntry one, StampedEntry other) {
    return one.stored().equals(other.stored()) || siblings(one).equals(siblings(other));
  }

  @Override
  public long fingerprint(long key, Envelope envelope) {
    Bytes context = envelope.context();
    if (context == null) { // From before siblings were kept: treated as if written since.
      Siblings<Payload> same = SiblingCodec.siblings(envelope);
      return fingerprint(key, SiblingCodec.envelope(new StoredSiblings<>(same, null)));
    }
    long seen = EntryFingerprint.of(context, EntryFingerprint.of(key, envelope.stamp()));
    Bytes values = envelope.payload();
    return values == null ? seen : EntryFingerprint.of(values, seen);
  }

  @Override
  public boolean swaps() {
    return false;
  }
}
