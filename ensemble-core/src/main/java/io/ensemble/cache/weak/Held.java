package io.ensemble.cache.weak;

import io.ensemble.envelope.Envelope;
import io.ensemble.envelope.EnvelopeCodec;
import io.ensemble.envelope.MalformedEnvelopeException;
import io.ensemble.site.Bytes;
import io.ensemble.stamp.Stamp;

/** A stored entry in our hands, with its place in the order. */
record Held(Stamp stamp, Bytes stored) {

  static Held of(Envelope envelope) {
    return new Held(envelope.stamp(), EnvelopeCodec.encode(envelope));
  }

  /** What is not an envelope counts as older than every write, so that writes replace it. */
  static Held of(Bytes stored) {
    try {
      return new Held(
          EnvelopeCodec.isEncrypted(stored)
              ? Entries.decode(stored).stamp()
              : EnvelopeCodec.stampOf(stored),
          stored);
    } catch (MalformedEnvelopeException notOurs) {
      return new Held(Stamp.NONE, stored);
    }
  }

  boolean isNewerThan(Held other) {
    return stamp.isAfter(other.stamp);
  }
}
