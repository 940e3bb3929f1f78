package io.ensemble.partition;

import java.util.List;
import java.util.Map;

/**
 * A kind of partitioner. Extensions are installed by the operator: a jar on the class path of every
 * process that uses the cache, which names its class in {@code
 * META-INF/services/io.ensemble.partition.PartitionerProvider}. Definitions name kinds, never
 * classes. Thread-safe.
 */
public interface PartitionerProvider {

  /**
   * The name of this kind in definitions: it matches {@link PartitionerSpec#NAME}, and differs from
   * Ensemble's own names.
   */
  String name();

  /**
   * Creates a partitioner.
   *
   * @param settings those of the definition, without {@value InstalledPartitioners#GROUP}
   * @param parts the names of the parts, in the definition's order
   * @throws IllegalArgumentException if settings or parts do not fit; the message says what is
   *     accepted
   */
  Partitioner partitioner(Map<String, String> settings, List<String> parts);
}
