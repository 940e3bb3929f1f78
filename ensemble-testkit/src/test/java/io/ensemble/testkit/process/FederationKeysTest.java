package io.ensemble.testkit.process;

import static java.nio.charset.StandardCharsets.ISO_8859_1;
import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class FederationKeysTest {

  private static final List<String> SITES = List.of("lyon", "Oslo_2");

  @TempDir Path directory;

  private Map<String, String> files() throws IOException {
    Map<String, String> files = new TreeMap<>();
    try (Stream<Path> all = Files.walk(directory)) {
      for (Path each : all.filter(Files::isRegularFile).toList()) {
        files.put(
            directory.relativize(each).toString(),
            new String(Files.readAllBytes(each), ISO_8859_1));
      }
    }
    return files;
  }

  @Test
  void theyAreFoundAgain() throws IOException {
    FederationKeys.provide(directory, SITES, ProcessSecurity.TLS_AND_USERS);
    Map<String, String> made = files();

    FederationKeys.provide(directory, SITES, ProcessSecurity.TLS_AND_USERS);

    assertThat(files()).isEqualTo(made).hasSize(5 + 2 * 8);
    assertThat(made.get("keys/lyon/ensemble.password")).hasSize(32);
    assertThat(made.get("keys/lyon/users.properties"))
        .contains("ensemble=scram-sha-512:", "watch=scram-sha-512:")
        .doesNotContain(made.get("keys/lyon/ensemble.password"));
  }

  @Test
  void nobodyElseReadsThem() throws IOException {
    FederationKeys.provide(directory, SITES, ProcessSecurity.TLS_AND_USERS);

    try (Stream<Path> all = Files.walk(directory.resolve("keys"))) {
      for (Path each : all.toList()) {
        assertThat(PosixFilePermissions.toString(Files.getPosixFilePermissions(each)))
            .as("%s", each)
            .isEqualTo(Files.isDirectory(each) ? "rwx------" : "rw-------");
      }
    }
  }

  @Test
  void whatWasBegunAndNotEndedIsMadeAnew() throws IOException {
    Files.createDirectories(directory.resolve("keys.new/lyon"));
    Files.writeString(directory.resolve("keys.new/trust.p12"), "half");

    FederationKeys.provide(directory, SITES, ProcessSecurity.TLS_AND_USERS);

    assertThat(directory.resolve("keys.new")).doesNotExist();
    assertThat(files()).hasSize(5 + 2 * 8);
  }

  @Test
  void whatCannotBeUsedIsMadeAnewButTheCatalogKeepsItsOwner() throws IOException {
    FederationKeys.provide(directory, SITES, ProcessSecurity.TLS_AND_USERS);
    Map<String, String> before = files();
    Files.writeString(directory.resolve("keys/trust.p12"), "broken");

    FederationKeys.provide(directory, SITES, ProcessSecurity.TLS_AND_USERS);

    Map<String, String> after = files();
    assertThat(after.get("keys/lyon/ensemble.password"))
        .isNotEqualTo(before.get("keys/lyon/ensemble.password"));
    assertThat(after.get("keys/catalog.password")).isEqualTo(before.get("keys/catalog.password"));
  }

  /** Each state that a crash can leave while keys are replaced. */
  @Test
  void whoeverDiesWhileKeysAreMadeAnewDoesNotTakeTheCatalogWithThem() throws IOException {
    FederationKeys.provide(directory, List.of("lyon"), ProcessSecurity.TLS_AND_USERS);
    String known = files().get("keys/catalog.password");
    Path keys = directory.resolve("keys");
    Path former = directory.resolve("keys.old");

    Files.move(keys, former);
    Files.createDirectories(directory.resolve("keys.new/lyon"));
    FederationKeys.provide(
        directory, SITES, ProcessSecurity.TLS_AND_USERS); // A crash with neither key set in place.
    Map<String, String> whole = files();
    assertThat(whole).containsEntry("keys/catalog.password", known).hasSize(5 + 2 * 8);

    Files.createDirectories(former.resolve("lyon"));
    FederationKeys.provide(
        directory,
        SITES,
        ProcessSecurity.TLS_AND_USERS); // A crash during the removal of the former keys.
    assertThat(files()).isEqualTo(whole);
    assertThat(former).doesNotExist();
  }

  @Test
  void oneMoreSiteMakesAllAnew() throws IOException {
    FederationKeys.provide(directory, List.of("lyon"), ProcessSecurity.TLS_AND_USERS);
    Map<String, String> before = files();

    FederationKeys.provide(directory, SITES, ProcessSecurity.TLS_AND_USERS);

    assertThat(files().get("keys/trust.p12")).isNotEqualTo(before.get("keys/trust.p12"));
  }

  @Test
  void aSitesNameBecomesANameOfAHost() {
    assertThat(named("lyon")).isEqualTo("lyon.site.ensemble.internal");
    assertThat(named("Oslo_2")).isEqualTo("oslo-2.site.ensemble.internal");
    assertThat(named("a-_-")).isEqualTo("a.site.ensemble.internal");
    assertThat(named("a".repeat(63))).startsWith("a".repeat(63) + ".");
  }

  private String named(String site) {
    return FederationKeys.of(directory, site, ProcessSecurity.TLS).serverName();
  }
}
