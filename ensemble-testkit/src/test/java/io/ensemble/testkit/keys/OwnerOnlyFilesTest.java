package io.ensemble.testkit.keys;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class OwnerOnlyFilesTest {

  @TempDir Path directory;

  private static String rights(Path path) throws IOException {
    return PosixFilePermissions.toString(Files.getPosixFilePermissions(path));
  }

  @Test
  void aDirectoryIsMadeForItsOwnerAloneAndThoseAboveAreAsAnyOther() throws IOException {
    OwnerOnlyFiles.entered(directory.resolve("a/b"));

    assertThat(rights(directory.resolve("a/b"))).isEqualTo("rwx------");
    assertThat(rights(directory.resolve("a"))).isNotEqualTo("rwx------");
  }

  @Test
  void oneThatIsThereIsTakenFromOthers() throws IOException {
    Path there = Files.createDirectory(directory.resolve("there"));
    Files.setPosixFilePermissions(there, PosixFilePermissions.fromString("rwxr-xr-x"));

    OwnerOnlyFiles.entered(there);

    assertThat(rights(there)).isEqualTo("rwx------");
  }
}
