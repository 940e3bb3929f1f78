package io.ensemble.versioning;

import static java.nio.charset.StandardCharsets.UTF_8;

import io.ensemble.objects.value.ValueCodec;
import java.nio.ByteBuffer;
import java.nio.CharBuffer;
import java.nio.charset.CharacterCodingException;
import java.util.Arrays;
import java.util.Objects;
import java.util.function.Function;

/**
 * Encodes and decodes keys or values. Equal keys must have equal bytes.
 *
 * @param write thread-safe
 * @param read decodes the bytes of {@code write}; thread-safe
 */
public record BinaryCodec<E>(Function<E, byte[]> write, Function<byte[], E> read) {

  /** Strings, in UTF-8; half of a surrogate pair is refused with an IllegalArgumentException. */
  public static final BinaryCodec<String> TEXT =
      new BinaryCodec<>(BinaryCodec::utf8, bytes -> new String(bytes, UTF_8));

  private static byte[] utf8(String text) {
    try {
      ByteBuffer bytes = UTF_8.newEncoder().encode(CharBuffer.wrap(text));
      return Arrays.copyOf(bytes.array(), bytes.limit());
    } catch (CharacterCodingException e) {
      throw new IllegalArgumentException(
          "a text must not contain unpaired surrogates; got one of %d characters"
              .formatted(text.length()),
          e);
    }
  }

  /** Bytes, copied without change. */
  public static final BinaryCodec<byte[]> BYTES = new BinaryCodec<>(byte[]::clone, byte[]::clone);

  /**
   * Objects of a class, field by field.
   *
   * @param valueCodec of a factory of atomic objects: {@code factory.values(type)}
   */
  public static <E> BinaryCodec<E> of(Class<E> type, ValueCodec valueCodec) {
    return new BinaryCodec<>(
        valueCodec::canonical, bytes -> type.cast(Objects.requireNonNull(valueCodec.read(bytes))));
  }
}
