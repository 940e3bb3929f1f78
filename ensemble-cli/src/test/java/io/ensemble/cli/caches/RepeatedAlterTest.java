package io.ensemble.cli.caches;

import static java.util.concurrent.TimeUnit.MILLISECONDS;
import static java.util.concurrent.TimeUnit.MINUTES;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.ensemble.CacheDefinition;
import io.ensemble.EnsembleCacheManager;
import io.ensemble.Mode;
import io.ensemble.Privacy;
import io.ensemble.catalog.definition.FileDefinitions;
import io.ensemble.catalog.definition.StoredDefinition;
import io.ensemble.catalog.site.SiteEntry;
import io.ensemble.change.ChangePhase;
import io.ensemble.change.ConfigurationChange;
import io.ensemble.cli.CliResult;
import io.ensemble.cli.migrations.ChangeWait;
import io.ensemble.site.hotrod.configuration.Endpoint;
import io.ensemble.site.hotrod.configuration.SiteStorage;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeSet;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** A cache is altered to what it already is while obsolete stores remain. No site answers. */
@Timeout(180)
class RepeatedAlterTest {

  @TempDir Path directory;
  private Path catalog;
  private FileDefinitions definitions;
  private StoredDefinition changing;

  @BeforeEach
  void begin() {
    catalog = directory.resolve("catalog");
    definitions = FileDefinitions.in(catalog);
    for (String site : List.of("a", "b")) {
      List<Endpoint> nobody = List.of(new Endpoint("127.0.0.1", 1));
      definitions
          .sites()
          .create(SiteEntry.open(site, nobody, SiteStorage.MEMORY))
          .toCompletableFuture()
          .join();
    }
    CacheDefinition at = CacheDefinition.of("s", Mode.MWMR).sites("a", "b").build();
    String birth = definitions.id().toCompletableFuture().join() + "000000000001";
    StoredDefinition first =
        StoredDefinition.first(at, birth, Map.of("a", "0000000a", "b", "0000000b"));
    definitions.create(first).toCompletableFuture().join();
    ConfigurationChange begun =
        ConfigurationChange.begun(
            at.at(List.of("a")), Map.of("a", "0000000c"), "dead", new TreeSet<>());
    changing = first.with(Optional.of(begun));
    replace(changing);
  }

  /** A write that a closed manager has left fails then, and does not keep the directory. */
  @AfterEach
  void moveCatalogAway() throws IOException {
    Files.move(catalog, directory.resolve("former"));
  }

  private void replace(StoredDefinition next) {
    assertThat(definitions.replace(next).toCompletableFuture().join()).isTrue();
  }

  @Test
  void aChangeThatIsClosingIsNotCancelled() {
    replace(changing.switched());

    CliResult ran =
        CliResult.ensemble("caches", "alter", "s", "--sites", "a", "--catalog", catalog.toString());

    assertThat(ran.out()).startsWith("altered: cache 's' is mwmr at a, configuration 2");
    assertThat(ran.err()).contains("could not be removed", "a s.1.", "b s.1.");
    assertThat(ran.code()).isZero();
  }

  @Test
  void aSiteForWhichAChangeWaitsIsNamed() {
    try (EnsembleCacheManager manager =
        EnsembleCacheManager.builder().definitions(definitions).build()) {
      manager.changes().resume("s");
      String shown =
          await("a site is named that does not answer")
              .atMost(2, MINUTES)
              .pollInterval(50, MILLISECONDS)
              .until(
                  () -> ChangeWait.state(manager, "s", ""),
                  state -> state.contains("does not answer"));
      assertThat(shown).isEqualTo("preparing; does not answer: a");
    }
  }

  @Test
  void aPrivateCacheStaysPrivate() {
    CacheDefinition hidden =
        CacheDefinition.of("p", Mode.MWMR).sites("a", "b").privacy(Privacy.VALUES).build();
    String birth = definitions.id().toCompletableFuture().join() + "000000000002";
    definitions
        .create(StoredDefinition.first(hidden, birth, Map.of("a", "0000000d", "b", "0000000e")))
        .toCompletableFuture()
        .join();

    CliResult ran =
        CliResult.ensemble(
            "caches", "alter", "p", "--sites", "a,b", "--catalog", catalog.toString());

    assertThat(ran.out()).startsWith("unchanged: cache 'p'");
    assertThat(ran.code()).isZero();
  }

  @Test
  void theDefinitionIsUnchangedAfterACancelledChange() {
    ConfigurationChange given =
        changing.change().orElseThrow().ending(ChangePhase.ABORTING, changing.newStores());
    replace(changing.with(Optional.of(given)));

    CliResult ran =
        CliResult.ensemble(
            "caches", "alter", "s", "--sites", "a,b", "--catalog", catalog.toString());

    assertThat(ran.out()).startsWith("unchanged: cache 's' is mwmr at a,b, configuration 1");
    assertThat(ran.err()).contains("could not be removed", "a s.2.");
    assertThat(ran.code()).isZero();
  }
}
