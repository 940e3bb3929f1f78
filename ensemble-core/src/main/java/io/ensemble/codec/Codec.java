package io.ensemble.codec;

import io.ensemble.site.Bytes;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.List;
import org.infinispan.protostream.ProtobufUtil;
import org.infinispan.protostream.SerializationContext;
import org.infinispan.protostream.SerializationContextInitializer;
import org.infinispan.protostream.types.java.CommonTypesSchema;

/**
 * Turns keys and values into bytes and back: {@code byte[]}, {@code String}, boxed primitives,
 * {@code Instant}, {@code Date}, {@code UUID}, {@code BigDecimal}, {@code BigInteger}, and every
 * type with a registered ProtoStream schema. Never Java serialization. Thread-safe.
 *
 * <p>The first byte gives the form of the rest:
 *
 * <ul>
 *   <li>{@value #MESSAGE}: a ProtoStream WrappedMessage;
 *   <li>{@value #BYTES}: the array itself;
 *   <li>{@value #UTF_8}: a string in UTF-8;
 *   <li>{@value #UTF_16}: a string that UTF-8 cannot hold, because it has unpaired surrogates;
 *   <li>{@value #TYPED}: {@linkplain TypedContent content of a media type}, as the type's length in
 *       one byte, the type, and the content.
 * </ul>
 *
 * <p>A value has exactly one of these forms. ProtoStream writes fields in the order of the schema.
 * So a type can serve as a key unless it holds sets or maps whose iteration order does not follow
 * from their contents.
 */
public final class Codec {

  static final byte MESSAGE = 0;
  static final byte BYTES = 1;
  static final byte UTF_8 = 2;
  static final byte UTF_16 = 3;
  static final byte TYPED = 4;

  private final SerializationContext context = ProtobufUtil.newSerializationContext();

  /**
   * @param initializers the schemas of the types to be encoded, besides those that ProtoStream
   *     itself has
   */
  public Codec(List<? extends SerializationContextInitializer> initializers) {
    CommonTypesSchema common = new CommonTypesSchema();
    common.registerSchema(context);
    common.registerMarshallers(context);
    for (SerializationContextInitializer initializer : initializers) {
      initializer.registerSchema(context);
      initializer.registerMarshallers(context);
    }
  }

  /**
   * The one encoding of {@code value}.
   *
   * @throws IllegalArgumentException if its type, or a type inside it, has no schema
   */
  public Bytes encode(Object value) {
    if (value instanceof byte[] array) {
      return tagged(BYTES, array);
    }
    if (value instanceof String string) {
      return wellFormed(string)
          ? tagged(UTF_8, string.getBytes(StandardCharsets.UTF_8))
          : tagged(UTF_16, utf16(string));
    }
    if (value instanceof TypedContent typed) {
      return typed(typed);
    }
    try {
      return tagged(MESSAGE, ProtobufUtil.toWrappedByteArray(context, value));
    } catch (IOException | RuntimeException e) {
      throw new IllegalArgumentException(
          "the type requires a ProtoStream schema: give the manager a "
              + "SerializationContextInitializer for it; type="
              + value.getClass().getName(),
          e);
    }
  }

  /** Whether {@code encoded} is a string in UTF-8, which is held in the bytes after the first. */
  public static boolean isUtf8(Bytes encoded) {
    return encoded.size() > 0 && encoded.array()[0] == UTF_8;
  }

  /** Whether {@code encoded} is a byte array, which is held in the bytes after the first. */
  public static boolean isByteArray(Bytes encoded) {
    return encoded.size() > 0 && encoded.array()[0] == BYTES;
  }

  /** Whether {@code encoded} is a string that UTF-8 cannot hold. */
  public static boolean isUtf16(Bytes encoded) {
    return encoded.size() > 0 && encoded.array()[0] == UTF_16;
  }

  /**
   * The value of which {@code encoded} is the encoding.
   *
   * @throws IllegalStateException if its type has no schema here, or it is not an encoding of this
   *     class
   */
  public Object decode(Bytes encoded) {
    byte[] array = encoded.array();
    if (array.length == 0) {
      throw new IllegalStateException("an encoded value must have a first byte; got none");
    }
    return switch (array[0]) {
      case BYTES -> Arrays.copyOfRange(array, 1, array.length);
      case UTF_8 -> new String(array, 1, array.length - 1, StandardCharsets.UTF_8);
      case UTF_16 -> fromUtf16(array);
      case MESSAGE -> message(array);
      case TYPED -> typed(array);
      default ->
          throw new IllegalStateException(
              "an encoded value must begin with a known format byte; first=" + array[0]);
    };
  }

  private static Bytes typed(TypedContent value) {
    byte[] type = value.type().getBytes(StandardCharsets.US_ASCII);
    byte[] content = value.content().array();
    byte[] array = new byte[2 + type.length + content.length];
    array[0] = TYPED;
    array[1] = (byte) type.length;
    System.arraycopy(type, 0, array, 2, type.length);
    System.arraycopy(content, 0, array, 2 + type.length, content.length);
    return Bytes.of(array);
  }

  private static TypedContent typed(byte[] array) {
    int length = array.length < 2 ? 0 : array[1] & 0xff;
    if (length == 0 || array.length < 2 + length) {
      throw new IllegalStateException(
          "content with a media type must contain the type; bytes=" + array.length);
    }
    return new TypedContent(
        new String(array, 2, length, StandardCharsets.US_ASCII),
        Bytes.of(Arrays.copyOfRange(array, 2 + length, array.length)));
  }

  private Object message(byte[] array) {
    try {
      return ProtobufUtil.fromWrappedByteArray(context, array, 1, array.length - 1);
    } catch (IOException | RuntimeException e) {
      throw new IllegalStateException(
          "cannot decode a value: its type has no schema in this process, or the value is damaged; "
              + "bytes="
              + array.length,
          e);
    }
  }

  private static boolean wellFormed(String string) {
    for (int i = 0; i < string.length(); i++) {
      char c = string.charAt(i);
      if (Character.isSurrogate(c)) {
        if (i + 1 == string.length() || !Character.isSurrogatePair(c, string.charAt(i + 1))) {
          return false;
        }
        i++;
      }
    }
    return true;
  }

  /** Encodes by hand, because the charsets of the JDK replace unpaired surrogates. */
  private static byte[] utf16(String string) {
    byte[] bytes = new byte[2 * string.length()];
    for (int i = 0; i < string.length(); i++) {
      bytes[2 * i] = (byte) (string.charAt(i) >> 8);
      bytes[2 * i + 1] = (byte) string.charAt(i);
    }
    return bytes;
  }

  private static String fromUtf16(byte[] tagged) {
    StringBuilder string = new StringBuilder(tagged.length / 2);
    for (int i = 1; i + 1 < tagged.length; i += 2) {
      string.append((char) ((tagged[i] & 0xff) << 8 | (tagged[i + 1] & 0xff)));
    }
    return string.toString();
  }

  private static Bytes tagged(byte tag, byte[] content) {
    byte[] array = new byte[content.length + 1];
    array[0] = tag;
    System.arraycopy(content, 0, array, 1, content.length);
    return Bytes.of(array);
  }
}
