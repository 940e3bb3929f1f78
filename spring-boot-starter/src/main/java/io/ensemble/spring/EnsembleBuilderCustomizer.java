package io.ensemble.spring;

import io.ensemble.EnsembleCacheManagerBuilder;

/**
 * Changes the builder of the auto-configured manager after the properties were applied, such as its
 * clock or its keysets. Beans of this type are called in their order.
 */
@FunctionalInterface
public interface EnsembleBuilderCustomizer {

  /** Changes {@code builder}. */
  void customize(EnsembleCacheManagerBuilder builder);
}
