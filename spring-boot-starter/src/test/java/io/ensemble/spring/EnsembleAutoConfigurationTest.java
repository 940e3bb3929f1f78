package io.ensemble.spring;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;
import static org.assertj.core.api.Assertions.catchThrowable;

import io.ensemble.EnsembleCacheManager;
import io.ensemble.site.hotrod.configuration.SiteConfiguration;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.springframework.boot.actuate.health.HealthIndicator;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.autoconfigure.cache.CacheAutoConfiguration;
import org.springframework.boot.context.annotation.ImportCandidates;
import org.springframework.boot.diagnostics.FailureAnalysis;
import org.springframework.boot.test.context.FilteredClassLoader;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.cache.CacheManager;
import org.springframework.cache.annotation.CachingConfigurer;
import org.springframework.cache.annotation.EnableCaching;
import org.springframework.cache.concurrent.ConcurrentMapCacheManager;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.DeferredImportSelector;
import org.springframework.context.annotation.Import;
import org.springframework.core.type.AnnotationMetadata;

class EnsembleAutoConfigurationTest {

  private static final String SITE = "ensemble.sites.lyon.endpoints=127.0.0.1:1";

  private final ApplicationContextRunner runner =
      new ApplicationContextRunner()
          .withConfiguration(
              AutoConfigurations.of(
                  EnsembleAutoConfiguration.class,
                  EnsembleCachingAutoConfiguration.class,
                  EnsembleHealthAutoConfiguration.class,
                  CacheAutoConfiguration.class));

  @Configuration(proxyBeanMethods = false)
  @EnableCaching
  static class Caches {}

  /** Imports the configurations by name, as Spring Boot does, without loading them. */
  static class StarterImports implements DeferredImportSelector {

    @Override
    public String[] selectImports(AnnotationMetadata importing) {
      return new String[] {
        "io.ensemble.spring.EnsembleAutoConfiguration",
        "io.ensemble.spring.EnsembleCachingAutoConfiguration",
        "io.ensemble.spring.EnsembleHealthAutoConfiguration"
      };
    }
  }

  @Configuration(proxyBeanMethods = false)
  @Import(StarterImports.class)
  static class StarterApplication {}

  @Configuration(proxyBeanMethods = false)
  static class OwnManager {

    @Bean
    EnsembleCacheManager own() {
      return EnsembleCacheManager.builder()
          .site(SiteConfiguration.builder("oslo").endpoint("127.0.0.1:1").build())
          .build();
    }
  }

  @Configuration(proxyBeanMethods = false)
  static class OwnCaches {

    @Bean
    CacheManager own() {
      return new ConcurrentMapCacheManager();
    }
  }

  @Test
  void theJarNamesItsConfigurations() {
    assertThat(
            ImportCandidates.load(AutoConfiguration.class, getClass().getClassLoader())
                .getCandidates())
        .contains(
            EnsembleAutoConfiguration.class.getName(),
            EnsembleCachingAutoConfiguration.class.getName(),
            EnsembleHealthAutoConfiguration.class.getName());
  }

  @Test
  void aManagerIsMadeFromPropertiesAndClosedWithTheContext() {
    AtomicReference<EnsembleCacheManager> closed = new AtomicReference<>();

    runner
        .withUserConfiguration(Caches.class)
        .withPropertyValues(SITE, "ensemble.local-site=lyon")
        .run(
            context -> {
              assertThat(context).hasSingleBean(CacheManager.class);
              assertThat(context.getBean(CacheManager.class))
                  .isInstanceOf(SpringCacheManagerAdapter.class);
              assertThat(context).hasSingleBean(CachingConfigurer.class);
              assertThat(context).hasSingleBean(HealthIndicator.class);
              closed.set(context.getBean(EnsembleCacheManager.class));
              assertThat(closed.get().siteNames()).containsExactly("lyon");
              closed.get().start();
            });

    assertThat(closed.get().openCaches()).isEmpty();
    assertThatIllegalStateException()
        .isThrownBy(closed.get()::start)
        .withMessageContaining("stopped");
  }

  @Test
  void aManagerOfTheApplicationIsUsed() {
    runner
        .withUserConfiguration(OwnManager.class)
        .run(
            context -> {
              assertThat(context.getBean(EnsembleCacheManager.class).siteNames())
                  .containsExactly("oslo");
              assertThat(context).hasSingleBean(CacheManager.class);
            });
  }

  @Test
  void aCacheManagerOfTheApplicationIsUsed() {
    runner
        .withUserConfiguration(OwnCaches.class, Caches.class)
        .withPropertyValues(SITE)
        .run(
            context -> {
              assertThat(context.getBean(CacheManager.class))
                  .isInstanceOf(ConcurrentMapCacheManager.class);
              assertThat(context).doesNotHaveBean(CachingConfigurer.class);
            });
  }

