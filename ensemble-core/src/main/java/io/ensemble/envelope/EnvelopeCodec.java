package io.ensemble.envelope;

import io.ensemble.site.Bytes;
import io.ensemble.stamp.Stamp;
import io.ensemble.stamp.WriterId;

/** Turns envelopes into bytes and back. */
public final class EnvelopeCodec {

  private static final int VERSION = 1;

  private static final int TOMBSTONE = 1;
  private static final int ENCRYPTED = 1 << 1;
  private static final int HAS_END = 1 << 2;
  private static final int HAS_CONTEXT = 1 << 3;
  private static final int HAS_STATE = 1 << 4;
  private static final int KNOWN = TOMBSTONE | ENCRYPTED | HAS_END | HAS_CONTEXT | HAS_STATE;

  private static final int FIXED_SIZE = 2 + 8 + 16;

  private EnvelopeCodec() {}

  /** The stored form. */
  public static Bytes encode(Envelope envelope) {
    Bytes context = envelope.context();
    Bytes state = envelope.state();
    Bytes payload = envelope.payload();
    boolean encrypted = payload != null && envelope.encrypted();
    if (payload != null && encrypted && payload.size() < EncryptedPayload.SHORTEST_BYTES) {
      throw new AssertionError("a value of a private cache must be encrypted before it is stored");
    }
    ByteWriter out = new ByteWriter(FIXED_SIZE + 16 + size(context) + size(state) + size(payload));
    out.oneByte(VERSION);
    out.oneByte(
        (payload == null ? TOMBSTONE : 0)
            | (encrypted ? ENCRYPTED : 0)
            | (envelope.endMicros() != 0 ? HAS_END : 0)
            | (context != null ? HAS_CONTEXT : 0)
            | (state != null ? HAS_STATE : 0));
    out.eightBytes(envelope.stamp().micros());
    out.eightBytes(envelope.stamp().writer().high());
    out.eightBytes(envelope.stamp().writer().low());
    if (envelope.endMicros() != 0) {
      out.eightBytes(envelope.endMicros());
    }
    if (context != null) {
      out.sized(context);
    }
    if (state != null) {
      out.sized(state);
    }
    if (payload != null) {
      out.bytes(payload.array());
    }
    return out.toBytes();
  }

  /**
   * The envelope of which {@code stored} is the stored form. Fails with {@link
   * MalformedEnvelopeException} if {@code stored} is not the stored form of an envelope.
   */
  public static Envelope decode(Bytes stored) {
    ByteReader in = new ByteReader(stored);
    int flags = flags(in);
    Stamp stamp = stamp(in);
    long end = (flags & HAS_END) != 0 ? in.eightBytes() : 0;
    Bytes context = (flags & HAS_CONTEXT) != 0 ? in.sized() : null;
    Bytes state = (flags & HAS_STATE) != 0 ? in.sized() : null;
    Bytes payload = in.rest();
    boolean encrypted = (flags & ENCRYPTED) != 0;
    if (encrypted
        && ((flags & TOMBSTONE) != 0 || payload.size() < EncryptedPayload.SHORTEST_BYTES)) {
      throw new MalformedEnvelopeException("an encrypted value; bytes=" + payload.size());
    }
    return new Envelope(
        stamp, end, context, state, (flags & TOMBSTONE) != 0 ? null : payload, encrypted);
  }

  /** The stamp of {@link #decode}, without a copy of the payload. */
  public static Stamp stampOf(Bytes stored) {
    ByteReader in = new ByteReader(stored);
    flags(in);
    return stamp(in);
  }

  /** Whether the payload is encrypted; fails as {@link #stampOf} does. */
  public static boolean isEncrypted(Bytes stored) {
    return (flags(new ByteReader(stored)) & ENCRYPTED) != 0;
  }

  /** Whether there is a payload that is not encrypted; fails as {@link #stampOf} does. */
  public static boolean isInClear(Bytes stored) {
    return (flags(new ByteReader(stored)) & (ENCRYPTED | TOMBSTONE)) == 0;
  }

  private static int flags(ByteReader in) {
    int version = in.oneByte();
    if (version != VERSION) {
      throw new MalformedEnvelopeException("format version " + VERSION + "; got=" + version);
    }
    int flags = in.oneByte();
    if ((flags & ~KNOWN) != 0) {
      throw new MalformedEnvelopeException("known flags; got=" + Integer.toBinaryString(flags));
    }
    return flags;
  }

  private static Stamp stamp(ByteReader in) {
    return new Stamp(in.eightBytes(), new WriterId(in.eightBytes(), in.eightBytes()));
  }

  private static int size(@org.jspecify.annotations.Nullable Bytes bytes) {
    return bytes == null ? 0 : bytes.size();
  }
}
