package io.ensemble.deploy;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assumptions.assumeThat;

import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** The container image, and the Compose file with it, in Podman. */
class ContainerImageIT {

  private static final Path TARGET = Path.of(System.getProperty("ensemble.distribution"));
  private static final Path IMAGES = Path.of(System.getProperty("ensemble.images"));
  private static final Map<String, String> ENVIRONMENT =
      Map.of("PATH", "/usr/sbin:/usr/bin:/sbin:/bin", "HOME", "/root", "LC_ALL", "C.UTF-8");

  @TempDir Path directory;

  @Test
  @Tag("deep")
  @Timeout(3_000)
  void theImageRunsAndTheComposeFileStartsAFederation() throws Exception {
    assumeThat(Path.of("/usr/bin/podman")).exists();
    assumeThat(System.getProperty("user.name")).isEqualTo("root");
    Path session = Path.of("src/test/sh/image-session").toAbsolutePath();
    Path base = TARGET.resolve("images/base.tar");
    assertThat(base).as("made by deploy/images/make-base, as ./long-tests images does").exists();

    ShellResult ran =
        ShellResult.of(
            directory,
            ENVIRONMENT,
            List.of(
                session.toString(),
                TARGET.resolve("images/session").toString(),
                IMAGES.resolve("ensemble-image.tar").normalize().toString(),
                IMAGES.resolve("ensemble-oci-image.tar").normalize().toString(),
                base.toString(),
                IMAGES.resolve("lib").normalize().toString(),
                Path.of(System.getProperty("ensemble.servers")).normalize().toString()));

    System.out.print(ran.out()); // The times of the steps.
    assertThat(ran.succeeded().out())
        .contains(
            "image: runs without a shell",
            "compose: the site returned, and was refilled",
            "compose: Prometheus scrapes the service",
            "compose: ended");
  }
}
