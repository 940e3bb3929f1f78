package io.ensemble.spring;

import io.ensemble.EnsembleCacheManager;
import io.ensemble.EnsembleCacheManagerBuilder;
import io.micrometer.core.instrument.MeterRegistry;
import org.infinispan.commons.util.Version;
import org.infinispan.protostream.SerializationContextInitializer;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBooleanProperty;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.boot.context.properties.EnableConfigurationProperties;
import org.springframework.context.annotation.Bean;

/**
 * Makes an {@link EnsembleCacheManager} from {@link EnsembleProperties}, unless the application has
 * one. Beans of type {@link SerializationContextInitializer} are its schemas. Its meters are in the
 * application's registry, if there is one. The context closes it.
 */
@AutoConfiguration(
    afterName =
        "org.springframework.boot.actuate.autoconfigure.metrics.CompositeMeterRegistryAutoConfiguration")
@ConditionalOnBooleanProperty(name = "ensemble.enabled", matchIfMissing = true)
@EnableConfigurationProperties(EnsembleProperties.class)
public class EnsembleAutoConfiguration {

  /** The manager, which runs until the context is closed. */
  @Bean(destroyMethod = "close")
  @ConditionalOnMissingBean
  EnsembleCacheManager ensembleCacheManager(
      EnsembleProperties properties,
      ObjectProvider<MeterRegistry> registry,
      ObjectProvider<SerializationContextInitializer> schemas,
      ObjectProvider<EnsembleBuilderCustomizer> customizers) {
    EnsembleBuilderFactory.checkInfinispan(Version.getVersion());
    EnsembleCacheManagerBuilder builder = EnsembleBuilderFactory.of(properties);
    registry.ifUnique(builder::metrics);
    schemas.orderedStream().forEach(builder::schema);
    customizers.orderedStream().forEach(customizer -> customizer.customize(builder));
    return EnsembleBuilderFactory.build(properties, builder);
  }
}
