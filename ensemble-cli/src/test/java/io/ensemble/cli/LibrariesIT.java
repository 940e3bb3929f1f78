package io.ensemble.cli;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.jar.Attributes;
import java.util.jar.JarFile;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** The launcher's class paths name each jar exactly once, and all jars exist. */
class LibrariesIT {
  private static final Path TARGET = target();

  @ParameterizedTest
  @CsvSource({"lib/ensemble-cli.jar, picocli", "SERVERS/ensemble-site-process.jar, infinispan"})
  void aManifestNamesEveryJarThatIsNeeded(String jar, String needed) throws IOException {
    Path servers = Path.of(System.getProperty("ensemble.servers"));
    Path own =
        jar.startsWith("SERVERS")
            ? servers.resolve(jar.substring(jar.indexOf('/') + 1))
            : TARGET.resolve(jar);

    List<String> named;
    try (JarFile opened = new JarFile(own.toFile())) {
      named =
          Arrays.asList(
              opened
                  .getManifest()
                  .getMainAttributes()
                  .getValue(Attributes.Name.CLASS_PATH)
                  .split(" ", -1));
    }

    assertThat(named).doesNotHaveDuplicates().anyMatch(name -> name.startsWith(needed));
    assertThat(named).allMatch(name -> own.resolveSibling(name).toFile().isFile());
  }

  /** The directory of this module's jar; its classes are in that directory or in one below it. */
  private static Path target() {
    try {
      return Path.of(Main.class.getProtectionDomain().getCodeSource().getLocation().toURI())
          .getParent();
    } catch (java.net.URISyntaxException e) {
      throw new AssertionError(e);
    }
  }
}
