package io.ensemble.deploy;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assumptions.assumeThat;

import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** The Debian package, by Debian's tools. */
class DebianPackageIT {

  private static final Path TARGET = Path.of(System.getProperty("ensemble.distribution"));
  private static final Map<String, String> ENVIRONMENT =
      Map.of("PATH", "/usr/sbin:/usr/bin:/sbin:/bin", "LC_ALL", "C.UTF-8");

  @TempDir Path directory;

  @Test
  void thePackageHasItsFieldsFilesAndConfiguration() throws Exception {
    assumeThat(Path.of("/usr/bin/dpkg-deb")).exists();
    String deb = deb().toString();

    String fields = dpkgDeb("--field", deb);
    String files = dpkgDeb("--contents", deb);
    String configuration = dpkgDeb("--info", deb, "conffiles");

    assertThat(fields)
        .contains("Package: ensemble\n", "Architecture: all\n", "java17-runtime-headless");
    assertThat(configuration.lines())
        .containsExactlyInAnyOrder(
            "/etc/ensemble/maintenance.conf",
            "/etc/ensemble/rest.conf",
            "/etc/ensemble/zoofence.conf");
    assertThat(files.lines())
        .as("owner of every file")
        .allMatch(line -> line.contains(" root/root "))
        .anyMatch(line -> line.endsWith("/usr/bin/ensemble -> ../share/ensemble/bin/ensemble"))
        .anyMatch(line -> line.matches("-rwxr-xr-x .*/usr/share/ensemble/bin/ensemble"))
        .anyMatch(line -> line.matches("-rwxr-xr-x .*/usr/share/ensemble/lib/start-service"))
        .anyMatch(line -> line.matches("-rw-r--r-- .*/usr/share/man/man1/ensemble-rest.1.gz"))
        .anyMatch(line -> line.matches("-rw-r--r-- .*/systemd/system/ensemble-zoofence.service"));
    assertThat(files.lines().map(line -> line.replaceAll(".* \\./", "")))
        .as("no file twice")
        .doesNotHaveDuplicates();
  }

  @Test
  @Tag("deep")
  @Timeout(3_000)
  void thePackageIsInstalledRunUpgradedRemovedAndPurged() throws Exception {
    assumeThat(Path.of("/usr/sbin/debootstrap")).exists();
    assumeThat(System.getProperty("user.name")).isEqualTo("root");
    Path session = Path.of("src/test/sh/package-session").toAbsolutePath();
    Path base = TARGET.resolve("debian-base");

    ShellResult ran =
        ShellResult.of(
            directory, ENVIRONMENT, List.of(session.toString(), base.toString(), deb().toString()));

    assertThat(ran.succeeded().out())
        .contains("purged: nothing is left")
        .containsAnyOf("systemd: the services end in order", "skipped: the units under systemd");
  }

  private static Path deb() {
    String version = System.getProperty("ensemble.version").replace('-', '~');
    return TARGET.resolve("ensemble_" + version + "_all.deb");
  }

  private String dpkgDeb(String... arguments) throws IOException, InterruptedException {
    List<String> command =
        Stream.concat(Stream.of("/usr/bin/dpkg-deb"), Stream.of(arguments)).toList();
    return ShellResult.of(directory, ENVIRONMENT, command).succeeded().out();
  }
}
