package io.ensemble.testkit.embedded;

import static io.ensemble.testkit.embedded.EmbeddedClients.bytes;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.nio.file.Path;
import java.util.concurrent.FutureTask;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.infinispan.client.hotrod.RemoteCache;
import org.infinispan.client.hotrod.RemoteCacheManager;
import org.infinispan.client.hotrod.configuration.ConfigurationBuilder;
import org.infinispan.client.hotrod.exceptions.HotRodClientException;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

@Timeout(60)
class PasswordOverTlsIT {
  @TempDir private static Path directory;
  private static PasswordOverTls security;
  private static EmbeddedFederation federation;

  @BeforeAll
  static void start() {
    security = EmbeddedSecurity.passwordOverTls("ada", "secret", directory);
    federation =
        EmbeddedFederation.start(
            EmbeddedFederation.Options.defaults()
                .withSiteNames("lyon")
                .withNodesPerSite(1)
                .withSecurity(security));
  }

  @AfterAll
  static void stop() {
    federation.close();
  }

  @ParameterizedTest
  @ValueSource(strings = {"SCRAM-SHA-512", "SCRAM-SHA-256", "DIGEST-SHA-256"})
  void theRightPasswordIsServed(String mechanism) {
    ConfigurationBuilder builder = builder();
    useTls(builder);
    usePassword(builder, "ada", "secret", mechanism);

    try (RemoteCacheManager client = new RemoteCacheManager(builder.build())) {
      RemoteCache<byte[], byte[]> cache = EmbeddedClients.create(client, "of-" + mechanism);
      cache.put(bytes("k"), bytes("v"));
      assertThat(cache.get(bytes("k"))).isEqualTo(bytes("v"));
    }
  }

  @Test
  void theTrustStoreFileServesClientsThatReadFiles() {
    ConfigurationBuilder builder = builder();
    builder
        .security()
        .ssl()
        .enable()
        .sniHostName("localhost")
        .trustStoreType("PKCS12")
        .trustStoreFileName(security.trustStore().toString())
        .trustStorePassword(security.trustStorePassword().toCharArray());
    usePassword(builder, security.user(), security.password(), "SCRAM-SHA-512");

    try (RemoteCacheManager client = new RemoteCacheManager(builder.build())) {
      RemoteCache<byte[], byte[]> cache = EmbeddedClients.create(client, "by-file");
      assertThat(cache.get(bytes("k"))).isNull();
    }
  }

  @ParameterizedTest
  @CsvSource({
    "ada, wrong, SCRAM-SHA-512",
    "ada, wrong, DIGEST-SHA-256",
    "bob, secret, SCRAM-SHA-512",
    "bob, secret, DIGEST-SHA-256",
    "ada, secret, PLAIN"
  })
  void anythingElseIsRefused(String user, String password, String mechanism) {
    ConfigurationBuilder builder = builder();
    useTls(builder);
    usePassword(builder, user, password, mechanism);

    assertRefused(builder);
  }

  @Test
  void aClientWithoutCredentialsIsRefused() {
    ConfigurationBuilder builder = builder();
    useTls(builder);

    assertRefused(builder);
  }

  @Test
  void aClientWithoutTlsIsRefused() throws Exception {
    ConfigurationBuilder builder = builder();
    usePassword(builder, "ada", "secret", "SCRAM-SHA-512");

    // Infinispan's client may deadlock when its first connections are refused.
    for (int tries = 1; !isRefusedInTime(builder); tries++) {
      assertThat(tries).isLessThan(3);
    }
  }

  private static boolean isRefusedInTime(ConfigurationBuilder builder) throws Exception {
    FutureTask<Boolean> trying =
        new FutureTask<>(
            () -> {
              assertRefused(builder);
              return true;
            });
    Thread thread = new Thread(trying, "refused");
    thread.setDaemon(true);
    thread.start();
    try {
      return trying.get(15, TimeUnit.SECONDS);
    } catch (TimeoutException waits) {
      trying.cancel(true);
      return false;
    }
  }

  private static void assertRefused(ConfigurationBuilder builder) {
    try (RemoteCacheManager client = new RemoteCacheManager(builder.build())) {
      assertThatThrownBy(() -> EmbeddedClients.create(client, "never"))
          .isInstanceOf(HotRodClientException.class);
      assertThatThrownBy(() -> federation.site("lyon").size("never"))
          .isInstanceOf(IllegalStateException.class);
    }
  }

  private static ConfigurationBuilder builder() {
    return EmbeddedClients.configuration(federation.site("lyon").endpoints());
  }

  private static void useTls(ConfigurationBuilder builder) {
    builder.security().ssl().enable().sniHostName("localhost").sslContext(security.clientContext());
  }

  private static void usePassword(
      ConfigurationBuilder builder, String user, String password, String mechanism) {
    builder
        .security()
        .authentication()
        .enable()
        .username(user)
        .password(password)
        .realm("default")
        .saslMechanism(mechanism);
  }
}
