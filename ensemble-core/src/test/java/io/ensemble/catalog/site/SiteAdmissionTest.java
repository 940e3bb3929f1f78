package io.ensemble.catalog.site;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.ensemble.catalog.site.SiteEntry.CredentialsReference;
import io.ensemble.catalog.site.SiteEntry.SecretReference;
import io.ensemble.catalog.site.SiteEntry.State;
import io.ensemble.catalog.site.SiteEntry.TlsReference;
import io.ensemble.site.address.AddressPolicy;
import io.ensemble.site.address.AddressRefusedException;
import io.ensemble.site.address.AddressResolver;
import io.ensemble.site.hotrod.configuration.Endpoint;
import io.ensemble.site.hotrod.configuration.SiteStorage;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.UnknownHostException;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class SiteAdmissionTest {

  private static final AddressPolicy POLICY = AddressPolicy.allowing("*.example:11222");
  private static final AddressResolver ONE =
      name -> List.of(InetAddress.getByAddress(new byte[] {(byte) 203, 0, 113, 7}));
  private static final SecretReference SECRET =
      new SecretReference(Optional.of("ada.password"), Optional.empty());

  private static SiteEntry site(Optional<CredentialsReference> who, String... endpoints) {
    return new SiteEntry(
        "lyon",
        List.of(endpoints).stream().map(Endpoint::parse).toList(),
        who,
        Optional.of(new TlsReference("trust.pem", Optional.empty(), Optional.empty())),
        SiteStorage.MEMORY,
        Map.of(),
        State.SERVING,
        1);
  }

  @Test
  void whatIsEnteredHasAddressesAndTheCertificateStillBearsTheName() {
    AddressPolicy network = AddressPolicy.allowing("203.0.113.0/24:11222");
    SiteEntry admitted =
        SiteAdmission.of(
            site(Optional.empty(), "a.example:11222", "b.example:11222"), network, ONE);

    assertThat(admitted.endpoints()).containsExactly(new Endpoint("203.0.113.7", 11222));
    assertThat(admitted.tls().orElseThrow().sniHostName()).contains("a.example");
  }

  /** The client gives the guard a name with its address, or an address alone. */
  @ParameterizedTest
  @ValueSource(strings = {"*.example:11222", "a.example:11222", "203.0.113.0/24:11222"})
  void whatIsAdmittedMayBeConnectedTo(String rule) throws Exception {
    AddressPolicy policy = AddressPolicy.allowing(rule);
    InetAddress address = ONE.addresses("a.example").get(0);

    Endpoint entered =
        SiteAdmission.of(site(Optional.empty(), "a.example:11222"), policy, ONE).endpoints().get(0);

    boolean named = entered.host().equals("a.example");
    policy.check(
        new InetSocketAddress(
            named ? InetAddress.getByAddress(entered.host(), address.getAddress()) : address,
            entered.port()));
    assertThat(entered.host()).isIn("a.example", "203.0.113.7");
  }

  @Test
  void oneEndpointThatIsNotAllowedRefusesTheSite() {
    assertThatThrownBy(
            () ->
                SiteAdmission.of(
                    site(Optional.empty(), "a.example:11222", "127.0.0.1:11222"), POLICY, ONE))
        .isInstanceOf(AddressRefusedException.class);
  }

  @Test
  void aNameWithoutAddressesIsTheCallersMistake() {
    AddressResolver none =
        name -> {
          throw new UnknownHostException(name);
        };

    assertThatThrownBy(
            () -> SiteAdmission.of(site(Optional.empty(), "a.example:11222"), POLICY, none))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("a.example");
  }

  @ParameterizedTest
  @ValueSource(strings = {"PLAIN", "LOGIN", "OAUTHBEARER", "plain", "SCRAM-SHA-512,PLAIN"})
  void aCatalogCannotHaveAPasswordSentAsItIs(String mechanism) {
    SiteEntry site =
        site(
            Optional.of(new CredentialsReference("ada", SECRET, Optional.of(mechanism))),
            "a.example:11222");

    assertThatThrownBy(() -> SiteConfigurationFactory.configuration(site))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("do not reveal the password")
        .hasMessageContaining("site=lyon");
  }

  @Test
  void aRecordKeepsCertificatesAndTheirReferences() {
    SiteEntry site =
        new SiteEntry(
            "lyon",
            List.of(new Endpoint("a.example", 11222)),
            Optional.of(CredentialsReference.ofCertificate()),
            Optional.of(
                new TlsReference(
                    "trust.p12",
                    Optional.of(SECRET),
                    Optional.of("key.p12"),
                    Optional.of(new SecretReference(Optional.empty(), Optional.of("KEY"))),
                    Optional.of("lyon.example"),
                    Optional.of("sites.crl"))),
            SiteStorage.DISK,
            Map.of("region", "eu"),
            State.DRAINING,
            7);

    assertThat(SiteText.read(SiteText.write(site))).isEqualTo(site);
    assertThat(SiteConfigurationFactory.configuration(site).credentials().isExternal()).isTrue();
  }

  @Test
  void credentialsHaveAPasswordButForCertificates() {
    assertThatThrownBy(
            () ->
                new CredentialsReference(
                    "ada", Optional.<SecretReference>empty(), Optional.empty()))
        .isInstanceOf(IllegalArgumentException.class);
    assertThatThrownBy(() -> new CredentialsReference("ada", SECRET, Optional.of("EXTERNAL")))
        .isInstanceOf(IllegalArgumentException.class);
  }
}
