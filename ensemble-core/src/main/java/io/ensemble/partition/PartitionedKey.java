package io.ensemble.partition;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.util.Arrays;
import java.util.Optional;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * The view of a key for a partitioner: its bytes, and its text if the key is a string. Not
 * thread-safe, and valid for one call only.
 */
public final class PartitionedKey {

  private final byte[] bytes;
  private final @Nullable Function<byte[], String> decoder;
  private @Nullable String text;

  private PartitionedKey(
      byte[] bytes, @Nullable Function<byte[], String> decoder, @Nullable String text) {
    this.bytes = bytes;
    this.decoder = decoder;
    this.text = text;
  }

  /** A key that is no string, in its encoded form. The array is not copied. */
  public static PartitionedKey opaque(byte[] encoded) {
    return new PartitionedKey(encoded, null, null);
  }

  /** A string, in UTF-8. The array is not copied, and decoded only if that is needed. */
  public static PartitionedKey utf8(byte[] text) {
    return new PartitionedKey(text, bytes -> new String(bytes, UTF_8), null);
  }

  /** A string. For a string that UTF-8 cannot hold, the bytes may equal those of another string. */
  public static PartitionedKey of(String text) {
    return new PartitionedKey(text.getBytes(UTF_8), null, text);
  }

  /** The hash of the key's bytes. */
  public long hash() {
    return StableHash.of(bytes);
  }

  /** The key's bytes, which for a string are its UTF-8. A copy. */
  public byte[] bytes() {
    return Arrays.copyOf(bytes, bytes.length);
  }

  /** The key's text; empty if it is no string. */
  public Optional<String> text() {
    if (text == null && decoder != null) {
      text = decoder.apply(bytes);
    }
    return Optional.ofNullable(text);
  }
}
