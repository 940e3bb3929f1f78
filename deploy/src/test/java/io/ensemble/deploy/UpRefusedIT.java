package io.ensemble.deploy;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** {@code up --processes --data} where nothing can be kept. */
@Timeout(120)
class UpRefusedIT {

  @TempDir Path directory;

  /** As for a directory without the right to write, which binds no test that runs as root. */
  @Test
  void aFileInTheWayOfTheDirectoryIsToldInOneLine() throws IOException {
    Path file = Files.writeString(directory.resolve("file"), "");
    assertRefused(file.resolve("data"), "cannot keep a federation in " + file.resolve("data"));
    assertRefused(file, "cannot keep a federation in " + file);
  }

  @Test
  void aFileInTheWayOfASiteIsToldInOneLine() throws IOException {
    Path data = Files.createDirectory(directory.resolve("data"));
    Files.writeString(data.resolve("oslo"), "");
    assertRefused(data, data.resolve("oslo").toString());
  }

  @Test
  void aNodeThatCannotBeStartedTakesThoseDownThatWere() throws IOException {
    Path data = directory.resolve("data");
    Files.createDirectories(data.resolve("oslo/0"));
    Files.writeString(data.resolve("oslo/0/conf"), "");
    assertRefused(data, data.resolve("oslo/0/conf").toString());
    assertThat(data.resolve("lyon/0/log/server.log")).isNotEmptyFile(); // That one was up.
  }

  private void assertRefused(Path data, String why) {
    Path file = directory.resolve("f.json");

    Ran ran =
        Ran.ensemble(
            "up",
            "--processes",
            "--sites",
            "2",
            "--nodes",
            "1",
            "--data",
            data.toString(),
            "--federation",
            file.toString());

    assertThat(ran.code()).isEqualTo(ExitCode.FAILED);
    assertThat(ran.out()).isEmpty();
    assertThat(ran.err().lines().filter(line -> !line.startsWith("starting: ")))
        .singleElement()
        .asString()
        .startsWith("ensemble: ")
        .contains(why);
    assertThat(file).doesNotExist();
    assertThat(ProcessHandle.current().children().filter(ProcessHandle::isAlive)).isEmpty();
  }
}
