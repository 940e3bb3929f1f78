package io.ensemble.spring;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.ensemble.EnsembleCacheManager;
import io.ensemble.Mode;
import io.ensemble.testkit.embedded.EmbeddedFederation;
import io.ensemble.testkit.embedded.EmbeddedSite;
import io.micrometer.core.instrument.MeterRegistry;
import java.time.Duration;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicInteger;
import org.assertj.core.api.InstanceOfAssertFactories;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.springframework.aop.framework.AopProxyUtils;
import org.springframework.boot.actuate.health.Health;
import org.springframework.boot.actuate.health.HealthIndicator;
import org.springframework.boot.actuate.health.Status;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.boot.test.context.assertj.AssertableApplicationContext;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.cache.Cache;
import org.springframework.cache.CacheManager;
import org.springframework.cache.annotation.CacheEvict;
import org.springframework.cache.annotation.Cacheable;
import org.springframework.cache.annotation.EnableCaching;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;

/** An application of Spring Boot with a real site, through all auto-configuration. */
class SpringApplicationIT {

  private static final Duration LONGEST = Duration.ofSeconds(60);

  private static EmbeddedFederation federation;

  @BeforeAll
  static void start() {
    federation =
        EmbeddedFederation.start(
            EmbeddedFederation.Options.defaults().withSiteNames("lyon").withNodesPerSite(1));
  }

  @AfterAll
  static void stop() {
    federation.close();
  }

  /** A service whose results are cached. */
  static class Prices {

    final AtomicInteger calls = new AtomicInteger();

    @Cacheable("prices")
    public Integer of(String item, int quantity) {
      calls.incrementAndGet();
      return item.length() * quantity;
    }

    @CacheEvict("prices")
    public void changed(String item, int quantity) {}

    @Cacheable("descriptions")
    public String description(String item) {
      calls.incrementAndGet();
      return null;
    }

    @Cacheable(cacheNames = "prices", sync = true)
    public CompletableFuture<Integer> later(String item) {
      calls.incrementAndGet();
      return CompletableFuture.completedFuture(item.length());
    }
  }

  @Configuration(proxyBeanMethods = false)
  @EnableAutoConfiguration
  @EnableCaching
  static class PriceApplication {

    @Bean
    Prices prices() {
      return new Prices();
    }
  }

  private static ApplicationContextRunner application() {
    return new ApplicationContextRunner()
        .withUserConfiguration(PriceApplication.class)
        .withPropertyValues(
            "ensemble.sites.lyon.endpoints=127.0.0.1:" + site().endpoints().get(0).getPort(),
            "ensemble.caching.defaults.mode=mwmr",
            "ensemble.administration-deadline=2m",
            "ensemble.caching.defaults.deadline=30s",
            "ensemble.caching.caches.weak.mode=weak");
  }

  private static EmbeddedSite site() {
    return federation.site("lyon");
  }

  @Test
  void aMethodIsCalledOnceUntilItsEntryIsEvicted() {
    application()
        .run(
            context -> {
              Prices prices = context.getBean(Prices.class);

              assertThat(prices.of("lamp", 2)).isEqualTo(8);
              assertThat(prices.of("lamp", 2)).isEqualTo(8);
              assertThat(calls(context)).isEqualTo(1);

              prices.changed("lamp", 2);
              assertThat(prices.of("lamp", 2)).isEqualTo(8);
              assertThat(calls(context)).isEqualTo(2);

              assertThat(prices.description("lamp")).isNull();
              assertThat(prices.description("lamp")).isNull();
              assertThat(calls(context)).isEqualTo(3);

              assertThat(prices.later("sofas").join()).isEqualTo(5);
              assertThat(prices.later("sofas").join()).isEqualTo(5);
              assertThat(calls(context)).isEqualTo(4);

              EnsembleCacheManager manager = context.getBean(EnsembleCacheManager.class);
              assertThat(manager.getCacheNames()).containsExactly("descriptions", "prices");
              assertThat(manager.getCache("prices").definition().mode()).isEqualTo(Mode.MWMR);
              assertThat(
                      context
                          .getBean(MeterRegistry.class)
                          .get("ensemble.operation")
                          .tag("cache", "prices")
                          .timers())
                  .isNotEmpty();
            });
  }

  private static int calls(AssertableApplicationContext context) {
    Prices target = (Prices) AopProxyUtils.getSingletonTarget(context.getBean(Prices.class));
    return target.calls.get();
  }

  @SuppressWarnings("unchecked")
  private static Map<String, Object> caches(Health health) {
    return (Map<String, Object>) health.getDetails().get("caches");
  }

  @Test
  @SuppressWarnings("unchecked")
  void healthIsDownWhileTheOnlySiteIsStopped() {
    application()
        .run(
            context -> {
              HealthIndicator indicator =
                  context.getBean("ensembleHealthIndicator", HealthIndicator.class);
              assertThat(indicator.health().getStatus()).isEqualTo(Status.UNKNOWN);
              Cache strong = context.getBean(CacheManager.class).getCache("strong");
              strong.put("k", "v");
              assertThat(strong.get("k", String.class)).isEqualTo("v");
              context.getBean(CacheManager.class).getCache("weak").put("k", "v");

              await().atMost(LONGEST).until(() -> indicator.health().getStatus().equals(Status.UP));
              Health before = indicator.health();
              assertThat(caches(before))
                  .containsOnlyKeys("strong", "weak")
                  .extractingByKey("strong", InstanceOfAssertFactories.MAP)
                  .containsEntry("served", true)
                  .containsEntry("replicas", 1)
                  .doesNotContainKey("missing");
              site().kill();
              try {
                await()
                    .atMost(LONGEST)
                    .untilAsserted(
                        () -> {
                          Health health = indicator.health();
                          assertThat(health.getStatus()).isEqualTo(Status.DOWN);
                          assertThat(caches(health).values())
                              .allSatisfy(
                                  cache ->
                                      assertThat((Map<String, Object>) cache)
                                          .containsEntry("served", false)
                                          .containsEntry("whole", 0)
                                          .containsKey("missing"));
                        });
              } finally {
                site().restart();
              }
            });
  }
}
