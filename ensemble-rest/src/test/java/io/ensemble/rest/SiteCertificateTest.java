package io.ensemble.rest;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import io.ensemble.catalog.site.SiteEntry;
import io.ensemble.catalog.site.SiteEntry.CredentialsReference;
import io.ensemble.catalog.site.SiteEntry.SecretReference;
import io.ensemble.catalog.site.SiteEntry.State;
import io.ensemble.catalog.site.SiteEntry.TlsReference;
import io.ensemble.site.hotrod.configuration.Endpoint;
import io.ensemble.site.hotrod.configuration.SiteStorage;
import java.net.http.HttpResponse;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Sites that require a client certificate are registered as in Java and on the command line. */
@Timeout(180)
class SiteCertificateTest {

  private static final String WHOLE =
      """
      {"name": "bern", "endpoints": ["bern.example:11222"], "labels": {"country": "ch"},
       "storage": "DISK", "credentials": {"mechanism": "EXTERNAL"},
       "tls": {"trustStore": "/run/trusted.p12", "password": {"variable": "TRUSTED"},
               "keyStore": "/run/ours.p12", "keyStorePassword": {"file": "/run/ours.password"},
               "sniHostName": "sites.example"}}
      """;

  private final RestFixture restFixture = new RestFixture();

  @AfterEach
  void close() throws Exception {
    restFixture.close();
  }

  private SiteEntry entry() {
    return restFixture.manager.membership().entry("bern").orElseThrow();
  }

  @Test
  void theCatalogHasWhatWasSaid() throws Exception {
    HttpResponse<byte[]> registered = restFixture.json("POST", "/sites", WHOLE);

    assertThat(registered.statusCode()).isEqualTo(201);
    assertThat(entry())
        .isEqualTo(
            new SiteEntry(
                "bern",
                List.of(new Endpoint("bern.example", 11_222)),
                Optional.of(CredentialsReference.ofCertificate()),
                Optional.of(
                    new TlsReference(
                        "/run/trusted.p12",
                        Optional.of(new SecretReference(Optional.empty(), Optional.of("TRUSTED"))),
                        Optional.of("/run/ours.p12"),
                        Optional.of(
                            new SecretReference(
                                Optional.of("/run/ours.password"), Optional.empty())),
                        Optional.of("sites.example"))),
                SiteStorage.DISK,
                Map.of("country", "ch"),
                State.SERVING,
                1));
  }

  @Test
  void answersDoNotTellWhereItsSecretsAre() throws Exception {
    HttpResponse<byte[]> registered = restFixture.json("POST", "/sites", WHOLE);

    JsonNode site = RestFixture.body(registered);
    assertThat(site.get("secured").asBoolean()).isTrue();
    assertThat(site.get("tls").asBoolean()).isTrue();
    assertThat(site.get("storage").asText()).isEqualTo("disk");
    for (HttpResponse<byte[]> answer :
        List.of(
            registered,
            restFixture.json("POST", "/sites", WHOLE),
            restFixture.json("POST", "/sites", WHOLE.replace("/run/ours.p12", "/run/other.p12")),
            restFixture.get("/sites/bern"),
            restFixture.get("/sites"),
            restFixture.get("/federation"))) {
      assertThat(new String(answer.body())).contains("bern").doesNotContain("/run/", "TRUSTED");
    }
  }

  @Test
  void aSiteWithAnotherCertificateIsAnotherSite() throws Exception {
    restFixture.json("POST", "/sites", WHOLE);
    SiteEntry before = entry();

    HttpResponse<byte[]> same = restFixture.json("POST", "/sites", WHOLE);
    HttpResponse<byte[]> other =
        restFixture.json("POST", "/sites", WHOLE.replace("/run/ours.p12", "/run/other.p12"));

    assertThat(same.statusCode()).isEqualTo(200);
    assertThat(other.statusCode()).isEqualTo(409);
    assertThat(RestFixture.body(other).get("differences")).hasSize(1);
    assertThat(RestFixture.body(other).at("/differences/0").asText()).isEqualTo("tls");
    assertThat(entry()).isEqualTo(before);
  }

  /** A certificate for the connection, and a password for authentication. */
  @Test
  void aKeyStoreGoesWithAUserToo() throws Exception {
    String user =
        """
        {"user": "ada", "password": {"variable": "ADA"}, "mechanism": "SCRAM-SHA-256"}\
        """;

    HttpResponse<byte[]> registered =
        restFixture.json("POST", "/sites", WHOLE.replace("{\"mechanism\": \"EXTERNAL\"}", user));

    assertThat(registered.statusCode()).isEqualTo(201);
    assertThat(entry().tls().orElseThrow().keyStore()).contains("/run/ours.p12");
    assertThat(entry().credentials())
        .contains(
            new CredentialsReference(
                "ada",
                new SecretReference(Optional.empty(), Optional.of("ADA")),
                Optional.of("SCRAM-SHA-256")));
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      quoteCharacter = '~',
      value = {
        "credentials.user     | {'mechanism': 'EXTERNAL', 'user': 'ada'} | {'trustStore': 't.pem'}",
        "credentials.password | {'mechanism': 'EXTERNAL', 'password': {'file': 'p'}} |"
            + " {'trustStore': 't.pem'}",
        "tls.keyStore         | {'mechanism': 'EXTERNAL'} | {'trustStore': 't.pem'}",
        "tls.keyStore         | {'mechanism': 'EXTERNAL'} | null",
        "tls.keyStore         | null | {'trustStore': 't.pem', 'keyStorePassword': {'file': 'p'}}",
        "tls.keyStore         | null | {'trustStore': 't.pem', 'keyStore': 7}",
        "tls.keyStorePassword | null | {'trustStore': 't.pem', 'keyStore': 'k.p12'}",
        "tls.keyStorePassword | null |"
            + " {'trustStore': 't.pem', 'keyStore': 'k.p12', 'keyStorePassword': {}}",
        "tls.trustStore       | null | {'keyStore': 'k.p12', 'keyStorePassword': {'file': 'p'}}",
        "tls                  | null | {'trustStore': 't.p12'}",
        "credentials.user     | {'mechanism': 'SCRAM-SHA-512'} | null",
        "credentials.password | {'user': 'ada'} | null",
        "credentials          | {'user': 'ada', 'password': {'file': 'p'}, 'mechanism': 'PLAIN'} |"
            + " null",
        "credentials          | {'user': ' ', 'password': {'file': 'p'}} | null",
      })
  void whatCannotBeMeantIsToldByItsFieldAndNobodyIsEntered(
      String field, String credentials, String tls) throws Exception {
    String site =
        "{\"name\": \"bern\", \"endpoints\": [\"h:1\"], \"credentials\": %s, \"tls\": %s}"
            .formatted(credentials, tls)
            .replace('\'', '"');

    HttpResponse<byte[]> refused = restFixture.json("POST", "/sites", site);

    JsonNode problem = RestFixture.body(refused);
    assertThat(refused.statusCode()).as(problem.toString()).isEqualTo(422);
    assertThat(problem.path("field").asText()).isEqualTo(field);
    assertThat(restFixture.manager.membership().entries()).hasSize(3);
  }
}
