package io.ensemble.cache.adapter;

import io.ensemble.PrivateCacheException;
import io.ensemble.cache.Payload;
import io.ensemble.codec.Codec;
import io.ensemble.site.Bytes;
import java.time.Duration;
import java.util.Arrays;
import java.util.Objects;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;

/**
 * Converts keys and values of one cache to bytes and back, within its limits.
 *
 * @param maxBytes the largest encoded key or value, in bytes
 */
record EntryCodec<K, V>(String cache, Codec codec, int maxBytes, LongSupplier epochMicros) {

  private static final int SHOWN = 64;

  Bytes key(Object key) {
    Objects.requireNonNull(key, "key");
    return limited(codec.encode(key), "key", key);
  }

  @SuppressWarnings("unchecked") // Users read the types that users wrote, as with any remote cache.
  K key(Bytes key) {
    return (K) codec.decode(key);
  }

  Bytes value(Object key, Object value) {
    Objects.requireNonNull(value, "value");
    return limited(codec.encode(value), "value", key);
  }

  Payload payload(Object key, Object value, Duration lifespan) {
    return new Payload(value(key, value), endMicros(lifespan));
  }

  @Nullable V value(@Nullable Payload payload) {
    return payload == null ? null : read(payload);
  }

  /** Decodes a user's value; a value that is still encrypted here is an error. */
  @SuppressWarnings("unchecked")
  V read(Payload found) {
    if (found.encrypted()) {
      throw new PrivateCacheException(PrivateCacheException.Reason.ENCRYPTED, cache);
    }
    return (V) codec.decode(found.value());
  }

  /**
   * Whether {@code found} is {@code expected}: the same bytes, or an equal object. The latter is
   * for types with several encodings, such as a type that holds a set.
   */
  boolean same(Payload found, Object expected, Bytes expectedBytes) {
    return found.value().equals(expectedBytes)
        || (!(expected instanceof byte[]) && expected.equals(read(found)));
  }

  /** When a value written now expires; 0 for never. A lifespan too long to count never ends. */
  private long endMicros(Duration lifespan) {
    if (lifespan.isNegative() || lifespan.isZero()) {
      return 0;
    }
    try {
      long micros =
          Math.addExact(
              Math.multiplyExact(lifespan.toSeconds(), 1_000_000L), lifespan.getNano() / 1_000);
      return Math.addExact(epochMicros.getAsLong(), Math.max(1, micros));
    } catch (ArithmeticException e) {
      return 0;
    }
  }

  private Bytes limited(Bytes encoded, String what, Object key) {
    if (encoded.size() > maxBytes) {
      throw new IllegalArgumentException(
          "a %s has at most %d bytes, encoded; bytes=%d cache=%s key=%s"
              .formatted(what, maxBytes, encoded.size(), cache, shown(key)));
    }
    return encoded;
  }

  private static String shown(Object key) {
    String text = key instanceof byte[] bytes ? Arrays.toString(head(bytes)) : key.toString();
    return text.length() > SHOWN ? text.substring(0, SHOWN) + "…" : text;
  }

  private static byte[] head(byte[] bytes) {
    return bytes.length > SHOWN ? Arrays.copyOf(bytes, SHOWN) : bytes;
  }
}
