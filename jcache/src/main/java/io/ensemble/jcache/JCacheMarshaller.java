package io.ensemble.jcache;

/**
 * Converts keys and values to bytes and back, for types that have no ProtoStream schema. Strings,
 * byte arrays, boxed primitives, {@code BigInteger}, {@code BigDecimal}, {@code Date}, {@code
 * Instant} and {@code UUID} are never given to it. Equal keys must have equal bytes: the bytes are
 * what sites compare. Thread-safe.
 */
public interface JCacheMarshaller {

  /** The media type of the bytes, which is stored with them. */
  String mediaType();

  /**
   * Converts {@code object} to bytes.
   *
   * @throws IllegalArgumentException if its type is not supported
   */
  byte[] toBytes(Object object);

  /**
   * Converts the bytes to a new object. The bytes come from a site: check them as any input.
   *
   * @param loader the class loader of the cache manager
   * @throws IllegalArgumentException if they are not those of an object of a supported type
   */
  Object fromBytes(byte[] bytes, ClassLoader loader);
}
