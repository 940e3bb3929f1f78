package io.ensemble.envelope;

import io.ensemble.site.Bytes;
import io.ensemble.stamp.Stamp;
import org.jspecify.annotations.Nullable;

/**
 * An entry as every site stores it.
 *
 * <p>Layout: format version (1 byte), flags (1), stamp (8 bytes of time, 16 of writer), then the
 * fields that the flags announce: expiry (8), causal context and protocol state. Each of the last
 * two is a length as a variable-length number, and bytes. The rest is the payload. An unknown
 * version or flag is rejected.
 *
 * @param stamp the position of this write in the key's order
 * @param endMicros when the value expires, in microseconds since 1970; 0 for never
 * @param context room for the causal context; null when there is none
 * @param state the protocol's own state, such as an acceptor's; null when the mode needs none
 * @param payload the encoded value, or null for a tombstone
 * @param encrypted whether {@link EncryptedPayload} describes the payload; false for a tombstone
 */
public record Envelope(
    Stamp stamp,
    long endMicros,
    @Nullable Bytes context,
    @Nullable Bytes state,
    @Nullable Bytes payload,
    boolean encrypted) {

  /** An envelope with a payload that is not encrypted. */
  public Envelope(
      Stamp stamp,
      long endMicros,
      @Nullable Bytes context,
      @Nullable Bytes state,
      @Nullable Bytes payload) {
    this(stamp, endMicros, context, state, payload, false);
  }

  /** An envelope that holds a value, or a tombstone when {@code payload} is null. */
  public static Envelope of(Stamp stamp, @Nullable Bytes payload, long endMicros) {
    return new Envelope(stamp, endMicros, null, null, payload);
  }

  /** Whether the key was removed. */
  public boolean isTombstone() {
    return payload == null;
  }
}
