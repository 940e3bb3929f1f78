package io.ensemble.cli.up;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import io.ensemble.check.federation.FederationFile;
import io.ensemble.check.federation.SiteDescriptor;
import io.ensemble.check.federation.SiteSecurity.Trust;
import io.ensemble.check.federation.SiteSecurity.User;
import io.ensemble.check.process.ExitCode;
import io.ensemble.check.process.JsonOutput;
import io.ensemble.cli.CliResult;
import io.ensemble.cli.UpProcess;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** {@code up --processes --tls --auth}: other commands work on it, and other users do not. */
@Timeout(600)
class UpSecuredIT {

  @TempDir Path directory;

  @Test
  void commandsWorkOnItUnchangedAndOthersAreRefused() throws Exception {
    FederationFile file = FederationFile.at(directory.resolve("f.json"));
    Path data = directory.resolve("data");
    UpProcess up = up(file, data);
    List<String> secrets;
    try {
      JsonNode site = up.published().at("/federation/sites/0");
      secrets = secretsOf(data.resolve("keys"));

      assertThat(site.at("/credentials/password_file").asText()).endsWith("lyon/ensemble.password");
      assertThat(site.at("/tls/trust_store").asText()).endsWith("keys/trust.p12");
      up.run(0, "caches", "create", "c", "--mode", "mwmr", "--deadline", "60s");
      up.run(0, "put", "c", "k", "kept", "--deadline", "60s");
      assertThat(up.run(0, "get", "c", "k", "--deadline", "60s").out())
          .isEqualToIgnoringNewLines("kept");
      assertThat(up.run(0, "sites").out()).contains("as ensemble");
      assertThat(up.run(0, "caches", "describe", "c").out()).contains("lyon");
      aUserWithFewerPermissionsIsRefused(up, data);
      aClientWithoutACertificateIsRefused(up);
      whoDoesNotSayWhoItIsSeesNoCatalog(up);
    } finally {
      up.stop();
    }
    assertThat(secretsOf(data.resolve("keys"))).isEqualTo(secrets);
    onlyItsOwnerReads(data.resolve("keys"));
    nobodyElseReaches(data);
    nothingElseHolds(secrets, data.resolve("keys"));
  }

  @Test
  @Tag("deep")
  void theNextOneFindsTheSameKeysAndEntries() throws Exception {
    FederationFile file = FederationFile.at(directory.resolve("f.json"));
    Path data = directory.resolve("data");
    UpProcess up = up(file, data);
    List<String> secrets;
    try {
      up.published();
      secrets = secretsOf(data.resolve("keys"));
      up.run(0, "caches", "create", "c", "--mode", "mwmr", "--deadline", "60s");
      up.run(0, "put", "c", "k", "kept", "--deadline", "60s");
    } finally {
      up.stop();
    }

    UpProcess again = up(file, data);
    try {
      again.published();
      assertThat(up.run(0, "get", "c", "k", "--deadline", "60s").out())
          .isEqualToIgnoringNewLines("kept");
      assertThat(secretsOf(data.resolve("keys"))).isEqualTo(secrets);
    } finally {
      again.stop();
    }
  }

  private void aUserWithFewerPermissionsIsRefused(UpProcess up, Path data) throws IOException {
    SiteDescriptor there = up.file().read().sites().get(0);
    User watch = new User("watch", data.resolve("keys/lyon/watch.password").toString(), null, null);
    Path sites = directory.resolve("watch.json");
    Files.write(
        sites,
        JsonOutput.mapper()
            .writeValueAsBytes(
                Map.of(
                    "sites",
                    List.of(
                        new SiteDescriptor(there.name(), there.endpoints(), watch, there.tls())))));

    CliResult refused =
        CliResult.ensemble(
            List.of(
                "caches", "create", "never", "--mode", "weak", "--federation", sites.toString()));

    assertThat(refused.code()).isEqualTo(ExitCode.FAILED);
    assertThat(refused.err()).contains("NOT_ALLOWED", "missing=ADMIN", "site=lyon");
  }

