package io.ensemble.cache.swmr.copy;

import io.ensemble.cache.Payload;
import io.ensemble.envelope.ByteReader;
import io.ensemble.envelope.ByteWriter;
import io.ensemble.envelope.Envelope;
import io.ensemble.envelope.EnvelopeCodec;
import io.ensemble.envelope.MalformedEnvelopeException;
import io.ensemble.primary.Copy;
import io.ensemble.primary.CopyPosition;
import io.ensemble.primary.VersionedCopy;
import io.ensemble.site.Bytes;
import io.ensemble.site.StoredEntry;
import java.util.Optional;

/**
 * A site's copy as an envelope: the origin is the stamp; the state is one byte that says whether
 * the copy is settled, the epoch and the sequence.
 */
public final class CopyCodec {

  private CopyCodec() {}

  public static Bytes encode(Copy<Payload> copy) {
    ByteWriter state = new ByteWriter(24);
    state.oneByte(copy.settled() ? 1 : 0);
    state.variable(copy.mark().epoch());
    state.variable(copy.mark().sequence());
    Payload value = copy.value();
    return EnvelopeCodec.encode(
        new Envelope(
            copy.origin(),
            value == null ? 0 : value.endMicros(),
            null,
            state.toBytes(),
            value == null ? null : value.value(),
            value != null && value.encrypted()));
  }

  /** Fails with {@link MalformedEnvelopeException}. */
  public static Copy<Payload> decode(Bytes stored) {
    Envelope envelope = EnvelopeCodec.decode(stored);
    Bytes state = envelope.state();
    if (state == null) {
      throw new MalformedEnvelopeException("the state of a primary or a copy");
    }
    ByteReader in = new ByteReader(state);
    int settled = in.oneByte();
    CopyPosition position = new CopyPosition(in.variable(), in.variable());
    if (settled > 1 || position.epoch() < 1 || position.sequence() < 0 || in.rest().size() > 0) {
      throw new MalformedEnvelopeException(
          "a copy's state; settled=%d %s".formatted(settled, position));
    }
    Bytes value = envelope.payload();
    Payload payload =
        value == null ? null : new Payload(value, envelope.endMicros(), envelope.encrypted());
    return new Copy<>(position, settled == 1, envelope.stamp(), payload);
  }

  public static VersionedCopy<Payload> toVersionedCopy(Optional<StoredEntry> entry) {
    return entry
        .map(stored -> new VersionedCopy<>(decode(stored.value()), stored.version()))
        .orElseGet(() -> new VersionedCopy<>(Copy.absent(), 0));
  }
}
