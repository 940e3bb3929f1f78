package io.ensemble.check.federation;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.ensemble.check.process.CommandException;
import io.ensemble.site.hotrod.configuration.Credentials;
import io.ensemble.site.hotrod.configuration.SiteConfiguration;
import io.ensemble.site.hotrod.configuration.Tls;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Files that describe sites which Ensemble did not set up. */
class SitesFileTest {

  @TempDir Path directory;

  @Test
  void openSitesNeedNameAndEndpointsOnly() throws IOException {
    FederationFile file =
        file("{'sites': [{'name': 'lyon', 'endpoints': ['h:1', 'h:2']}], 'catalog': 'caches'}");

    FederationDescriptor state = file.read();

    assertThat(state.siteNames()).containsExactly("lyon");
    assertThat(state.catalog()).isEqualTo(directory.resolve("caches").toString());
    SiteConfiguration lyon = state.sites().get(0).configuration();
    assertThat(lyon.endpoints()).hasToString("[h:1, h:2]");
    assertThat(lyon.credentials()).isNull();
    assertThat(lyon.tls()).isNull();
  }

  @Test
  void filesAreFoundBesideTheFileAndSecretsInThem() throws IOException {
    Files.writeString(directory.resolve("ada"), "hush\n");
    Files.writeString(directory.resolve("trust"), "store");
    Files.writeString(directory.resolve("lyon.p12"), "");
    FederationFile file =
        file(
            "{'sites': [{'name': 'lyon', 'endpoints': ['h:1'], 'credentials': {'user': 'ada',"
                + " 'password_file': 'ada', 'mechanism': 'DIGEST-SHA-256'}, 'tls': {'trust_store':"
                + " 'lyon.p12', 'password_file': 'trust', 'sni_host_name': 'lyon.example'}}]}");

    FederationDescriptor state = file.read();

    assertThat(state.catalog()).isEqualTo(file.path() + ".definitions");
    SiteConfiguration lyon = state.sites().get(0).configuration();
    Credentials credentials = lyon.credentials();
    Tls tls = lyon.tls();
    assertThat(credentials).isNotNull();
    assertThat(credentials.user()).isEqualTo("ada");
    assertThat(credentials.password().get()).isEqualTo("hush".toCharArray());
    assertThat(credentials.mechanism()).isEqualTo("DIGEST-SHA-256");
    assertThat(tls).isNotNull();
    assertThat(tls.trustStore()).isEqualTo(directory.resolve("lyon.p12"));
    assertThat(tls.trustStorePassword().get()).isEqualTo("store".toCharArray());
    assertThat(tls.sniHostName()).isEqualTo("lyon.example");
  }

