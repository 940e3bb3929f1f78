package io.ensemble.cli.up;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.ensemble.check.federation.FederationFile;
import io.ensemble.check.process.ExitCode;
import io.ensemble.cli.CliResult;
import java.io.IOException;
import java.net.ConnectException;
import java.net.InetAddress;
import java.net.Socket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** {@code up} where sites cannot be started, stored, or published. */
@Timeout(120)
class UpRefusedIT {

  @TempDir Path directory;

  /** Stands for a directory without write permission, which would not stop the user root. */
  @Test
  void aFileInTheWayOfTheDirectoryIsToldInOneLine() throws IOException {
    Path file = Files.writeString(directory.resolve("file"), "");
    assertRefused(file.resolve("data"), "cannot create a federation in " + file.resolve("data"));
    assertRefused(file, "cannot create a federation in " + file);
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
    assertThat(data.resolve("lyon/0/log/server.log")).isNotEmptyFile(); // This site was up.
  }

  /** A directory has the name under which the next version of the file is written. */
  @Test
  void sitesThatCannotBePublishedAreTakenDownAndTheFileIsFree() throws IOException {
    Path file = directory.resolve("f.json");
    Files.createDirectory(directory.resolve("f.json.new"));

    CliResult ran =
        CliResult.ensemble("up", "--sites", "1", "--nodes", "1", "--federation", file.toString());

    assertThat(ran.code()).isEqualTo(ExitCode.FAILED);
    assertThat(ran.err()).contains("ensemble: cannot write " + file);
    Matcher served = Pattern.compile("Hot Rod on (\\d+)").matcher(ran.err());
    assertThat(served.find()).as(ran.err()).isTrue();
    int port = Integer.parseInt(served.group(1));
    assertThatThrownBy(() -> new Socket(InetAddress.getLoopbackAddress(), port).close())
        .isInstanceOf(ConnectException.class);
    FederationFile.at(file).claim().close();
  }

  private void assertRefused(Path data, String why) {
    Path file = directory.resolve("f.json");

    CliResult ran =
        CliResult.ensemble(
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
