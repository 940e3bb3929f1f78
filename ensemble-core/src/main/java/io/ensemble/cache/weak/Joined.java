package io.ensemble.cache.weak;

import io.ensemble.cache.Payload;
import io.ensemble.envelope.Envelope;
import io.ensemble.envelope.EnvelopeCodec;
import io.ensemble.envelope.MalformedEnvelopeException;
import io.ensemble.sibling.Resident;
import io.ensemble.sibling.Siblings;
import io.ensemble.site.Bytes;

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
      return SiblingCodec.resident(EnvelopeCodec.decode(held.stored()));
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
    return both == mine ? kept : held(both.atMost(most));
  }

  @Override
  public Held fresh(Held entry) {
    Resident<Payload> sent = resident(entry);
    return sent.actor() == null ? entry : held(new Resident<>(sent.siblings(), null));
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
  public int dropped(Held kept, Held other) {
    int all = siblings(kept).join(siblings(other)).alive().size();
    return Math.max(0, all - most);
  }

  @Override
  public boolean swaps() {
    return false;
  }
}
