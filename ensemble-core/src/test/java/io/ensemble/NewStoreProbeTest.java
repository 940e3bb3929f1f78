package io.ensemble;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.ensemble.cache.adapter.InMemoryEngine;
import io.ensemble.catalog.StubSite;
import io.ensemble.catalog.definition.InMemoryDefinitions;
import io.ensemble.catalog.definition.StoredDefinition;
import io.ensemble.catalog.site.SiteEntry;
import io.ensemble.change.ChangePhase;
import io.ensemble.change.ConfigurationChange;
import io.ensemble.schedule.ThreadScheduler;
import io.ensemble.site.SiteException.Reason;
import io.ensemble.site.StoreKind;
import io.ensemble.site.hotrod.configuration.Endpoint;
import io.ensemble.site.hotrod.configuration.SiteStorage;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;

/** The new stores of a cache are lost while keys are migrated to them lazily. */
@Timeout(120)
class NewStoreProbeTest {

  private final ThreadScheduler scheduler = new ThreadScheduler(2);
  private final InMemoryDefinitions definitions = new InMemoryDefinitions();
  private final List<StubSite> sites =
      List.of(new StubSite("a"), new StubSite("b"), new StubSite("c"), new StubSite("d"));
  private final EnsembleCacheManager manager = manager(false);

  private EnsembleCacheManager manager(boolean cares) {
    EnsembleCacheManagerBuilder builder =
        EnsembleCacheManager.builder()
            .scheduler(scheduler)
            .definitions(definitions)
            .maintenance(cares)
            .beat(Duration.ofMillis(250))
            .engine(Mode.MWMR, cache -> new InMemoryEngine(scheduler, scheduler::epochMicros));
    sites.forEach(builder::site);
    return builder.build();
  }

  @BeforeEach
  void enter() {
    for (StubSite site : sites) {
      manager
          .membership()
          .add(
              SiteEntry.open(
                  site.name(), List.of(new Endpoint("127.0.0.1", 1)), SiteStorage.MEMORY));
    }
    manager.createCache(CacheDefinition.of("s", Mode.MWMR).sites("a").build());
  }

  @AfterEach
  void stop() {
    manager.stop();
    scheduler.close();
  }

  private StoredDefinition stored(String cache) {
    return manager.stored(cache).orElseThrow();
  }

  /** Stores a change in phase CUTOVER to stores at {@code to}, none of which exist. */
  private void storeCutover(String... to) {
    StoredDefinition now = stored("s");
    TreeMap<String, String> lives = new TreeMap<>();
    for (String site : to) {
      lives.put(site, "0000000" + site);
    }
    ConfigurationChange change =
        ConfigurationChange.begun(now.definition().at(List.of(to)), lives, "dead", new TreeSet<>())
            .at(ChangePhase.CUTOVER);
    definitions.replace(now.with(Optional.of(change)));
  }

  private void hasItsNewStore(StubSite site) {
    site.stores.put(stored("s").served().store(site.name()).orElseThrow(), StoreKind.REPLICA);
  }

  private Set<String> lost() {
    return manager.changes().lostStores(stored("s"));
  }

  @Test
  void sitesThatAnswerWithoutTheirStoresHaveLostThemWhereNoMajorityIsLeft() {
    storeCutover("b", "c", "d");

    assertThat(lost()).containsExactly("b", "c", "d");
    hasItsNewStore(sites.get(1));
    assertThat(lost()).containsExactly("c", "d");
    hasItsNewStore(sites.get(2));
    assertThat(lost()).as("with a majority left").isEmpty();
  }

  @Test
  void aSiteThatIsSilentHasLostNothing() {
    storeCutover("b");
    sites.get(1).fails = Reason.UNREACHABLE;
    assertThat(lost()).isEmpty();
    sites.get(1).fails = Reason.TIMED_OUT;
    assertThat(lost()).isEmpty();
    sites.get(1).fails = null;
    assertThat(lost()).containsExactly("b");
  }

  @Test
  void aRecordThatHasGoneOnHasLostNothing() {
    storeCutover("b");
    StoredDefinition seen = stored("s");

    definitions.replace(seen.switched());

    assertThat(manager.changes().lostStores(seen)).isEmpty();
    assertThat(lost()).isEmpty();
  }

  @Test
  void itCanBeDeleted() {
    storeCutover("b");
    assertThat(lost()).isNotEmpty();

    assertThat(manager.deleteCache("s")).isTrue();

    assertThat(manager.stored("s")).isEmpty();
    assertThat(sites.get(0).stores).as("of the former configuration").isEmpty();
  }

  @Test
  @Execution(ExecutionMode.CONCURRENT)
  void aDrainGoesOnWithOtherCaches() throws Exception {
    manager.createCache(CacheDefinition.of("t", Mode.MWMR).sites("a").build());
    storeCutover("b");
    EnsembleCacheManager caring = manager(true);
    try {
      manager.membership().drain("a");

      await("a change that leaves a")
          .pollInterval(Duration.ofMillis(20))
          .atMost(Duration.ofMinutes(2))
          .until(
              () ->
                  stored("t").change().isPresent()
                      || !stored("t").definition().sites().contains("a"));
    } finally {
      caring.stop();
    }
  }
}
