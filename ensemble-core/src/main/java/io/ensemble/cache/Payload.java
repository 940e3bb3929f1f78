package io.ensemble.cache;

import io.ensemble.site.Bytes;
import io.ensemble.stamp.Stamp;
import org.jspecify.annotations.Nullable;

/**
 * A live value as an engine holds it.
 *
 * @param value the encoded value; what {@link io.ensemble.envelope.EncryptedPayload} describes when
 *     it is encrypted; nothing before it is sealed
 * @param endMicros when it expires, in microseconds since 1970; 0 for never
 * @param encrypted whether it is encrypted
 * @param sealing what encrypts it, once the write has its stamp; null when that is done or not to
 *     be done. Engines store nothing before {@link #at}
 */
public record Payload(Bytes value, long endMicros, boolean encrypted, @Nullable Sealing sealing) {

  private static final Bytes NOTHING = Bytes.of();

  /** Encrypts a value as that of one write. */
  @FunctionalInterface
  public interface Sealing {

    /** The encrypted form of the value, as written by the write of that stamp. */
    Bytes at(Stamp stamp);

    /** Whether it is the value that is there, to be stored otherwise: no write of its own. */
    default boolean isSameValue() {
      return false;
    }
  }

  /** A value as it is stored. */
  public Payload(Bytes value, long endMicros, boolean encrypted) {
    this(value, endMicros, encrypted, null);
  }

  /** A value that is not encrypted. */
  public Payload(Bytes value, long endMicros) {
    this(value, endMicros, false, null);
  }

  /** A value that is encrypted when its write has a stamp. */
  public static Payload toSeal(Sealing sealing, long endMicros) {
    return new Payload(NOTHING, endMicros, true, sealing);
  }

  /** The same as it is stored by the write of that stamp. */
  public Payload at(Stamp stamp) {
    return sealing == null ? this : new Payload(sealing.at(stamp), endMicros, encrypted);
  }

  /** Whether what is written is the value that is there, stored otherwise. */
  public boolean isSameValue() {
    return sealing != null && sealing.isSameValue();
  }

  /** Whether it has expired at {@code nowMicros}. */
  public boolean isOver(long nowMicros) {
    return endMicros != 0 && endMicros <= nowMicros;
  }
}
