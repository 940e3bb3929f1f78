package io.ensemble.testkit;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.ensemble.CacheDefinition;
import io.ensemble.EnsembleCache;
import io.ensemble.EnsembleCacheManager;
import io.ensemble.EnsembleCacheManagerBuilder;
import io.ensemble.Mode;
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
import java.util.HashMap;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Callable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
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
    "docs/siblings.md, SiblingsExample.java, example",
    "docs/listeners.md, ListenExample.java, example"
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

  @Test
  @Timeout(120)
  void theExampleOfListenersKeepsACopyAndResumes(@TempDir Path directory) throws IOException {
    EmbeddedFederation federation = SharedFederation.threeSites();
    EnsembleCacheManagerBuilder builder = EnsembleCacheManager.builder();
    for (int site = 0; site < 3; site++) {
      String name = federation.sites().get(site).name();
      builder.site(SiteConfiguration.builder(name).endpoint(address(federation, site)).build());
    }
    Path saved = directory.resolve("position");
    Map<String, Long> copy = new HashMap<>();
    try (EnsembleCacheManager manager = builder.build()) {
      EnsembleCache<String, Long> stock =
          manager.createCache(
              CacheDefinition.of("followed", Mode.MWMR)
                  .sites("lyon", "oslo", "rome")
                  .deadline(Duration.ofSeconds(20))
                  .build());
      stock.put("bolt", 100L);
      stock.put("nut", 5L);
      followUntil(stock, copy, saved, Map.of("bolt", 100L, "nut", 5L));
      stock.put("screw", 1L);
      followUntil(stock, copy, saved, Map.of("bolt", 100L, "nut", 5L, "screw", 1L));
      Iterator<Runnable> writes =
          List.<Runnable>of(() -> stock.put("bolt", 97L), () -> stock.remove("nut")).iterator();
      ListenExample.follow(
          stock,
          copy,
          saved,
          () -> {
            if (writes.hasNext()) {
              writes.next().run();
            }
            return !copy.equals(Map.of("bolt", 97L, "screw", 1L));
          });
      manager.deleteCache("followed");
    }
  }

  private static void followUntil(
      EnsembleCache<String, Long> stock,
      Map<String, Long> copy,
      Path saved,
      Map<String, Long> wanted)
      throws IOException {
    int[] events = {0};
    ListenExample.follow(
        stock, copy, saved, () -> events[0]++ == 0 || events[0] < 30 && !copy.equals(wanted));
    assertThat(copy).isEqualTo(wanted);
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