  @Test
  void anotherCacheTypeOfSpringBootIsUsed() {
    runner
        .withUserConfiguration(Caches.class)
        .withPropertyValues(SITE, "spring.cache.type=simple")
        .run(
            context ->
                assertThat(context.getBean(CacheManager.class))
                    .isInstanceOf(ConcurrentMapCacheManager.class));
  }

  @Test
  void nothingIsMadeIfItIsDisabled() {
    runner
        .withPropertyValues("ensemble.enabled=false")
        .run(
            context -> {
              assertThat(context).hasNotFailed();
              assertThat(context).doesNotHaveBean(EnsembleCacheManager.class);
              assertThat(context).doesNotHaveBean(CacheManager.class);
              assertThat(context).doesNotHaveBean(HealthIndicator.class);
            });
  }

  @Test
  void actuatorIsNotRequired() {
    new ApplicationContextRunner()
        .withUserConfiguration(StarterApplication.class)
        .withClassLoader(new FilteredClassLoader("org.springframework.boot.actuate"))
        .withPropertyValues(SITE)
        .run(
            context -> {
              assertThat(context).hasSingleBean(EnsembleCacheManager.class);
              assertThat(context).hasSingleBean(CacheManager.class);
              assertThat(context).doesNotHaveBean("ensembleHealthIndicator");
            });
  }

  @Test
  void healthCanBeDisabled() {
    runner
        .withPropertyValues(SITE, "management.health.ensemble.enabled=false")
        .run(context -> assertThat(context).doesNotHaveBean(HealthIndicator.class));
  }

  @Test
  void aCustomizerSeesTheBuilderAfterTheProperties() {
    runner
        .withPropertyValues(SITE)
        .withBean(
            EnsembleBuilderCustomizer.class,
            () ->
                builder ->
                    builder.site(SiteConfiguration.builder("rome").endpoint("127.0.0.1:1").build()))
        .run(
            context ->
                assertThat(context.getBean(EnsembleCacheManager.class).siteNames())
                    .containsExactly("lyon", "rome"));
  }

  @Test
  void metersAreInTheRegistryOfTheApplication() {
    SimpleMeterRegistry registry = new SimpleMeterRegistry();

    runner
        .withPropertyValues(SITE)
        .withBean(SimpleMeterRegistry.class, () -> registry)
        .run(
            context ->
                assertThat(registry.find("ensemble.clock.rejections").meters()).isNotEmpty());
  }

