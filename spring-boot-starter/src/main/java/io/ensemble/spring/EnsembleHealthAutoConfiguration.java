package io.ensemble.spring;

import io.ensemble.EnsembleCacheManager;
import org.springframework.boot.actuate.autoconfigure.health.ConditionalOnEnabledHealthIndicator;
import org.springframework.boot.actuate.health.HealthIndicator;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnClass;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.context.annotation.Bean;

/**
 * Makes the health indicator {@code ensemble} in applications that have Actuator, unless {@code
 * management.health.ensemble.enabled} is false.
 */
@AutoConfiguration(after = EnsembleAutoConfiguration.class)
@ConditionalOnClass({HealthIndicator.class, ConditionalOnEnabledHealthIndicator.class})
@ConditionalOnBean(EnsembleCacheManager.class)
@ConditionalOnEnabledHealthIndicator("ensemble")
public class EnsembleHealthAutoConfiguration {

  /** The indicator. */
  @Bean
  @ConditionalOnMissingBean(name = "ensembleHealthIndicator")
  HealthIndicator ensembleHealthIndicator(EnsembleCacheManager manager) {
    return new EnsembleHealthIndicator(manager, System::nanoTime);
  }
}
