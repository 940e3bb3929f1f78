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
 * The transferred form of a value: bytes of a media type, and the strong ETag that identifies them.
 *
 * <p>In the Java API, UTF-8 text is a {@link String}, plain bytes are a {@code byte[]}, and any
 * other type is {@link TypedContent}. In the other direction, numbers and other types known to
 * ProtoStream are returned as text.
 *
 * <p>The ETag is a digest of type and content, not the entry's stamp. A stamp belongs to a write,
 * and in MWMR to a ballot. Another process that finishes the write replaces the ballot by its own
 * without changing the value. In addition, no mode returns the stamp with a read. A digest is the
 * same at every site and process, and the cache's own atomic operation can compare it. Two writes
 * of one value have one ETag, as HTTP allows.
 *
 * @param content must not be changed
 */
public record Representation(String type, byte[] content) {

  public static final String BYTES = "application/octet-stream";
  static final String TEXT = "text/plain;charset=utf-8";

  private static final String UTF_16 = "text/plain;charset=utf-16be";

  private static final int ETAG_BYTES = 16;

  /** Types that a browser only displays. For any other type, the response requests a download. */
  private static final Set<String> SHOWN =
      Set.of(
          "text/plain", "application/json", "image/png", "image/jpeg", "image/gif", "image/webp");

  /**
   * The representation in a request. Text in UTF-8 gets the type of text values; any other type is
   * stored as it was given, so that it is returned unchanged.
   */
  public static Representation of(String type, byte[] content) {
    if (type.length() > TypedContent.LONGEST_TYPE
        || type.isBlank()
        || type.chars().anyMatch(c -> c < ' ' || c > '~')) {
      throw Problem.invalid(
          "Content-Type",
          "1 to %d printable ASCII characters".formatted(TypedContent.LONGEST_TYPE),
          type);
    }
    return new Representation(isUtf8Text(type) ? TEXT : type, content);
  }

  /** Whether the type is text/plain in UTF-8, in any notation that RFC 9110 allows. */
  private static boolean isUtf8Text(String type) {
    String[] parts = type.toLowerCase(Locale.ROOT).split(";", -1);
    String charset = parts.length == 2 ? parts[1].strip() : "";
    return parts[0].strip().equals("text/plain")
        && (charset.equals("charset=utf-8") || charset.equals("charset=\"utf-8\""));
  }

  /** A value in a listing: a Java string that UTF-8 cannot encode is returned as UTF-16. */
  static Representation ofListing(Object value) {
    return value instanceof String text && !isUtf8(text)
        ? new Representation(UTF_16, toUtf16(text))
        : of(value);
  }

  /** The characters of the text, unchanged: an encoder would replace half a surrogate pair. */
  private static byte[] toUtf16(String text) {
    ByteBuffer bytes = ByteBuffer.allocate(text.length() * Character.BYTES);
    bytes.asCharBuffer().put(text);
    return bytes.array();
  }

  /** Whether UTF-8 can encode the text: Java's strings may contain half a surrogate pair. */
  static boolean isUtf8(String text) {
    return StandardCharsets.UTF_8.newEncoder().canEncode(text);
  }

  /** The representation of a cache's value. */
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
          ProblemType.NOT_ACCEPTABLE, "the value is a Java string that cannot be encoded in UTF-8");
    }
    return new Representation(TEXT, bytes);
  }

  /** The value in the form that caches store. */
  Object value() {
    if (type.equals(BYTES)) {
      return content;
    }
    if (type.equals(TEXT) && isUtf8(content)) {
      return new String(content, StandardCharsets.UTF_8);
    }
    return new TypedContent(type, Bytes.of(content));
  }

  /** The size in a cache, in bytes. */
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
  public byte[] toBytes() {
    byte[] name = type.getBytes(StandardCharsets.US_ASCII);
    return ByteBuffer.allocate(Short.BYTES + name.length + content.length)
        .putShort((short) name.length)
        .put(name)
        .put(content)
        .array();
  }

  public static Representation fromBytes(byte[] packed) {
    ByteBuffer bytes = ByteBuffer.wrap(packed);
    byte[] name = new byte[bytes.getShort()];
    bytes.get(name);
    byte[] content = new byte[bytes.remaining()];
    bytes.get(content);
    return new Representation(new String(name, StandardCharsets.US_ASCII), content);
  }

  /** The whole value as a response. */
  public RestResponse reply() {
    RestResponse reply = RestResponse.of(200, type, content).with("ETag", etag());
    String mediaType = type.split(";", 2)[0].strip().toLowerCase(Locale.ROOT);
    return SHOWN.contains(mediaType) ? reply : reply.with("Content-Disposition", "attachment");
  }

  /** Whether JSON can show the content as a text. */
  boolean isReadable() {
    String mediaType = type.toLowerCase(Locale.ROOT);
    return !type.equals(UTF_16)
        && (mediaType.startsWith("text/") || mediaType.startsWith("application/json"))
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
    return other instanceof Representation that
        && type.equals(that.type)
        && Arrays.equals(content, that.content);
  }

  @Override
  public int hashCode() {
    return 31 * type.hashCode() + Arrays.hashCode(content);
  }
}