  @Test
  void thePropertiesOfASiteAreApplied() {
    runner
        .withUserConfiguration(OwnManager.class)
        .withPropertyValues(
            SITE,
            "ensemble.sites.lyon.storage=disk",
            "ensemble.sites.lyon.user=app",
            "ensemble.sites.lyon.password=secret",
            "ensemble.sites.lyon.mechanism=SCRAM-SHA-256",
            "ensemble.sites.lyon.tls.trust-store=ca.pem",
            "ensemble.sites.lyon.tls.key-store=client.p12",
            "ensemble.sites.lyon.tls.key-store-password-variable=KEY_STORE_PASSWORD",
            "ensemble.sites.lyon.tls.sni-host-name=lyon.example",
            "ensemble.sites.lyon.limits.in-flight=5",
            "ensemble.sites.lyon.limits.waiting=6",
            "ensemble.sites.lyon.limits.longest-request=7s")
        .run(
            context -> {
              SiteConfiguration site =
                  EnsembleBuilderFactory.siteConfiguration(
                      "lyon", context.getBean(EnsembleProperties.class).sites().get("lyon"));
              assertThat(site.storage()).hasToString("DISK");
              assertThat(site.credentials().user()).isEqualTo("app");
              assertThat(site.credentials().password().get())
                  .containsExactly("secret".toCharArray());
              assertThat(site.credentials().mechanism()).isEqualTo("SCRAM-SHA-256");
              assertThat(site.tls().trustStore()).hasToString("ca.pem");
              assertThat(site.tls().keyStore()).hasToString("client.p12");
              assertThat(site.tls().keyStorePassword())
                  .hasToString("Secret[variable=KEY_STORE_PASSWORD]");
              assertThat(site.tls().sniHostName()).isEqualTo("lyon.example");
              assertThat(site.limits().inFlight()).isEqualTo(5);
              assertThat(site.limits().waiting()).isEqualTo(6);
              assertThat(site.limits().longestRequest()).hasSeconds(7);
              assertThat(context.getBean(EnsembleProperties.class).toString())
                  .contains("app")
                  .doesNotContain("secret");
            });
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "ensemble.sites.lyon.endpoints=127.0.0.1 | ensemble.sites.lyon.endpoints: endpoint must be"
            + " host:port",
        "ensemble.sites[a/b].endpoints=h:1 | site name must be 1 to 64",
        "ensemble.sites.oslo.user=app | ensemble.sites.oslo.endpoints: a site requires at least 1",
        "ensemble.sites.lyon.user=app | ensemble.sites.lyon.password: a user requires password",
        "ensemble.sites.lyon.password=s | ensemble.sites.lyon.user: a password or a mechanism"
            + " requires a user",
        "ensemble.sites.lyon.mechanism=EXTERNAL | ensemble.sites.lyon: the mechanism EXTERNAL"
            + " requires TLS",
        "ensemble.sites.lyon.tls.sni-host-name=h | ensemble.sites.lyon.tls.trust-store: TLS"
            + " requires a trust store",
        "ensemble.sites.lyon.tls.trust-store=a.p12 | ensemble.sites.lyon.tls: trust store must"
            + " have a password",
        "ensemble.sites.lyon.limits.in-flight=0 | ensemble.sites.lyon.limits: inFlight must be",
        "ensemble.local-site=oslo | ensemble.local-site: the local site must be one of the sites",
        "ensemble.site-addresses=:: | ensemble.site-addresses",
        "ensemble.maintenance=true | ensemble.maintenance: maintenance requires a catalog",
        "ensemble.rebuild-after=0s | ensemble.rebuild-after",
        "ensemble.max-clock-skew=2d | ensemble.max-clock-skew: maximum clock skew must be in",
        "ensemble.administration-deadline=1h | ensemble.administration-deadline",
        "ensemble.catalog=http://a | ensemble.catalog: catalog must be zk://",
        "ensemble.caching.clear-deadline=0s | ensemble.caching.clear-deadline: must be in (0 s",
        "ensemble.caching.defaults.lifespan=0s | ensemble.caching.defaults.lifespan: must be at"
            + " least 1 ms",
        "ensemble.caching.caches.a.lifespan=-1s | ensemble.caching.caches.a.lifespan",
      })
  void aWrongPropertyIsNamedWithItsRemedy(String property, String message) {
    runner
        .withPropertyValues(SITE, property)
        .run(
            context -> {
              assertThat(context).hasFailed();
              FailureAnalysis analysis =
                  new EnsemblePropertyFailureAnalyzer().analyze(context.getStartupFailure());
              assertThat(analysis).isNotNull();
              assertThat(analysis.getDescription()).contains(message);
              assertThat(analysis.getAction()).isNotEmpty();
            });
  }

  @Test
  void aKeysetHasOnePlace() {
    runner
        .withPropertyValues(
            SITE, "ensemble.keysets.orders.file=a", "ensemble.keysets.orders.variable=A")
        .run(
            context ->
                assertThat(
                        new EnsemblePropertyFailureAnalyzer().analyze(context.getStartupFailure()))
                    .extracting(FailureAnalysis::getDescription)
                    .isEqualTo(
                        "ensemble.keysets.orders: exactly one of file and variable must be set"));
  }

  @Test
  void deadlinesOfCachesAreChecked() {
    runner
        .withPropertyValues(
            SITE, "ensemble.caching.caches.a.mode=mwmr", "ensemble.caching.caches.a.deadline=2m")
        .run(
            context ->
                assertThat(
                        new EnsemblePropertyFailureAnalyzer().analyze(context.getStartupFailure()))
                    .extracting(FailureAnalysis::getDescription)
                    .asString()
                    .startsWith("ensemble.caching.caches.a: deadline must be in"));
  }

  @Test
  void anUnknownPropertyIsRefused() {
    runner
        .withPropertyValues(SITE, "ensemble.sites.lyon.endpoint=127.0.0.1:2")
        .run(
            context ->
                assertThat(context)
                    .getFailure()
                    .rootCause()
                    .hasMessageContaining("ensemble.sites.lyon.endpoint"));
  }

  @Test
  void withoutSitesTheStartFails() {
    runner.run(
        context -> {
          FailureAnalysis analysis =
              new EnsemblePropertyFailureAnalyzer().analyze(context.getStartupFailure());
          assertThat(analysis.getDescription()).contains("a catalog or a site is required");
          assertThat(analysis.getAction()).contains("ensemble.enabled=false");
        });
  }

  @ParameterizedTest
  @CsvSource({
    "15.2.6.Final, false",
    "9.4, false",
    "16.0.7, true",
    "16.2.0.Dev01, true",
    "17.0, true"
  })
  void anOlderInfinispanIsRefused(String version, boolean isAccepted) {
    Throwable failure = catchThrowable(() -> EnsembleBuilderFactory.checkInfinispan(version));

    if (isAccepted) {
      assertThat(failure).isNull();
    } else {
      assertThat(failure)
          .isInstanceOfSatisfying(
              EnsemblePropertyException.class,
              wrong -> assertThat(wrong.remedy()).contains("infinispan.version"))
          .hasMessageContaining(version);
    }
  }
}