  /** The user and the password are right. */
  private void aClientWithoutACertificateIsRefused(UpProcess up) throws IOException {
    SiteDescriptor there = up.file().read().sites().get(0);
    Trust tls = there.tls();
    assertThat(tls.keyStore()).endsWith("keys/client.p12");
    Path sites = directory.resolve("watch.json");
    Files.write(
        sites,
        JsonOutput.mapper()
            .writeValueAsBytes(
                Map.of(
                    "sites",
                    List.of(
                        new SiteDescriptor(
                            there.name(),
                            there.endpoints(),
                            there.credentials(),
                            new Trust(
                                tls.trustStore(), tls.passwordFile(), null, tls.sniHostName()))))));

    CliResult refused = CliResult.ensemble(List.of("sites", "--federation", sites.toString()));

    assertThat(refused.code()).isEqualTo(ExitCode.FAILED);
  }

  private static void whoDoesNotSayWhoItIsSeesNoCatalog(UpProcess up) {
    String catalog = up.file().read().catalog();
    String nobody = catalog.substring(0, catalog.indexOf('?'));

    CliResult refused = CliResult.ensemble(List.of("caches", "list", "--catalog", nobody));

    assertThat(refused.code()).isEqualTo(ExitCode.FAILED);
    assertThat(refused.err()).contains("NOAUTH");
  }

  private static List<String> secretsOf(Path keys) throws IOException {
    try (Stream<Path> all = Files.walk(keys)) {
      List<Path> files =
          all.filter(file -> file.toString().endsWith(".password")).sorted().toList();
      List<String> secrets = new ArrayList<>();
      for (Path file : files) {
        secrets.add(Files.readString(file));
      }
      assertThat(secrets).hasSize(5).doesNotHaveDuplicates();
      return secrets;
    }
  }

  private static void onlyItsOwnerReads(Path keys) throws IOException {
    try (Stream<Path> all = Files.walk(keys)) {
      for (Path each : all.toList()) {
        assertThat(PosixFilePermissions.toString(Files.getPosixFilePermissions(each)))
            .as(each.toString())
            .endsWith("------");
      }
    }
  }

  /** All data is below a directory that only its owner can enter. */
  private void nobodyElseReaches(Path data) throws IOException {
    assertThat(PosixFilePermissions.toString(Files.getPosixFilePermissions(data)))
        .isEqualTo("rwx------");
    try (Stream<Path> all = Files.walk(directory)) {
      assertThat(all.filter(Files::isRegularFile).filter(file -> !file.startsWith(data)))
          .extracting(file -> directory.relativize(file).getName(0).toString())
          .isSubsetOf(
              "f.json.lock",
              "f.json.log",
              "f.json.rest-audit",
              "watch.json",
              "watch.json.definitions");
    }
    try (Stream<Path> all = Files.walk(data)) {
      assertThat(all).anyMatch(file -> file.getFileName().toString().startsWith("log."));
    }
  }

  /** No file holds a secret, except the keys and the configuration of the servers. */
  private void nothingElseHolds(List<String> secrets, Path keys) throws IOException {
    try (Stream<Path> all = Files.walk(directory)) {
      for (Path file : all.filter(Files::isRegularFile).toList()) {
        boolean mayHold = file.startsWith(keys) || file.endsWith("conf/infinispan.xml");
        String text = mayHold ? "" : new String(Files.readAllBytes(file), UTF_8);
        for (String secret : secrets) {
          assertThat(text.contains(secret)).as(file.toString()).isFalse();
        }
      }
    }
  }

  private static UpProcess up(FederationFile file, Path data) throws IOException {
    return UpProcess.started(
        file,
        "--processes",
        "--tls",
        "--auth",
        "--client-certificates",
        "--sites",
        "1",
        "--nodes",
        "1",
        "--data",
        data.toString());
  }
}
