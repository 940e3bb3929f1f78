package io.ensemble.rest.access;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermission;
import java.nio.file.attribute.PosixFilePermissions;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.DisabledOnOs;
import org.junit.jupiter.api.condition.OS;
import org.junit.jupiter.api.io.TempDir;

/** What an access file does not allow is refused. */
class AccessFileParserTest {

  @TempDir private Path directory;

  private Path file(String more) throws IOException {
    Files.writeString(directory.resolve("policy"), "{\"grants\": []}");
    Files.writeString(directory.resolve("token"), "t".repeat(32));
    return Files.writeString(
        directory.resolve("access.json"), "{\"policy\": \"policy\"" + more + "}");
  }

  @Test
  void sitesAreRegisteredWhereTheFileSaysAndNowhereIfItDoesNot() throws IOException {
    for (String host : new String[] {"203.0.113.7", "127.0.0.1", "10.0.0.5"}) {
      try (AccessControl silent = AccessControl.of(file(""));
          AccessControl saying = AccessControl.of(file(", \"sites\": [\"203.0.113.0/24:1\"]"))) {
        assertThat(silent.sites().addresses().allows(host, 1)).as(host).isFalse();
        assertThat(saying.sites().addresses().allows(host, 1))
            .as(host)
            .isEqualTo(host.equals("203.0.113.7"));
      }
    }
  }

  @Test
  @DisabledOnOs(OS.WINDOWS)
  void aTokenThatEveryUserCanReadIsRefused() throws IOException {
    Path file = file(", \"tokens\": [{\"name\": \"a\", \"file\": \"token\"}]");
    assumeTrue(
        Files.getPosixFilePermissions(directory.getParent())
            .contains(PosixFilePermission.OTHERS_EXECUTE),
        "the directory for temporary files is private");
    AccessControl.of(file).close(); // The directory is private.

    Files.setPosixFilePermissions(directory, PosixFilePermissions.fromString("rwxr-xr-x"));

    assertThatThrownBy(() -> AccessControl.of(file))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("must not be accessible to every user")
        .hasMessageContaining("token");
    Files.setPosixFilePermissions(
        directory.resolve("token"), PosixFilePermissions.fromString("rw-r-----"));
    AccessControl.of(file).close();
  }

  @Test
  void aNameIsOfOneToken() throws IOException {
    String one = "{\"name\": \"a\", \"file\": \"token\"}";
    Path twice = file(", \"tokens\": [" + one + ", " + one + "]");

    assertThatThrownBy(() -> AccessControl.of(twice))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("name");
  }
}
