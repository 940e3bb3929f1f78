package io.ensemble;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import io.ensemble.cache.adapter.InMemoryEngine;
import io.ensemble.catalog.StubSite;
import io.ensemble.catalog.definition.StoredDefinition;
import io.ensemble.change.ChangePhase;
import io.ensemble.change.ConfigurationChange;
import io.ensemble.schedule.ThreadScheduler;
import io.ensemble.site.StoreKind;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeSet;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** A site gets a new store while a change of its cache is under way. */
class RecoveryBesideChangeTest {

  private final ThreadScheduler scheduler = new ThreadScheduler(2);
  private final RacingDefinitions definitions = new RacingDefinitions();
  private final List<StubSite> sites =
      List.of(new StubSite("a"), new StubSite("b"), new StubSite("c"));
  private final EnsembleCacheManager manager = manager();
  private final ConfigurationChange change =
      ConfigurationChange.begun(
          CacheDefinition.of("s", Mode.MWMR).sites("b").build(),
          Map.of("b", "0000000e"),
          "somebody",
          new TreeSet<>());

  private EnsembleCacheManager manager() {
    EnsembleCacheManagerBuilder builder =
        EnsembleCacheManager.builder()
            .scheduler(scheduler)
            .definitions(definitions)
            .engine(Mode.MWMR, cache -> new InMemoryEngine(scheduler, scheduler::epochMicros))
            .engine(Mode.SWMR, cache -> new InMemoryEngine(scheduler, scheduler::epochMicros));
    sites.forEach(builder::site);
    return builder.build();
  }

  @BeforeEach
  void create() {
    manager.createCache(CacheDefinition.of("s", Mode.MWMR).sites("a", "b", "c").build());
  }

  @AfterEach
  void stop() {
    manager.stop();
    scheduler.close();
  }

  private StoredDefinition stored() {
    return manager.stored("s").orElseThrow();
  }

  /** Another process puts {@code next} into the record while the site is being filled. */
  private void meanwhile(ConfigurationChange next) {
    StoredDefinition then = stored().with(Optional.of(next));
    definitions.beforeReplace.set(() -> definitions.replace(then));
  }

  @Test
  void aBeatMeanwhileDoesNoHarm() {
    definitions.replace(stored().with(Optional.of(change.at(ChangePhase.COPYING))));
    String lost = stored().store("a").orElseThrow();
    sites.get(0).stores.remove(lost);
    ConfigurationChange beaten = change.at(ChangePhase.COPYING).beaten(7, 9);
    meanwhile(beaten);

    manager.recoverSite("s", "a");

    assertThat(stored().change()).contains(beaten);
    assertThat(stored().store("a").orElseThrow()).isNotEqualTo(lost);
    assertThat(sites.get(0).stores).containsOnlyKeys(stored().store("a").orElseThrow());
  }

  @Test
  void theStoreOfAChangeThatBeganMeanwhileStays() {
    sites.get(0).stores.remove(stored().store("a").orElseThrow());
    ConfigurationChange begun =
        ConfigurationChange.begun(
            CacheDefinition.of("s", Mode.MWMR).sites("a").build(),
            Map.of("a", "0000000e"),
            "somebody",
            new TreeSet<>());
    String lost = stored().storeName("0000000d");
    String made = stored().newStore("0000000e");
    sites.get(0).stores.put(lost, StoreKind.ACCEPTOR);
    sites.get(0).stores.put(made, StoreKind.ACCEPTOR);
    meanwhile(begun);

    manager.recoverSite("s", "a");

    assertThat(stored().change()).contains(begun);
    assertThat(sites.get(0).stores)
        .as("not what an earlier try left")
        .containsOnlyKeys(made, stored().store("a").orElseThrow());
  }

  @Test
  void whatHasBegunToSealGetsNoStore() {
    definitions.replace(stored().with(Optional.of(change)));
    sites.get(0).stores.clear();
    meanwhile(change.at(ChangePhase.SEALING));

    assertThatExceptionOfType(ChangeInProgressException.class)
        .isThrownBy(() -> manager.recoverSite("s", "a"));

    assertThat(sites.get(0).stores).isEmpty();
  }

  /** The change ends the voter set that it began with; a new store would begin another one. */
  @Test
  void noStoreOfTwoSitesIsReplacedBesideAChangeThatCopies() {
    CacheDefinition two = CacheDefinition.of("t", Mode.SWMR).sites("a", "b").build();
    manager.createCache(two);
    StoredDefinition before = manager.stored("t").orElseThrow();
    ConfigurationChange copying =
        ConfigurationChange.begun(
                CacheDefinition.of("t", Mode.SWMR).sites("a", "c").build(),
                Map.of("a", "0000000e", "c", "0000000f"),
                "somebody",
                new TreeSet<>())
            .at(ChangePhase.COPYING);
    definitions.replace(before.with(Optional.of(copying)));
    sites.get(0).stores.remove(before.store("a").orElseThrow());

    assertThatExceptionOfType(ChangeInProgressException.class)
        .isThrownBy(() -> manager.recoverSite("t", "a"));

    assertThat(manager.stored("t").orElseThrow().incarnations()).isEqualTo(before.incarnations());
  }
}
