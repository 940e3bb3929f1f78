package io.ensemble.cli.caches;

import static org.assertj.core.api.Assertions.assertThat;

import io.ensemble.CacheDefinition;
import io.ensemble.DistributedDefinition;
import io.ensemble.EnsembleCacheManager;
import io.ensemble.Mode;
import io.ensemble.catalog.definition.FileDefinitions;
import io.ensemble.catalog.definition.StoredDefinition;
import io.ensemble.catalog.definition.StoredPlacement;
import io.ensemble.catalog.site.SiteEntry;
import io.ensemble.check.process.ExitCode;
import io.ensemble.cli.CliResult;
import io.ensemble.placement.PlacementPolicy;
import io.ensemble.site.hotrod.configuration.Endpoint;
import io.ensemble.site.hotrod.configuration.SiteStorage;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** A cache is created again while fewer sites serve. No site answers. */
@Timeout(120)
class RepeatedCreateTest {

  @TempDir Path catalog;
  private FileDefinitions definitions;
  private EnsembleCacheManager manager;

  @BeforeEach
  void enter() {
    definitions = FileDefinitions.in(catalog);
    manager = EnsembleCacheManager.builder().definitions(definitions).build();
    for (String name : List.of("lyon", "oslo", "rome")) {
      manager
          .membership()
          .add(SiteEntry.open(name, List.of(new Endpoint("127.0.0.1", 1)), SiteStorage.MEMORY));
    }
  }

  @AfterEach
  void stop() {
    manager.stop();
  }

  private StoredDefinition create(CacheDefinition wanted) {
    Map<String, String> lives = new TreeMap<>();
    wanted.sites().forEach(site -> lives.put(site, "0000000a"));
    String id = definitions.id().toCompletableFuture().join();
    StoredDefinition stored = StoredDefinition.first(wanted, id + "000000000001", lives);
    definitions.create(stored).toCompletableFuture().join();
    return stored;
  }

  private CliResult run(String command) {
    return CliResult.ensemble(("caches create " + command + " --catalog " + catalog).split(" "));
  }

  @Test
  void aPartComesToNoSiteThatIsBeingDrained() {
    manager.membership().drain("rome");

    CliResult ran = run("d --distributed site:oslo,site:rome");

    assertThat(ran.err())
        .contains("the site is being drained and accepts no further caches; site=rome")
        .doesNotContain("no such site");
    assertThat(ran.code()).isEqualTo(ExitCode.USAGE);
    assertThat(manager.getCacheNames()).isEmpty();
    assertThat(run("d --distributed site:oslo,site:rom").err()).contains("no such site: 'rom'");
  }

  @Test
  void aPartThatIsThereIsFoundWhereverItIs() {
    create(DistributedDefinition.partAt("d", "oslo", Mode.MWMR));
    create(DistributedDefinition.partAt("d", "rome", Mode.MWMR));
    manager.membership().drain("rome");

    for (int times = 0; times < 2; times++) {
      CliResult ran = run("d --distributed site:oslo,site:rome");

      assertThat(ran.err()).isEmpty();
      assertThat(ran.out()).startsWith("created: cache 'd', distributed to ");
    }
  }

  private void place(PlacementPolicy placementPolicy, String... sites) {
    StoredDefinition stored =
        create(CacheDefinition.of(placementPolicy.cache(), Mode.MWMR).sites(sites).build());
    StoredPlacement kept =
        new StoredPlacement(stored.birth(), placementPolicy, List.of(sites), List.of());
    definitions.placements().keep(kept).toCompletableFuture().join();
  }

  @Test
  void theSameWishIsKnownAgainWhicheverSitesServe() {
    place(PlacementPolicy.copies("c", 2).build(), "rome", "oslo");
    manager.membership().drain("rome");
    assertThat(run("c --mode mwmr --replication 2").out())
        .isEqualTo("created: cache 'c', mwmr, at rome,oslo\n");
    manager.membership().drain("oslo");
    assertThat(run("c --mode mwmr --replication 2").out())
        .isEqualTo("created: cache 'c', mwmr, at rome,oslo\n");

    manager.membership().remove("lyon");

    assertThat(run("c --mode mwmr --replication 2").out())
        .isEqualTo("created: cache 'c', mwmr, at rome,oslo\n");
    assertThat(run("new --mode mwmr --replication 3").err())
        .contains("--replication must be in [1,");
  }

  @Test
  void aNamedSiteThatIsBeingDrainedIsNotSaidToBeMissing() {
    manager.membership().drain("rome");

    assertThat(run("c --mode mwmr --sites oslo,rome").err())
        .contains("the site is being drained and accepts no further caches; site=rome");
  }
}
