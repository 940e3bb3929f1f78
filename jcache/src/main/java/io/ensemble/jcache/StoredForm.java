package io.ensemble.jcache;

import io.ensemble.codec.Codec;
import io.ensemble.codec.TypedContent;
import io.ensemble.site.Bytes;
import java.util.List;
import java.util.Optional;
import org.infinispan.protostream.SerializationContextInitializer;
import org.jspecify.annotations.Nullable;

/**
 * Converts keys and values to objects that an Ensemble cache encodes, and back. Thread-safe.
 *
 * @param codec the encoding of Ensemble's caches, to compare values
 */
record StoredForm(Codec codec, Optional<JCacheMarshaller> marshaller, ClassLoader loader) {

  StoredForm(
      List<SerializationContextInitializer> schemas,
      Optional<JCacheMarshaller> marshaller,
      ClassLoader loader) {
    this(new Codec(schemas), marshaller, loader);
  }

  Object of(Object object) {
    if (marshaller.isEmpty() || isPlain(object)) {
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

  private static boolean isPlain(Object object) {
    return object instanceof String
        || object instanceof byte[]
        || object instanceof Number && object.getClass().getPackageName().equals("java.lang")
        || object instanceof Boolean
        || object instanceof Character;
  }
}
