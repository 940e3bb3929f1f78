package io.ensemble.cache.weak;

import io.ensemble.cache.Payload;
import io.ensemble.envelope.Envelope;
import io.ensemble.envelope.MalformedEnvelopeException;
import io.ensemble.sibling.Resident;
import io.ensemble.sibling.Siblings;
import io.ensemble.site.Bytes;
import org.jspecify.annotations.Nullable;

/**
 * Concurrent values stay, {@code most} of them. Needs no code of users', so whoever meets two
 * entries can join them.
 */
record Joined(int most) implements Union {

  static Siblings<Payload> siblings(Held held) {
    return resident(held).siblings();
  }

  /** What is not an envelope holds nothing, so that whatever there is takes its place. */
  private static Resident<Payload> resident(Held held) {
    try {
      return SiblingCodec.resident(Entries.decode(held.stored()));
    } catch (MalformedEnvelopeException notOurs) {
      return Resident.none();
    }
  }

  private static Held held(Resident<Payload> resident) {
    return Held.of(SiblingCodec.envelope(resident));
  }

  @Override
  public Held of(Held kept, Held other) {
    if (kept.stored().equals(other.stored())) {
      return kept;
    }
    Resident<Payload> mine = resident(kept);
    Resident<Payload> both = mine.joined(siblings(other));
    return both == mine ? kept : held(both);
  }

  /** Copies leave behind which actor the store is that they come from. */
  @Override
  public Held stored(@Nullable Held there, Held entry) {
    Resident<Payload> before = there == null ? Resident.none() : resident(there);
    Resident<Payload> after = before.joined(siblings(entry)).atMost(most);
    return there != null && after == before ? there : held(after);
  }

  @Override
  public int dropped(@Nullable Held there, Held entry) {
    Siblings<Payload> copy = siblings(entry);
    Siblings<Payload> all = there == null ? copy : siblings(there).join(copy);
    return Math.max(0, all.alive().size() - most);
  }

  @Override
  public boolean same(Held one, Held other) {
    return one.stored().equals(other.stored()) || siblings(one).equals(siblings(other));
  }

  @Override
  public long fingerprint(long key, Envelope envelope) {
    Bytes context = envelope.context();
    if (context == null) { // From before siblings were kept: as if it had been written since.
      Siblings<Payload> same = SiblingCodec.siblings(envelope);
      return fingerprint(key, SiblingCodec.envelope(new Resident<>(same, null)));
    }
    long seen = Fingerprint.of(context, Fingerprint.of(key, envelope.stamp()));
    Bytes values = envelope.payload();
    return values == null ? seen : Fingerprint.of(values, seen);
  }

  @Override
  public boolean swaps() {
    return false;
  }
}
