package io.ensemble.benchmarks;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.ensemble.benchmarks.store.SiteAddresses;
import io.ensemble.site.hotrod.configuration.SiteConfiguration;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Properties;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class SitePropertiesTest {

  @TempDir Path directory;

  @Test
  void aSiteIsEnteredAsItsPropertiesSay() throws IOException {
    Path password = Files.writeString(directory.resolve("p"), "hush\n");

    List<SiteConfiguration> sites =
        applied(
            "lyon.user=ada",
            "lyon.password.file=" + password,
            "lyon.trust.store=/s/trust.p12",
            "lyon.trust.password.file=" + password,
            "lyon.sni=lyon.example",
            "oslo.eu.trust.store=/s/trust.pem");

    assertThat(sites.get(0).credentials().user()).isEqualTo("ada");
    assertThat(sites.get(0).credentials().password().get()).isEqualTo("hush".toCharArray());
    assertThat(sites.get(0).credentials().mechanism()).isEqualTo("SCRAM-SHA-512");
    assertThat(sites.get(0).tls().trustStorePassword().get()).isEqualTo("hush".toCharArray());
    assertThat(sites.get(0).tls().sniHostName()).isEqualTo("lyon.example");
    assertThat(sites.get(1).credentials()).isNull();
    assertThat(sites.get(1).tls().trustStorePassword()).isNull();
  }

  @ParameterizedTest
  @CsvSource({
    "paris.user=ada, ensemble.site.paris.user",
    "lyon.usr=ada, ensemble.site.lyon.usr",
    "lyon.user=ada, ensemble.site.lyon.password",
    "lyon.password.file=/p, ensemble.site.lyon.password.file",
    "lyon.user=ada lyon.password.file=/p lyon.password.env=P, got both",
    "lyon.user=ada lyon.password.file=/none/p, /none/p",
    "lyon.trust.store=/s/trust.p12, trust.p12",
  })
  void whatIsWrongIsNamed(String properties, String what) {
    assertThatThrownBy(() -> applied(properties.split(" "))).hasMessageContaining(what);
  }

  private static List<SiteConfiguration> applied(String... said) {
    Properties properties = new Properties();
    for (String one : said) {
      int equals = one.indexOf('=');
      properties.setProperty(
          "ensemble.site." + one.substring(0, equals), one.substring(equals + 1));
    }
    return SiteProperties.apply(properties, SiteAddresses.parse("lyon=h:1;oslo.eu=h:2"));
  }
}
