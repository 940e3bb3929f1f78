package io.ensemble.site.hotrod.configuration;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermission;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.DisabledOnOs;
import org.junit.jupiter.api.condition.OS;

/** Secret files that every user can access are refused. */
@DisabledOnOs(OS.WINDOWS)
class SecretFilesTest {

  private Path directory;

  @BeforeEach
  void create() throws Exception {
    directory = Files.createTempDirectory("secrets");
    permit(directory, "rwxr-xr-x");
    for (Path above = directory.toRealPath(); above != null; above = above.getParent()) {
      assumeTrue(
          Files.getPosixFilePermissions(above).contains(PosixFilePermission.OTHERS_EXECUTE),
          "the directory for temporary files is private");
    }
  }

  @AfterEach
  void remove() throws Exception {
    System.clearProperty(SecretFiles.ALLOW);
    for (String name : List.of("private/password", "private", "password", "link")) {
      Files.deleteIfExists(directory.resolve(name));
    }
    Files.delete(directory);
  }

  private static void permit(Path file, String permissions) throws Exception {
    Files.setPosixFilePermissions(file, PosixFilePermissions.fromString(permissions));
  }

  private Path password(String permissions) throws Exception {
    Path file = Files.writeString(directory.resolve("password"), "hush");
    permit(file, permissions);
    return file;
  }

  @Test
  void aFileThatEveryUserCanAccessIsRefused() throws Exception {
    for (String permissions : List.of("rw-r--r--", "rw----r--", "rw-----w-")) {
      Path file = password(permissions);

      assertThatThrownBy(() -> Secret.inFile(file).get())
          .as(permissions)
          .isInstanceOf(IllegalStateException.class)
          .hasMessageContaining("must not be accessible to every user; run chmod o-rwx")
          .hasMessageContaining("file=" + file + " permissions=" + permissions)
          .hasMessageNotContaining("hush");
    }
    Path link = Files.createSymbolicLink(directory.resolve("link"), directory.resolve("password"));
    assertThatThrownBy(() -> SecretFiles.check(link)).isInstanceOf(IllegalStateException.class);
  }

  @Test
  void theOwnerAndTheGroupMayReadIt() throws Exception {
    for (String permissions : List.of("rw-------", "r--r-----")) {
      assertThat(Secret.inFile(password(permissions)).get()).isEqualTo("hush".toCharArray());
    }
  }

  @Test
  void aFileInAPrivateDirectoryIsAccepted() throws Exception {
    Path inside = Files.createDirectory(directory.resolve("private"));
    permit(inside, "rwx------");
    Path file = Files.writeString(inside.resolve("password"), "hush");
    permit(file, "rw-r--r--");

    assertThat(Secret.inFile(file).get()).isEqualTo("hush".toCharArray());
  }

  @Test
  void anOptionAllowsIt() throws Exception {
    Path file = password("rw-r--r--");
    System.setProperty(SecretFiles.ALLOW, "true");

    assertThat(Secret.inFile(file).get()).isEqualTo("hush".toCharArray());
  }

  @Test
  void aMissingFileIsReportedByItsReader() {
    Path file = directory.resolve("password");

    assertThat(SecretFiles.check(file)).isEqualTo(file);
    assertThatThrownBy(() -> Secret.inFile(file).get())
        .isInstanceOf(IllegalStateException.class)
        .hasMessageContaining("cannot be read");
  }
}
