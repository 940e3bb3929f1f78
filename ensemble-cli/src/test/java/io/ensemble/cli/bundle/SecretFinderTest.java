package io.ensemble.cli.bundle;

import static org.assertj.core.api.Assertions.assertThat;

import io.ensemble.check.federation.SiteDescriptor;
import io.ensemble.check.federation.SiteSecurity;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class SecretFinderTest {

  @TempDir Path directory;

  private final SecretFinder finder =
      new SecretFinder(Map.of("ADA", "in-a-variable", "TRUST", "of-a-trust-store", "ZK", "of-zk"));

  private String file(String name, String content) throws IOException {
    return Files.writeString(directory.resolve(name), content).toString();
  }

  @Test
  void theSecretsOfASiteAreFoundInFilesAndVariables() throws IOException {
    finder.addSite(
        new SiteDescriptor(
            "lyon",
            List.of("127.0.0.1:1"),
            new SiteSecurity.User("ada", null, "ADA", null),
            new SiteSecurity.Trust(
                "trust.p12",
                null,
                "TRUST",
                "keys.p12",
                file("keys.password", "of-a-key-store\n"),
                null,
                null,
                null)));

    assertThat(finder.secrets())
        .contains("in-a-variable", "of-a-trust-store", "of-a-key-store")
        .doesNotContain("ada");
  }

  @Test
  void theSecretsOfACatalogAreFoundByItsAccessFile() throws IOException {
    file("zk.password", "in-a-file");
    String access =
        file(
            "access.properties",
            "user=ada\npassword_env=ZK\ntrust_store_password_file=zk.password\npassword=refused\n");

    finder.addCatalog("zk://h:1/p?access=" + access);
    finder.addCatalog("zk://h:1/p?access=" + directory.resolve("none"));
    finder.addCatalog("a-directory");

    assertThat(finder.secrets()).containsExactlyInAnyOrder("of-zk", "in-a-file", "refused");
  }

  @Test
  void thePasswordsOfAFederationOfUpAreFoundAndItsOtherFilesAreNot() throws IOException {
    Files.createDirectories(directory.resolve("keys").resolve("lyon"));
    file("keys/lyon/watch.password", "of-a-watcher");
    file("keys/lyon/users.properties", "hashes");

    finder.addDirectory(directory.resolve("keys"));
    finder.addDirectory(directory.resolve("none"));

    assertThat(finder.secrets()).containsExactly("of-a-watcher");
  }
}
