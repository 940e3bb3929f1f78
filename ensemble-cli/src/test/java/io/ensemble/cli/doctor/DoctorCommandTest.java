package io.ensemble.cli.doctor;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import io.ensemble.catalog.definition.FileDefinitions;
import io.ensemble.check.process.ExitCode;
import io.ensemble.cli.CliResult;
import io.ensemble.testkit.keys.CertificateAuthority;
import io.ensemble.testkit.keys.OwnerOnlyFiles;
import io.ensemble.testkit.keys.TlsIdentity;
import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** {@code doctor} on sites that do not answer, and on what is on this machine. */
@Timeout(120)
class DoctorCommandTest {

  @TempDir Path directory;
  private Path catalog;

  @BeforeEach
  void makeCatalog() throws IOException {
    catalog = Files.createDirectory(directory.resolve("catalog"));
    FileDefinitions.in(catalog).close();
  }

  private CliResult doctor(String sites, String... more) throws IOException {
    Path file = directory.resolve("sites.json");
    Files.writeString(file, "{\"sites\": [%s], \"catalog\": \"catalog\"}".formatted(sites));
    List<String> arguments = new ArrayList<>(List.of("doctor", "--federation", file.toString()));
    arguments.addAll(List.of(more));
    return CliResult.ensemble(arguments);
  }

  private static String site(String name, int port, String more) {
    return "{\"name\": \"%s\", \"endpoints\": [\"127.0.0.1:%d\"]%s}".formatted(name, port, more);
  }

  private static List<String> findings(CliResult ran, String check, String severity)
      throws IOException {
    List<String> found = new ArrayList<>();
    for (JsonNode one : ran.json().get("findings")) {
      if (one.get("check").asText().equals(check)
          && one.get("severity").asText().equals(severity)) {
        found.add(one.get("subject").asText() + ": " + one.get("seen").asText());
      }
    }
    return found;
  }

  @Test
  void aHungSiteEndsAsAFindingAndDoesNotHideAnother() throws IOException {
    try (ServerSocket hung = new ServerSocket(0, 50, InetAddress.getLoopbackAddress())) {
      CliResult ran =
          doctor(
              site("hung", hung.getLocalPort(), "") + "," + site("gone", 1, ""),
              "--timeout",
              "2s",
              "--json");

      assertThat(ran.code()).isEqualTo(ExitCode.FAILED);
      assertThat(findings(ran, "reachability", "error"))
          .anyMatch(one -> one.startsWith("hung: no result within 2 s"))
          .anyMatch(one -> one.startsWith("gone 127.0.0.1:1: no answer: Connection refused"));
      assertThat(findings(ran, "versions", "not_checked")).anyMatch(one -> one.startsWith("hung"));
      assertThat(findings(ran, "clocks", "not_checked")).anyMatch(one -> one.startsWith("hung"));
      assertThat(findings(ran, "owners", "warning"))
          .anyMatch(one -> one.startsWith("gone: no process maintains the site"));
      assertThat(ran.json().get("errors").asInt()).isPositive();
    }
  }

  @Test
  void certificatesAndListsThatEndSoonAreWarnings() throws IOException {
    CertificateAuthority authority = CertificateAuthority.create("test", Duration.ofDays(9));
    char[] password = "hush-hush".toCharArray();
    TlsIdentity.writeTrust(directory.resolve("trust.p12"), password, authority.certificate());
    authority.client("ada").write(directory.resolve("keys.p12"), password);
    OwnerOnlyFiles.write(directory.resolve("password"), "hush-hush");
    Files.write(
        directory.resolve("sites.crl"), authority.revocationList(List.of(), Duration.ofHours(3)));
    String tls =
        """
        , "tls": {"trust_store": "trust.p12", "password_file": "password",
          "key_store": "keys.p12", "key_store_password_file": "password",
          "revocation_list": "sites.crl"}
        """;

    CliResult ran = doctor(site("gone", 1, tls), "--json");

    assertThat(findings(ran, "certificates", "warning"))
        .anyMatch(one -> one.contains("trust.p12: trust store: 'CN=test' ends on"))
        .anyMatch(one -> one.contains("keys.p12: key store: 'CN=ada' ends on"))
        .anyMatch(one -> one.contains("sites.crl: revocation list ends on"));
    assertThat(findings(ran, "certificates", "error"))
        .singleElement()
        .asString()
        .contains("gone 127.0.0.1:1", "no TLS handshake");
    assertThat(ran.out() + ran.err()).doesNotContain("hush");
  }

  @Test
  void aMissingSecretIsAFindingOfItsSite() throws IOException {
    CliResult ran =
        doctor(
            site("gone", 1, ", \"credentials\": {\"user\": \"ada\", \"password_file\": \"none\"}"));

    assertThat(ran.code()).isEqualTo(ExitCode.FAILED);
    assertThat(ran.out()).contains("ERROR", "reachability", "gone", "remedy: ");
  }

  @Test
  void anUnreadableRecordIsAFinding() throws IOException {
    Files.writeString(catalog.resolve("later.cache"), "ensemble-cache=99\n");

    CliResult ran = doctor(site("gone", 1, ""), "--json");

    assertThat(findings(ran, "catalog", "error"))
        .singleElement()
        .asString()
        .startsWith("later: the record cannot be read");
  }

  @Test
  void aMissingCatalogIsAFindingAndSitesAreCheckedNevertheless() throws IOException {
    try (var files = Files.list(catalog)) {
      for (Path file : files.toList()) {
        Files.delete(file);
      }
    }
    Files.delete(catalog);

    CliResult ran = doctor(site("gone", 1, ""), "--json");

    assertThat(findings(ran, "catalog", "error"))
        .singleElement()
        .asString()
        .contains("there is no catalog");
    assertThat(findings(ran, "reachability", "error")).isNotEmpty();
    assertThat(catalog).doesNotExist();
  }

  @Test
  void whatIsInOrderIsShownOnlyIfAsked() throws IOException {
    assertThat(doctor(site("gone", 1, "")).out()).doesNotContain("keeps its entries in memory");
    assertThat(doctor(site("gone", 1, ""), "--all").out())
        .contains("keeps its entries in memory")
        .containsPattern("[0-9]+ errors, [0-9]+ warnings, [0-9]+ not checked, [0-9]+ in order");
  }

  @Test
  void disksAreCheckedWhereTheirDirectoryIsGiven() throws IOException {
    String onDisk = site("gone", 1, ", \"storage\": \"disk\"");

    assertThat(findings(doctor(onDisk, "--json"), "disks", "not_checked")).hasSize(1);
    assertThat(findings(doctor(onDisk, "--json", "--data", directory.toString()), "disks", "error"))
        .singleElement()
        .asString()
        .contains("has no data of a federation");
  }

  @Test
  void theTimeOfACheckHasABound() throws IOException {
    assertThat(doctor(site("gone", 1, ""), "--timeout", "11m").code()).isEqualTo(ExitCode.USAGE);
    assertThat(doctor(site("gone", 1, ""), "--timeout", "10ms").code()).isEqualTo(ExitCode.USAGE);
  }
}
