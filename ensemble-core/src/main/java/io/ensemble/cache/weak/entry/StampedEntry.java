package io.ensemble.cache.weak.entry;

import io.ensemble.envelope.Envelope;
import io.ensemble.envelope.EnvelopeCodec;
import io.ensemble.envelope.MalformedEnvelopeException;
import io.ensemble.site.Bytes;
import io.ensemble.stamp.Stamp;

/** A stored entry in memory, with its stamp. */
public record StampedEntry(Stamp stamp, Bytes stored) {

  public static StampedEntry of(Envelope envelope) {
    return new StampedEntry(envelope.stamp(), EnvelopeCodec.encode(envelope));
  }

  /** A malformed entry counts as older than every write, so that writes replace it. */
  public static StampedEntry of(Bytes stored) {
    try {
      return new StampedEntry(
          EnvelopeCodec.isEncrypted(stored)
              ? WeakEntries.decode(stored).stamp()
              : EnvelopeCodec.stampOf(stored),
          stored);
    } catch (MalformedEnvelopeException exception) {
      return new StampedEntry(Stamp.NONE, stored);
    }
  }

  public boolean isNewerThan(StampedEntry other) {
    return stamp.isAfter(other.stamp);
  }
}
