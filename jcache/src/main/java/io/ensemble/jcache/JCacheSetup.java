package io.ensemble.jcache;

import io.ensemble.EnsembleCacheManagerBuilder;
import java.util.List;
import java.util.Optional;
import org.infinispan.protostream.SerializationContextInitializer;

/**
 * Settings of a cache manager that no property can hold. The property {@code ensemble.jcache.setup}
 * names the class, which has a public constructor without parameters.
 */
public interface JCacheSetup {

  /**
   * Changes the settings of the manager of Ensemble's caches, for example its keysets and its
   * metrics. The catalog, the local site and the schemas are set before.
   */
  default void configure(EnsembleCacheManagerBuilder builder) {}

  /** The schemas of the types of keys and values. */
  default List<SerializationContextInitializer> schemas() {
    return List.of();
  }

  /** Converts types without a schema; by default such types are rejected. */
  default Optional<JCacheMarshaller> marshaller() {
    return Optional.empty();
  }
}
