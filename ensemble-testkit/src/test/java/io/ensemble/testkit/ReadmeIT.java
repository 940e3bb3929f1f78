package io.ensemble.testkit;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.ensemble.EnsembleCacheManager;
import io.ensemble.QuorumUnavailableException;
import io.ensemble.site.hotrod.configuration.SiteConfiguration;
import io.ensemble.testkit.embedded.EmbeddedFederation;
import io.ensemble.testkit.embedded.EmbeddedSecurity;
import io.ensemble.testkit.embedded.PasswordOverTls;
import io.ensemble.testkit.embedded.SharedFederation;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.Callable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** The examples in the documents are code that compiles and has the effects that they state. */
final class ReadmeIT {

  private static final Path HERE = Path.of("../ensemble-testkit/src/test/java/io/ensemble/testkit");

  @ParameterizedTest
  @CsvSource({
    "README.md, ReadmeExample.java, readme",
    "docs/security.md, SecuredExample.java, example",
    "docs/siblings.md, SiblingsExample.java, example"
  })
  void theDocumentShowsTheExampleThatIsCompiled(String document, String file, String mark)
      throws IOException {
    List<String> lines = Files.readAllLines(HERE.resolve(file));
    int begin = lines.indexOf("    // " + mark + ":begin");
    int end = lines.indexOf("    // " + mark + ":end");
    String example = String.join("\n", lines.subList(begin + 1, end)).stripIndent();

    assertThat(Files.readString(Path.of("..", document))).contains("```java\n" + example + "\n```");
  }

  @Test
  void theSecuredExampleDoesWhatItSays(@TempDir Path directory) throws IOException {
    PasswordOverTls security = EmbeddedSecurity.passwordOverTls("ada", "hush", directory);
    Files.writeString(directory.resolve("ada.password"), "hush\n");
    Files.move(security.trustStore(), directory.resolve("lyon-trust.p12"));
    Files.writeString(directory.resolve("lyon-trust.password"), security.trustStorePassword());
    EmbeddedFederation.Options options =
        EmbeddedFederation.Options.defaults()
            .withSiteNames("lyon")
            .withNodesPerSite(1)
            .withSecurity(security);
    try (EmbeddedFederation federation = EmbeddedFederation.start(options)) {
      Path definitions = directory.resolve("definitions");

      assertThat(inTime(() -> SecuredExample.run(address(federation, 0), directory, definitions)))
          .isEqualTo("hello");
    }
  }

  @Test
  void exampleDoesWhatItSays() {
    EmbeddedFederation federation = SharedFederation.threeSites();

    assertThat(
            inTime(
                () ->
                    ReadmeExample.run(
                        address(federation, 0), address(federation, 1), address(federation, 2))))
        .isEqualTo(97);
  }

  @Test
  void theExampleOfSiblingsDoesWhatItSays() {
    EmbeddedFederation federation = SharedFederation.threeSites();
    try (EnsembleCacheManager manager =
        EnsembleCacheManager.builder()
            .site(SiteConfiguration.builder("lyon").endpoint(address(federation, 0)).build())
            .site(SiteConfiguration.builder("oslo").endpoint(address(federation, 1)).build())
            .build()) {
      assertThat(SiblingsExample.run(manager)).containsExactly("tea and bread", "tea and bread");
    }
  }

  /**
   * Runs an example again while sites that have just started do not answer within the deadline of a
   * call. It has the same effect when it is repeated.
   */
  private static <T> T inTime(Callable<T> example) {
    return await("an answer within the deadline")
        .atMost(Duration.ofMinutes(2))
        .pollInSameThread()
        .ignoreExceptionsInstanceOf(QuorumUnavailableException.class)
        .until(example, answer -> true);
  }

  private static String address(EmbeddedFederation federation, int site) {
    var at = federation.sites().get(site).endpoints().get(0);
    return at.getHostString() + ":" + at.getPort();
  }
}