  @Test
  void ourCertificateIsFoundBesideTheFileAndSaysWhoWeAre() throws IOException {
    Files.writeString(directory.resolve("key"), "hush\n");
    Files.writeString(directory.resolve("ours.p12"), "");
    Files.writeString(directory.resolve("trust.pem"), "");
    Files.writeString(directory.resolve("sites.crl"), "");
    FederationFile file =
        file(
            "{'sites': [{'name': 'lyon', 'endpoints': ['h:1'], 'credentials': {'mechanism':"
                + " 'EXTERNAL'}, 'tls': {'trust_store': 'trust.pem', 'key_store': 'ours.p12',"
                + " 'key_store_password_file': 'key', 'revocation_list': 'sites.crl'}}]}");

    SiteConfiguration lyon = file.read().sites().get(0).configuration();

    assertThat(lyon.credentials().isExternal()).isTrue();
    assertThat(lyon.tls().keyStore()).isEqualTo(directory.resolve("ours.p12"));
    assertThat(lyon.tls().keyStorePassword().get()).isEqualTo("hush".toCharArray());
    assertThat(lyon.tls().revocationList()).isEqualTo(directory.resolve("sites.crl"));
    SiteDescriptor place = file.read().sites().get(0);
    assertThat(SiteDescriptor.of(place.entry())).isEqualTo(place);
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      textBlock =
          """
          {}                                                            | requires sites
          {'sites': []}                                                 | requires sites
          {'version': 2, 'sites': []}                                   | expected version 1, found 2
          {'sites': [{'endpoints': ['h:1']}]}                           | a site requires a name
          {'sites': [{'name': 'lyon'}]}                                 | requires endpoints; site=lyon
          {'sites': [S, S]}                                             | site names must be unique; site=lyon
          {'sites': [S], 'site': 1}                                     | unknown name 'site'
          {'sites': [{'name': 'a', 'endpoints': ['h:1'], 'user': 'u'}]} | unknown name 'user'
          {'sites': [L{'user': 'u', 'password': 'hush'}}]}              | must not be in this file
          {'sites': [L{'user': 'u'}}]}                                  | either a password_file or
          {'sites': [L{'user': 'u', 'password_file': 'a', 'password_env': 'b'}}]} | either a
          {'sites': [L{'password_file': 'a'}}]}                         | require a user
          {'sites': [{'name': 'a', 'endpoints': ['h:1'], 'tls': {}}]}   | requires a trust_store
          {'sites': [T'key_store': 'k.p12'}}]}                          | either a key_store_password_file
          {'sites': [T'key_store_password_env': 'K'}}]}                 | a key_store requires either
          {'sites': [T'key_store_password': 'hush'}}]}                  | unknown name 'key_store_password'
          {'sites': [L{'mechanism': 'EXTERNAL', 'password_env': 'K'}}]} | EXTERNAL excludes a password
          """)
  void whatIsWrongIsToldWithTheFile(String text, String why) throws IOException {
    String site = "{'name': 'lyon', 'endpoints': ['h:1']}";
    FederationFile file =
        file(
            text.replace("S", site)
                .replace("L{", "{'name': 'lyon', 'endpoints': ['h:1'], 'credentials': {")
                .replace(
                    "T'", "{'name': 'a', 'endpoints': ['h:1'], 'tls': {'trust_store': 't', '"));

    assertThatThrownBy(file::read)
        .isInstanceOf(CommandException.class)
        .hasMessageStartingWith(file.path().toString())
        .hasMessageContaining(why)
        .message()
        .doesNotContain("hush");
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      textBlock =
          """
          'credentials': {'user': 'u', 'password_file': 'none'}            | none
          'credentials': {'user': 'u', 'password_env': 'ENSEMBLE_NOT_SET'} | ENSEMBLE_NOT_SET
          'tls': {'trust_store': 'none.p12', 'password_file': 'none'}      | none.p12
          'tls': {'trust_store': 'there.p12'}                              | must have a password
          'credentials': null, 'endpoints': ['h']                          | host:port
          """)
  void aSiteThatCannotBeAskedIsNamed(String more, String why) throws IOException {
    Files.writeString(directory.resolve("there.p12"), "");
    String endpoints = more.contains("endpoints") ? "" : "'endpoints': ['h:1'], ";
    SiteDescriptor lyon =
        file("{'sites': [{'name': 'lyon', " + endpoints + more + "}]}").read().sites().get(0);

    assertThatThrownBy(lyon::configuration)
        .isInstanceOf(CommandException.class)
        .hasMessageContaining(why)
        .hasMessageContaining("site=lyon");
  }

  @Test
  void theExampleOfTheDocumentIsRead() throws IOException {
    String document = Files.readString(Path.of("../docs/security.md"));
    int within = document.indexOf("LYON_TRUST_PASSWORD");
    int begin = document.lastIndexOf("```json\n", within) + "```json\n".length();

    FederationDescriptor state =
        file(document.substring(begin, document.indexOf("```", begin))).read();

    assertThat(state.siteNames()).containsExactly("lyon", "oslo");
    assertThat(state.sites().get(0).tls().passwordEnv()).isEqualTo("LYON_TRUST_PASSWORD");
    assertThat(state.catalog()).isEqualTo(directory.resolve("caches").toString());
  }

  @Test
  void aFederationNeverTakesTheFileAway() throws IOException {
    FederationFile file = file("{'sites': [{'name': 'lyon', 'endpoints': ['h:1']}]}");

    assertThatThrownBy(file::claim)
        .isInstanceOf(CommandException.class)
        .hasMessageContaining("would be overwritten");
    assertThat(file.read().siteNames()).containsExactly("lyon");
  }

  private FederationFile file(String text) throws IOException {
    Path file = directory.resolve("sites.json");
    Files.writeString(file, text.replace('\'', '"'));
    return FederationFile.at(file);
  }
}
