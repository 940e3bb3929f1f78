package io.ensemble.cache;

import io.ensemble.site.Bytes;
import io.ensemble.stamp.Stamp;
import org.jspecify.annotations.Nullable;

/**
 * A live value as an engine holds it.
 *
 * @param value the encoded value; when encrypted, the bytes described by {@link
 *     io.ensemble.envelope.EncryptedPayload}; empty before the value is sealed
 * @param endMicros when the value expires, in microseconds since 1970; 0 for never
 * @param encrypted whether the value is encrypted
 * @param sealing encrypts the value once its write has a stamp; null when the value is already
 *     encrypted or is not to be. Engines store nothing before {@link #at}
 */
public record Payload(
    Bytes value, long endMicros, boolean encrypted, @Nullable ValueEncryption sealing) {

  private static final Bytes NOTHING = Bytes.of();

  /** Encrypts a value for one write. */
  @FunctionalInterface
  public interface ValueEncryption {

    /** The encrypted form of the value, for the write of that stamp. */
    Bytes at(Stamp stamp);

    /** Whether the present value is only encoded anew, so that the write changes no value. */
    default boolean isSameValue() {
      return false;
    }
  }

  /** A payload in its stored form. */
  public Payload(Bytes value, long endMicros, boolean encrypted) {
    this(value, endMicros, encrypted, null);
  }

  /** A value that is not encrypted. */
  public Payload(Bytes value, long endMicros) {
    this(value, endMicros, false, null);
  }

  /** A value that is encrypted when its write has a stamp. */
  public static Payload toSeal(ValueEncryption encryption, long endMicros) {
    return new Payload(NOTHING, endMicros, true, encryption);
  }

  /** The same payload in its stored form, for the write of that stamp. */
  public Payload at(Stamp stamp) {
    return sealing == null ? this : new Payload(sealing.at(stamp), endMicros, encrypted);
  }

  /** Whether the write stores the present value, encoded anew. */
  public boolean isSameValue() {
    return sealing != null && sealing.isSameValue();
  }

  /** Whether the value has expired at {@code nowMicros}. */
  public boolean isOver(long nowMicros) {
    return endMicros != 0 && endMicros <= nowMicros;
  }
}
