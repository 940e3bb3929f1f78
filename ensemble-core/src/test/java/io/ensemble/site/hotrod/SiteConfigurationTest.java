package io.ensemble.site.hotrod;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.ensemble.schedule.ThreadScheduler;
import io.ensemble.site.BoundedSite;
import io.ensemble.site.SiteLimits;
import io.ensemble.site.hotrod.configuration.Credentials;
import io.ensemble.site.hotrod.configuration.Endpoint;
import io.ensemble.site.hotrod.configuration.SiteConfiguration;
import io.ensemble.site.hotrod.configuration.Tls;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.channels.ServerSocketChannel;
import java.nio.file.Path;
import java.time.Duration;
import org.infinispan.client.hotrod.configuration.ClientIntelligence;
import org.infinispan.client.hotrod.configuration.Configuration;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class SiteConfigurationTest {

  @ParameterizedTest
  @CsvSource({
    "lyon-1.example:11222, lyon-1.example, 11222",
    "127.0.0.1:1,          127.0.0.1,      1",
    "[::1]:65535,          ::1,            65535",
    "' a : 7 ',            a,              7",
  })
  void endpointsAreHostAndPort(String text, String host, int port) {
    assertThat(Endpoint.parse(text)).isEqualTo(new Endpoint(host, port));
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "",
        "lyon",
        ":11222",
        "lyon:",
        "lyon:x",
        "lyon:0",
        "lyon:65536",
        "lyon:-1",
        "::1:11222",
        "a b:1",
        "lyon:99999999999",
        "[]:1",
        "hotrod://lyon:11222"
      })
  void whatIsNoEndpointIsToldWithWhatWasWanted(String text) {
    assertThatThrownBy(() -> SiteConfiguration.builder("lyon").endpoint(text))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("endpoint ")
        .hasMessageContaining("got ")
        .hasMessageEndingWith("; site=lyon");
  }

  @ParameterizedTest
  @ValueSource(strings = {"", " ", "a b", "é", "a/b", "a\n"})
  void aSitesNameIsSimple(String name) {
    assertThatThrownBy(() -> SiteConfiguration.builder(name).endpoint("h:1").build())
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("got '" + name + "'");
  }

  @Test
  void aSitesNameHas64CharactersAtMost() {
    String longest = "aZ0-_.".repeat(11).substring(0, 64);

    assertThat(SiteConfiguration.builder(longest).endpoint("h:1").build().name())
        .isEqualTo(longest);
    assertThatThrownBy(() -> SiteConfiguration.builder(longest + "x").endpoint("h:1").build())
        .isInstanceOf(IllegalArgumentException.class);
  }

  @Test
  void aSiteWithoutEndpointIsRefused() {
    assertThatThrownBy(() -> SiteConfiguration.builder("lyon").build())
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessage("a site requires at least 1 endpoint host:port; got none; site=lyon");
  }

  @Test
  void limitsThatCannotBeAreRefused() {
    Duration second = Duration.ofSeconds(1);
    assertThatThrownBy(() -> new SiteLimits(0, 1, second)).hasMessageContaining("inFlight");
    assertThatThrownBy(() -> new SiteLimits(1, -1, second)).hasMessageContaining("waiting");
    assertThatThrownBy(() -> new SiteLimits(1, 0, Duration.ZERO))
        .hasMessageContaining("longestRequest");
    assertThatThrownBy(() -> new SiteLimits(1, 0, Duration.ofDays(30)))
        .hasMessageContaining("longestRequest");
  }

  @Test
  void secretsAreNeverShownAndNeverShared() {
    char[] typed = "hush-1".toCharArray();
    Credentials credentials = Credentials.of("ada", typed);
    Tls tls =
        Tls.trusting(Path.of("trust.p12"), "hush-2".toCharArray())
            .withKeyStore(Path.of("key.p12"), "hush-3".toCharArray());
    typed[0] = 'X';
    credentials.password().get()[1] = 'X';

    SiteConfiguration configuration =
        SiteConfiguration.builder("lyon").endpoint("h:1").credentials(credentials).tls(tls).build();

    assertThat(configuration.toString())
        .contains("ada", "SCRAM-SHA-512", "trust.p12", "key.p12", "h:1")
        .doesNotContain("hush");
    assertThat(credentials.password().get()).containsExactly("hush-1".toCharArray());
  }

  @Test
  void whoIsWhoeverACertificateSaysWantsOne() {
    SiteConfiguration.Builder site =
        SiteConfiguration.builder("lyon").endpoint("h:1").credentials(Credentials.ofCertificate());
    Tls trust = Tls.trusting(Path.of("trust.pem"));

    assertThatThrownBy(site::build)
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("key store");
    assertThatThrownBy(() -> site.tls(trust).build()).isInstanceOf(IllegalArgumentException.class);
    assertThatThrownBy(() -> trust.withKeyStore(Path.of("key.pem"), new char[1]))
        .isInstanceOf(IllegalArgumentException.class);
    Configuration client =
        ClientConfiguration.of(
            site.tls(trust.withKeyStore(Path.of("k.jks"), "hush".toCharArray())).build(),
            Duration.ofSeconds(2));
    assertThat(client.security().authentication().saslMechanism()).isEqualTo("EXTERNAL");
    assertThat(client.security().ssl().keyStoreType()).isEqualTo("JKS");
  }

  @Test
  void theClientSendsNothingTwiceAndRoutesByOwner() {
    SiteConfiguration site =
        SiteConfiguration.builder("lyon")
            .endpoint("a:1")
            .endpoint("b:2")
            .credentials(Credentials.of("ada", "hush".toCharArray()).withMechanism("DIGEST-MD5"))
            .tls(Tls.trusting(Path.of("trust.jks"), "hush".toCharArray()))
            .build();

    Configuration client = ClientConfiguration.of(site, Duration.ofSeconds(2));

    assertThat(client.maxRetries()).isZero();
    assertThat(client.clientIntelligence()).isEqualTo(ClientIntelligence.HASH_DISTRIBUTION_AWARE);
    assertThat(client.socketTimeout()).isEqualTo(2000);
    assertThat(client.connectionTimeout()).isEqualTo(1000);
    assertThat(client.tcpNoDelay()).isTrue();
    assertThat(client.servers()).hasSize(2);
    assertThat(client.security().authentication().saslMechanism()).isEqualTo("DIGEST-MD5");
    assertThat(client.security().ssl().trustStoreType()).isEqualTo("JKS");
    assertThat(client.security().ssl().sniHostName()).isEqualTo("a");
  }

  @Test
  void aTrustStoreMustBeReadableAndHaveItsPassword() {
    SiteConfiguration site =
        SiteConfiguration.builder("lyon")
            .endpoint("h:1")
            .tls(Tls.trusting(Path.of("no-such.p12"), new char[0]))
            .build();
    try (ThreadScheduler scheduler = new ThreadScheduler(1)) {
      assertThatThrownBy(() -> HotRod.connect(site, scheduler))
          .isInstanceOf(IllegalArgumentException.class)
          .hasMessage("TLS requires a readable trust store; got no-such.p12; site=lyon");
    }
    assertThatThrownBy(() -> new Tls(Path.of("trust.p12"), null, null))
        .isInstanceOf(IllegalArgumentException.class);
    assertThat(new Tls(Path.of("trust.pem"), null, null).storeType()).isEqualTo("pem");
  }

  @Test
  @Timeout(120)
  void connectingWaitsForNobodyAndClosesTwice() throws IOException {
    try (ServerSocketChannel silent = ServerSocketChannel.open();
        ThreadScheduler scheduler = new ThreadScheduler(1)) {
      silent.bind(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0));
      silent.configureBlocking(false);
      SiteConfiguration site =
          SiteConfiguration.builder("lyon")
              .endpoint("127.0.0.1:" + silent.socket().getLocalPort())
              .build();

      BoundedSite connected = HotRod.connect(site, scheduler);

      assertThat(silent.accept()).as("whoever was connected to").isNull();
      assertThat(connected.isSuspected()).isFalse();
      connected.close();
      connected.close();
    }
  }
}
