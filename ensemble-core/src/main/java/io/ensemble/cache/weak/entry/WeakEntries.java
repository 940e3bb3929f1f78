package io.ensemble.cache.weak.entry;

import io.ensemble.cache.Payload;
import io.ensemble.envelope.EncryptedPayload;
import io.ensemble.envelope.Envelope;
import io.ensemble.envelope.EnvelopeCodec;
import io.ensemble.envelope.MalformedEnvelopeException;
import io.ensemble.sibling.Siblings;
import io.ensemble.site.Bytes;
import io.ensemble.stamp.Stamp;
import java.time.Duration;
import org.jspecify.annotations.Nullable;

/** Interprets envelopes as entries of a WEAK cache. */
public final class WeakEntries {

  private WeakEntries() {}

  /** The value that callers see, null when there is none. */
  public static @Nullable Payload live(Envelope envelope, long nowMicros) {
    Bytes value = envelope.payload();
    if (value == null) {
      return null;
    }
    if (envelope.context() != null) {
      return latest(SiblingCodec.siblings(envelope), nowMicros);
    }
    Payload payload = new Payload(value, envelope.endMicros(), envelope.encrypted());
    return payload.isOver(nowMicros) ? null : payload;
  }

  /** The live value of the last writer, null when there is none. */
  static @Nullable Payload latest(Siblings<Payload> siblings, long nowMicros) {
    return siblings.values().stream()
        .filter(value -> !value.isOver(nowMicros))
        .findFirst()
        .orElse(null);
  }

  /** The entry that writes {@code value}, or removes the key when the value is null. */
  public static StampedEntry entry(Stamp stamp, @Nullable Payload value) {
    Payload stored = value == null ? null : value.at(stamp);
    return StampedEntry.of(
        stored == null
            ? Envelope.of(stamp, null, 0)
            : new Envelope(
                stamp, stored.endMicros(), null, null, stored.value(), stored.encrypted()));
  }

  /**
   * Decodes a stored envelope. Fails with {@link MalformedEnvelopeException}, also if an encrypted
   * value is older than its entry's stamp: in a WEAK cache the stamp alone decides which entry
   * stays.
   */
  public static Envelope decode(Bytes stored) {
    Envelope envelope = EnvelopeCodec.decode(stored);
    Bytes payload = envelope.payload();
    if (envelope.encrypted() && envelope.context() == null && payload != null) {
      EncryptedPayload.check(payload, envelope.stamp());
    }
    return envelope;
  }

  /**
   * Whether no write that the entry must win against can be under way any more. The result is true
   * for a tombstone older than the grace, and for a value that expired longer ago than the grace.
   * Clocks agree to within the grace. The stamp of a tombstone that is further ahead therefore says
   * nothing about its age. Such a tombstone counts as spent too; otherwise it would outlive every
   * write to its key until that time comes.
   */
  public static boolean isSpent(Envelope envelope, long nowMicros, Duration grace) {
    long graceMicros = grace.toNanos() / 1000;
    long stampMicros = envelope.stamp().micros();
    if (envelope.isTombstone()) {
      return nowMicros - stampMicros > graceMicros || stampMicros - nowMicros > graceMicros;
    }
    return envelope.endMicros() != 0
        && nowMicros - Math.max(stampMicros, envelope.endMicros()) > graceMicros;
  }
}
