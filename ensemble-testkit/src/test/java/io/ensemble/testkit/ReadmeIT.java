package io.ensemble.testkit;

import static org.assertj.core.api.Assertions.assertThat;

import io.ensemble.testkit.embedded.EmbeddedFederation;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;

/** The README's example is code that compiles and does what it says. */
final class ReadmeIT {

  private static final Path EXAMPLE =
      Path.of("src/test/java/io/ensemble/testkit/ReadmeExample.java");

  @Test
  void readmeShowsTheExampleThatIsCompiled() throws IOException {
    List<String> lines = Files.readAllLines(EXAMPLE);
    int begin = lines.indexOf("    // readme:begin");
    int end = lines.indexOf("    // readme:end");
    String example = String.join("\n", lines.subList(begin + 1, end)).stripIndent();

    assertThat(Files.readString(Path.of("../README.md"))).contains("```java\n" + example + "\n```");
  }

  @Test
  void exampleDoesWhatItSays() {
    EmbeddedFederation.Options options =
        EmbeddedFederation.Options.defaults()
            .withSiteNames("lyon", "oslo", "rome")
            .withNodesPerSite(1);
    try (EmbeddedFederation federation = EmbeddedFederation.start(options)) {
      List<String> addresses =
          federation.sites().stream()
              .map(site -> site.endpoints().get(0))
              .map(at -> at.getHostString() + ":" + at.getPort())
              .toList();

      assertThat(ReadmeExample.run(addresses.get(0), addresses.get(1), addresses.get(2)))
          .isEqualTo(97);
    }
  }
}
