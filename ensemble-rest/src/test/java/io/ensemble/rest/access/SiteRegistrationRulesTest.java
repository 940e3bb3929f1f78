package io.ensemble.rest.access;

import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.ensemble.catalog.site.SiteEntry;
import io.ensemble.catalog.site.SiteEntry.CredentialsReference;
import io.ensemble.catalog.site.SiteEntry.SecretReference;
import io.ensemble.catalog.site.SiteEntry.State;
import io.ensemble.catalog.site.SiteEntry.TlsReference;
import io.ensemble.site.address.AddressPolicy;
import io.ensemble.site.hotrod.configuration.Endpoint;
import io.ensemble.site.hotrod.configuration.SiteStorage;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** A registered site may refer to each thing that the access file names, and to nothing else. */
class SiteRegistrationRulesTest {

  private static final String FILE = "/etc/known";
  private static final String VARIABLE = "KNOWN";
  private static final AddressPolicy NOWHERE = AddressPolicy.allowing();
  private static final SiteRegistrationRules RULES =
      new SiteRegistrationRules(NOWHERE, Set.of(FILE), Set.of(VARIABLE));

  private static SecretReference file(String name) {
    return new SecretReference(Optional.of(name), Optional.empty());
  }

  private static SecretReference variable(String name) {
    return new SecretReference(Optional.empty(), Optional.of(name));
  }

  /** A site that refers to allowed things only, except for {@code other} in {@code field}. */
  private static SiteEntry site(String field, String other) {
    SecretReference secret =
        field.endsWith(".variable") ? variable(other) : file(field.isEmpty() ? FILE : other);
    String place = field.replaceAll("\\.(file|variable)$", "");
    SecretReference known = variable(VARIABLE);
    return new SiteEntry(
        "lyon",
        List.of(new Endpoint("203.0.113.7", 1)),
        Optional.of(
            new CredentialsReference(
                "ada", place.equals("credentials.password") ? secret : known, Optional.empty())),
        Optional.of(
            new TlsReference(
                place.equals("tls.trustStore") ? other : FILE,
                Optional.of(place.equals("tls.password") ? secret : file(FILE)),
                Optional.of(place.equals("tls.keyStore") ? other : FILE),
                Optional.of(place.equals("tls.keyStorePassword") ? secret : known),
                Optional.empty(),
                Optional.of(place.equals("tls.revocationList") ? other : FILE))),
        SiteStorage.MEMORY,
        Map.of(),
        State.SERVING,
        1);
  }

  @ParameterizedTest
  @CsvSource({
    "credentials.password.file",
    "credentials.password.variable",
    "tls.trustStore",
    "tls.password.file",
    "tls.password.variable",
    "tls.keyStore",
    "tls.revocationList",
    "tls.keyStorePassword.file",
    "tls.keyStorePassword.variable"
  })
  void whatTheFileDoesNotNameMayNotBeNamed(String field) {
    assertThatCode(() -> RULES.check(site("", ""))).doesNotThrowAnyException();
    // The name of a file is not allowed for a variable, nor the reverse.
    for (String other : List.of("/etc/shadow", field.endsWith(".variable") ? FILE : VARIABLE)) {
      assertThatThrownBy(() -> RULES.check(site(field, other)))
          .hasMessageContaining("siteSecrets")
          .extracting("problem.members.field")
          .isEqualTo(field);
      assertThatCode(() -> SiteRegistrationRules.ofThisHost(NOWHERE).check(site(field, other)))
          .doesNotThrowAnyException();
    }
  }

  @Test
  void whoIsRefusedAnAddressHearsWhatAllowsIt() {
    SiteEntry elsewhere =
        SiteEntry.open("lyon", List.of(new Endpoint("203.0.113.7", 1)), SiteStorage.MEMORY);

    assertThatThrownBy(() -> SiteRegistrationRules.ofThisHost(NOWHERE).admitted(elsewhere))
        .hasMessageContainingAll("host=203.0.113.7 port=1", "--access FILE with 'sites' allows")
        .extracting("problem.members.field")
        .isEqualTo("endpoints");
    assertThatThrownBy(() -> RULES.admitted(elsewhere))
        .hasMessageContainingAll("host=203.0.113.7 port=1", "'sites' of the access file allows")
        .extracting("problem.members.field")
        .isEqualTo("endpoints");
  }
}
