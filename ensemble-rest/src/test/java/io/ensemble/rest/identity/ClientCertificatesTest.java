package io.ensemble.rest.identity;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.ensemble.testkit.keys.CertificateAuthority;
import java.security.cert.X509Certificate;
import java.time.Duration;
import java.time.Instant;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class ClientCertificatesTest {

  private static final CertificateAuthority OURS =
      CertificateAuthority.create("ours", Duration.ofDays(1));
  private static final Instant NOW = Instant.now();

  private static String name(X509Certificate certificate, Instant now) {
    return ClientCertificates.CN.identify(certificate, now).name();
  }

  /** The subject may have other attributes beside the common name. */
  @ParameterizedTest
  @ValueSource(strings = {"bob", "bob,O=shop", "bob+O=shop", "bob+UID=7"})
  void theCommonNameIsTheName(String subject) {
    assertThat(name(OURS.client(subject).certificate(), NOW)).isEqualTo("certificate:bob");
  }

  @ParameterizedTest
  @ValueSource(strings = {"admin+CN=bob", "admin,CN=bob", "admin+O=x+CN=bob", "#0402cafe"})
  void nobodyChoosesAmongSeveralNorReadsWhatIsNoText(String subject) {
    X509Certificate certificate = OURS.client(subject).certificate();

    assertThatThrownBy(() -> name(certificate, NOW))
        .isInstanceOf(AuthenticationFailedException.class);
  }

  /** A connection may have begun while the certificate was valid. */
  @Test
  void oneThatHasEndedIsNobodys() {
    X509Certificate certificate = OURS.client("bob").certificate();

    assertThatThrownBy(() -> name(certificate, NOW.plus(Duration.ofDays(2))))
        .isInstanceOf(AuthenticationFailedException.class);
    assertThatThrownBy(() -> name(certificate, NOW.minus(Duration.ofDays(2))))
        .isInstanceOf(AuthenticationFailedException.class);
  }
}
