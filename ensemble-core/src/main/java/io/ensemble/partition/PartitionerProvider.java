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

  /** What definitions call it: {@link PartitionerSpec#NAME}, and none of Ensemble's own names. */
  String name();

  /**
   * A partitioner.
   *
   * @param settings those of the definition, without {@value InstalledPartitioners#GROUP}
   * @param parts the names of the parts, in the definition's order
   * @throws IllegalArgumentException if settings or parts do not fit, saying what is wanted
   */
  Partitioner partitioner(Map<String, String> settings, List<String> parts);
}
