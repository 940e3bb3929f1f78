package io.ensemble.rest.identity;

import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.ensemble.testkit.keys.CertificateAuthority;
import java.security.cert.X509Certificate;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import org.junit.jupiter.api.Test;

class RevocationListsTest {

  private static final CertificateAuthority OURS =
      CertificateAuthority.create("ours", Duration.ofDays(1));
  private static final CertificateAuthority THEIRS =
      CertificateAuthority.create("theirs", Duration.ofDays(1));
  private static final List<X509Certificate> TRUSTED =
      List.of(OURS.certificate(), THEIRS.certificate());
  private static final Duration HOUR = Duration.ofHours(1);

  private final List<X509Certificate> bob = OURS.client("bob").chain();
  private final List<X509Certificate> eve = OURS.client("eve").chain();

  private static void check(RevocationLists lists, List<X509Certificate> chain) {
    lists.check(chain, Instant.now());
  }

  @Test
  void aRevokedCertificateIsRefused() {
    RevocationLists lists =
        RevocationLists.parse(OURS.revocationList(List.of(eve.get(0)), HOUR), TRUSTED);

    assertThatCode(() -> check(lists, bob)).doesNotThrowAnyException();
    assertThatThrownBy(() -> check(lists, eve))
        .isInstanceOf(AuthenticationFailedException.class)
        .hasMessage("the certificate is revoked");
  }

  @Test
  void aCertificateWithoutACurrentListOfItsIssuerIsRefused() {
    RevocationLists ofOthers =
        RevocationLists.parse(THEIRS.revocationList(List.of(), HOUR), TRUSTED);
    RevocationLists old =
        RevocationLists.parse(OURS.revocationList(List.of(), HOUR.negated()), TRUSTED);
    RevocationLists now = RevocationLists.parse(OURS.revocationList(List.of(), HOUR), TRUSTED);

    for (RevocationLists lists : List.of(ofOthers, old)) {
      assertThatThrownBy(() -> check(lists, bob))
          .isInstanceOf(AuthenticationFailedException.class)
          .hasMessageContaining("no current revocation list");
    }
    assertThatThrownBy(() -> now.check(bob, Instant.now().plus(Duration.ofHours(2))))
        .hasMessageContaining("no current revocation list");
  }

  @Test
  void aListThatATrustedAuthorityDidNotSignIsInvalid() {
    CertificateAuthority impostor = CertificateAuthority.create("ours", Duration.ofDays(1));

    assertThatThrownBy(
            () -> RevocationLists.parse(impostor.revocationList(List.of(), HOUR), TRUSTED))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("signed by a trusted authority");
  }

  @Test
  void aListOfChangesIsInvalid() {
    byte[] changes = OURS.revocationList(List.of(eve.get(0)), HOUR, true);

    assertThatThrownBy(() -> RevocationLists.parse(changes, TRUSTED))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("expected complete revocation lists")
        .hasMessageContaining("2.5.29.27");
  }

  @Test
  void aFileWithoutListsIsInvalid() {
    for (String text : List.of("", "nonsense")) {
      assertThatThrownBy(() -> RevocationLists.parse(text.getBytes(), TRUSTED))
          .isInstanceOf(IllegalArgumentException.class)
          .hasMessageContaining("expected revocation lists in PEM or DER");
    }
  }
}
