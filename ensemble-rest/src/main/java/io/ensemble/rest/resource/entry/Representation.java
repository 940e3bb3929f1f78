package io.ensemble.rest.resource.entry;

import io.ensemble.codec.TypedContent;
import io.ensemble.rest.http.Problem;
import io.ensemble.rest.http.ProblemType;
import io.ensemble.rest.http.RestResponse;
import io.ensemble.site.Bytes;
import java.nio.ByteBuffer;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.Arrays;
import java.util.HexFormat;
import java.util.Locale;
import java.util.Set;

/**
 * A value as it travels: bytes of a media type, and the strong ETag that names them.
 *
 * <p>In Java's API text in UTF-8 is a {@link String}, plain bytes are a {@code byte[]}, and
 * anything else is {@link TypedContent}; the other way round, numbers and what else ProtoStream
 * knows come out as their text.
 *
 * <p>The ETag is a digest of type and content, not the entry's stamp: a stamp is of a write, and in
 * MWMR of a ballot, which another process that finishes the write replaces by its own without
 * changing the value; and in no mode does it come with a read. A digest is the same at every site
 * and process, and it can be compared inside the cache's own atomic step. Two writes of one value
 * have one ETag, as HTTP allows.
 *
 * @param content not to be changed
 */
public record Representation(String type, byte[] content) {

  public static final String BYTES = "application/octet-stream";
  static final String TEXT = "text/plain;charset=utf-8";

  private static final String UTF_16 = "text/plain;charset=utf-16be";

  private static final int ETAG_BYTES = 16;

  /** What a browser only shows; anything else it is told to save. */
  private static final Set<String> SHOWN =
      Set.of(
          "text/plain", "application/json", "image/png", "image/jpeg", "image/gif", "image/webp");

  /** What came with a request. */
  public static Representation of(String type, byte[] content) {
    if (type.length() > TypedContent.LONGEST_TYPE
        || type.isBlank()
        || type.chars().anyMatch(c -> c < ' ' || c > '~')) {
      throw Problem.invalid(
          "Content-Type",
          "1 to %d printable characters of ASCII".formatted(TypedContent.LONGEST_TYPE),
          type);
    }
    return new Representation(type, content);
  }

  /** A value of a cache among others: one of Java that UTF-8 cannot hold comes as UTF-16. */
  static Representation shown(Object value) {
    return value instanceof String text && !isUtf8(text)
        ? new Representation(UTF_16, chars(text))
        : of(value);
  }

  /** As they are: an encoder would put something else in the place of half a pair. */
  private static byte[] chars(String text) {
    ByteBuffer bytes = ByteBuffer.allocate(text.length() * Character.BYTES);
    bytes.asCharBuffer().put(text);
    return bytes.array();
  }

  /** Whether UTF-8 can hold it: Java's strings may have half a surrogate pair. */
  static boolean isUtf8(String text) {
    return StandardCharsets.UTF_8.newEncoder().canEncode(text);
  }

  /** A value of a cache. */
  public static Representation of(Object value) {
    if (value instanceof byte[] bytes) {
      return new Representation(BYTES, bytes);
    }
    if (value instanceof TypedContent typed) {
      return new Representation(typed.type(), typed.content().array());
    }
    String text = value.toString();
    byte[] bytes = text.getBytes(StandardCharsets.UTF_8);
    if (value instanceof String && !isUtf8(text)) {
      throw Problem.of(
          ProblemType.NOT_ACCEPTABLE, "the value is a string of Java that UTF-8 cannot hold");
    }
    return new Representation(TEXT, bytes);
  }

  /** As caches keep it. */
  Object value() {
    if (type.equals(BYTES)) {
      return content;
    }
    if (isText(type) && isUtf8(content)) {
      return new String(content, StandardCharsets.UTF_8);
    }
    return new TypedContent(type, Bytes.of(content));
  }

  /** The type that text comes out with, and no other that means it: a type comes out unchanged. */
  private static boolean isText(String type) {
    return type.equals(TEXT);
  }

  /** How many bytes it is in a cache. */
  int encodedBytes() {
    return content.length + (value() instanceof TypedContent ? 2 + type.length() : 1);
  }

  private static boolean isUtf8(byte[] content) {
    try {
      StandardCharsets.UTF_8.newDecoder().decode(ByteBuffer.wrap(content));
      return true;
    } catch (CharacterCodingException e) {
      return false;
    }
  }

  /** Type and content as bytes: the type's length, the type, the content. */
  public byte[] packed() {
    byte[] name = type.getBytes(StandardCharsets.US_ASCII);
    return ByteBuffer.allocate(Short.BYTES + name.length + content.length)
        .putShort((short) name.length)
        .put(name)
        .put(content)
        .array();
  }

  public static Representation unpacked(byte[] packed) {
    ByteBuffer bytes = ByteBuffer.wrap(packed);
    byte[] name = new byte[bytes.getShort()];
    bytes.get(name);
    byte[] content = new byte[bytes.remaining()];
    bytes.get(content);
    return new Representation(new String(name, StandardCharsets.US_ASCII), content);
  }

  /** The whole value as an answer. */
  public RestResponse reply() {
    RestResponse reply = RestResponse.of(200, type, content).with("ETag", etag());
    String bare = type.split(";", 2)[0].strip().toLowerCase(Locale.ROOT);
    return SHOWN.contains(bare) ? reply : reply.with("Content-Disposition", "attachment");
  }

  /** Whether JSON can show the content as a text. */
  boolean isReadable() {
    String bare = type.toLowerCase(Locale.ROOT);
    return !type.equals(UTF_16)
        && (bare.startsWith("text/") || bare.startsWith("application/json"))
        && isUtf8(content);
  }

  String text() {
    return new String(content, StandardCharsets.UTF_8);
  }

  String etag() {
    try {
      MessageDigest digest = MessageDigest.getInstance("SHA-256");
      digest.update(type.getBytes(StandardCharsets.US_ASCII));
      digest.update((byte) 0);
      byte[] hash = Arrays.copyOf(digest.digest(content), ETAG_BYTES);
      return '"' + HexFormat.of().formatHex(hash) + '"';
    } catch (NoSuchAlgorithmException e) {
      throw new AssertionError("every JDK has SHA-256", e);
    }
  }

  @Override
  public boolean equals(Object other) {
    return other instanceof Representation one
        && type.equals(one.type)
        && Arrays.equals(content, one.content);
  }

  @Override
  public int hashCode() {
    return 31 * type.hashCode() + Arrays.hashCode(content);
  }
}
