package io.ensemble.jcache;

import io.ensemble.codec.Codec;
import io.ensemble.codec.TypedContent;
import io.ensemble.site.Bytes;
import java.math.BigDecimal;
import java.math.BigInteger;
import java.time.Instant;
import java.util.Date;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.UUID;
import org.infinispan.protostream.SerializationContextInitializer;
import org.jspecify.annotations.Nullable;

/**
 * Converts keys and values to objects that an Ensemble cache encodes, and back. Thread-safe.
 *
 * @param codec the encoding of Ensemble's caches, to compare values
 */
record StoredForm(Codec codec, Optional<JCacheMarshaller> marshaller, ClassLoader loader) {

  /** Types that every client of Ensemble can read. */
  private static final Set<Class<?>> PLAIN =
      Set.of(
          String.class,
          byte[].class,
          Boolean.class,
          Character.class,
          Byte.class,
          Short.class,
          Integer.class,
          Long.class,
          Float.class,
          Double.class,
          BigInteger.class,
          BigDecimal.class,
          Date.class,
          Instant.class,
          UUID.class);

  StoredForm(
      List<SerializationContextInitializer> schemas,
      Optional<JCacheMarshaller> marshaller,
      ClassLoader loader) {
    this(new Codec(schemas), marshaller, loader);
  }

  Object of(Object object) {
    if (marshaller.isEmpty() || PLAIN.contains(object.getClass())) {
      return object;
    }
    JCacheMarshaller converter = marshaller.get();
    return new TypedContent(converter.mediaType(), Bytes.of(converter.toBytes(object)));
  }

  @SuppressWarnings("unchecked") // Users read the types that users wrote, as with any remote cache.
  <T> T read(Object stored) {
    if (stored instanceof TypedContent typed
        && marshaller.isPresent()
        && typed.type().equals(marshaller.get().mediaType())) {
      return (T) marshaller.get().fromBytes(typed.content().array(), loader);
    }
    return (T) stored;
  }

  /** Whether two stored values are the same: the same bytes, or equal objects. */
  boolean areSame(@Nullable Object one, @Nullable Object other) {
    if (one == null || other == null) {
      return one == other;
    }
    return codec.encode(one).equals(codec.encode(other))
        || (!(one instanceof byte[]) && this.<Object>read(one).equals(this.<Object>read(other)));
  }
}
