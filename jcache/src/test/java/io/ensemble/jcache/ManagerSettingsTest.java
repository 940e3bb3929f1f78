package io.ensemble.jcache;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import io.ensemble.Mode;
import io.ensemble.catalog.definition.FileDefinitions;
import java.net.URI;
import java.nio.file.Path;
import java.util.Map;
import java.util.Properties;
import java.util.concurrent.CountDownLatch;
import javax.cache.CacheException;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The URI and the properties of a cache manager. */
class ManagerSettingsTest {

  private static final URI ZOOKEEPER = URI.create("zk://h1:2181,h2:2181/ensemble?access=a.conf");

  private static ManagerSettings read(URI uri, Map<String, String> given) {
    Properties properties = new Properties();
    properties.putAll(given);
    return ManagerSettings.of(uri, properties, ManagerSettingsTest.class.getClassLoader());
  }

  @Test
  void theUriIsTheAddressOfACatalog(@TempDir Path directory) {
    FileDefinitions.in(directory);

    assertThat(read(ZOOKEEPER, Map.of()).catalog()).contains(ZOOKEEPER.toString());
    assertThat(read(directory.toUri(), Map.of()).catalog()).contains(directory.toString());
    assertThat(
            read(ManagerSettings.DEFAULT_URI, Map.of("ensemble.jcache.catalog", "zk://h:1/e"))
                .catalog())
        .contains("zk://h:1/e");
  }

  @Test
  void modeAndSitesHaveDefaults() {
    ManagerSettings none = read(ZOOKEEPER, Map.of());
    assertThat(none.mode()).isEqualTo(Mode.MWMR);
    assertThat(none.sites()).isEmpty();
    assertThat(none.localListeners()).isFalse();

    ManagerSettings some =
        read(
            ZOOKEEPER,
            Map.of(
                "ensemble.jcache.mode", "swmr",
                "ensemble.jcache.sites", "lyon, oslo",
                "ensemble.jcache.local-site", "oslo",
                "ensemble.jcache.listeners", "local",
                "of.somebody.else", "x"));
    assertThat(some.mode()).isEqualTo(Mode.SWMR);
    assertThat(some.sites()).containsExactly("lyon", "oslo");
    assertThat(some.localSite()).contains("oslo");
    assertThat(some.localListeners()).isTrue();
  }

  @Test
  void anImpossibleSettingIsRejectedWithTheAcceptedOnes(@TempDir Path directory) {
    rejected(ManagerSettings.DEFAULT_URI, Map.of(), "zk://host:port");
    rejected(URI.create("http://h"), Map.of(), "zk://host:port");
    rejected(directory.resolve("missing").toUri(), Map.of(), "no catalog");
    rejected(ZOOKEEPER, Map.of("ensemble.jcache.moed", "WEAK"), "ensemble.jcache.mode");
    rejected(ZOOKEEPER, Map.of("ensemble.jcache.mode", "strong"), "MWMR");
    rejected(ZOOKEEPER, Map.of("ensemble.jcache.listeners", "all"), "refuse or local");
    rejected(ZOOKEEPER, Map.of("ensemble.jcache.setup", "java.lang.String"), "JCacheSetup");
  }

  private static void rejected(URI uri, Map<String, String> given, String message) {
    assertThatExceptionOfType(CacheException.class)
        .isThrownBy(() -> read(uri, given))
        .withMessageContaining(message);
  }

  @Test
  void loadsThatWaitHaveABound(@TempDir Path directory) {
    FileDefinitions.in(directory);
    EnsembleCachingProvider provider = new EnsembleCachingProvider();
    EnsembleJCacheManager manager =
        (EnsembleJCacheManager) provider.getCacheManager(directory.toUri(), null);
    CountDownLatch end = new CountDownLatch(1);
    Runnable waiting =
        () -> {
          try {
            end.await();
          } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
          }
        };
    try {
      for (int i = 0; i < 1 + EnsembleJCacheManager.MOST_LOADS; i++) {
        manager.execute(waiting);
      }

      assertThatExceptionOfType(CacheException.class)
          .isThrownBy(() -> manager.execute(waiting))
          .withMessageContaining("most=" + EnsembleJCacheManager.MOST_LOADS);
    } finally {
      end.countDown();
      provider.close();
    }
    assertThat(manager.isClosed()).isTrue();
  }
}
