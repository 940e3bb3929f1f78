package io.ensemble.spring;

import io.ensemble.EnsembleCacheManager;
import java.util.concurrent.Executor;
import org.jspecify.annotations.Nullable;
import org.springframework.beans.factory.BeanFactory;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.cache.CacheAutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionMessage;
import org.springframework.boot.autoconfigure.condition.ConditionOutcome;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.boot.autoconfigure.condition.SpringBootCondition;
import org.springframework.boot.autoconfigure.task.TaskExecutionAutoConfiguration;
import org.springframework.boot.context.properties.EnableConfigurationProperties;
import org.springframework.cache.CacheManager;
import org.springframework.cache.annotation.CachingConfigurer;
import org.springframework.cache.interceptor.KeyGenerator;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.ConditionContext;
import org.springframework.context.annotation.Conditional;
import org.springframework.core.type.AnnotatedTypeMetadata;

/**
 * Makes Spring's {@link CacheManager} over the caches of the {@link EnsembleCacheManager}, unless
 * the application has a cache manager or sets {@code spring.cache.type}. Makes the key generator of
 * all caches, unless the application has a {@link CachingConfigurer}.
 */
@AutoConfiguration(
    after = {EnsembleAutoConfiguration.class, TaskExecutionAutoConfiguration.class},
    before = CacheAutoConfiguration.class)
@ConditionalOnBean(EnsembleCacheManager.class)
@ConditionalOnMissingBean(value = CacheManager.class, name = "cacheResolver")
@Conditional(EnsembleCachingAutoConfiguration.CacheTypeCondition.class)
@EnableConfigurationProperties(EnsembleProperties.class)
public class EnsembleCachingAutoConfiguration {

  /** The name of the executor on which futures complete. */
  private static final String EXECUTOR = "applicationTaskExecutor";

  /** The cache manager. */
  @Bean
  CacheManager cacheManager(
      EnsembleCacheManager manager, EnsembleProperties properties, BeanFactory beans) {
    return new SpringCacheManagerAdapter(
        manager, properties.caching(), executor(beans), System::nanoTime);
  }

  private static @Nullable Executor executor(BeanFactory beans) {
    if (beans.containsBean(EXECUTOR)) {
      return beans.getBean(EXECUTOR, Executor.class);
    }
    ObjectProvider<Executor> others = beans.getBeanProvider(Executor.class);
    return others.getIfUnique();
  }

  /** The key generator, for use by name. */
  @Bean
  @ConditionalOnMissingBean(name = "ensembleKeyGenerator")
  static EnsembleKeyGenerator ensembleKeyGenerator() {
    return new EnsembleKeyGenerator();
  }

  /** Makes the key generator that of all caches. */
  @Bean
  @ConditionalOnMissingBean
  static CachingConfigurer ensembleCachingConfigurer() {
    return new CachingConfigurer() {
      @Override
      public KeyGenerator keyGenerator() {
        return new EnsembleKeyGenerator();
      }
    };
  }

  /** Whether the application leaves the choice of the cache manager open. */
  static final class CacheTypeCondition extends SpringBootCondition {

    @Override
    public ConditionOutcome getMatchOutcome(
        ConditionContext context, AnnotatedTypeMetadata metadata) {
      String type = context.getEnvironment().getProperty("spring.cache.type");
      ConditionMessage.Builder message = ConditionMessage.forCondition("spring.cache.type");
      return type == null || type.isBlank()
          ? ConditionOutcome.match(message.because("not set"))
          : ConditionOutcome.noMatch(message.because("set to " + type));
    }
  }
}
