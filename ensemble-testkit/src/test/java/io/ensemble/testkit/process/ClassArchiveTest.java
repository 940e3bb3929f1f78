package io.ensemble.testkit.process;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.FileTime;
import java.time.Instant;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class ClassArchiveTest {

  @TempDir Path directory;

  @Test
  void anArchiveThatIsNewerThanItsJarsIsReadWhateverTheirDirectoryIsCalled() throws IOException {
    ServerLibrary library = library("lib-20261127");
    Files.writeString(library.archive(), "");

    assertThat(new ClassArchive(library).option())
        .contains("-XX:SharedArchiveFile=" + library.archive());
  }

  @Test
  void anArchiveThatIsOlderThanItsJarsIsNotRead() throws IOException {
    ServerLibrary library = library("lib");
    Files.writeString(library.archive(), "");
    Files.setLastModifiedTime(library.directory(), FileTime.from(Instant.now().plusSeconds(60)));

    assertThat(new ClassArchive(library).option())
        .noneMatch(option -> option.startsWith("-XX:SharedArchiveFile"));
  }

  @Test
  void directoriesOfJarsHaveAnArchiveEach() throws IOException {
    assertThat(library("one").archive()).isNotEqualTo(library("two").archive());
  }

  private ServerLibrary library(String name) throws IOException {
    return new ServerLibrary(Files.createDirectories(directory.resolve(name)));
  }
}
