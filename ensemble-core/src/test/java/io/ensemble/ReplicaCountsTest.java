package io.ensemble;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import io.ensemble.cache.adapter.InMemoryEngine;
import io.ensemble.catalog.StubSite;
import io.ensemble.catalog.definition.CacheExistsException;
import io.ensemble.catalog.definition.InMemoryDefinitions;
import io.ensemble.catalog.definition.StoredDefinition;
import io.ensemble.schedule.ThreadScheduler;
import io.ensemble.site.SiteException;
import io.ensemble.site.SiteException.Reason;
import java.time.Duration;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** The number of replicas of a cache at few sites, and their nodes. */
class ReplicaCountsTest {

  private final ThreadScheduler scheduler = new ThreadScheduler(2);
  private final StubSite lyon = new StubSite("lyon");
  private final StubSite oslo = new StubSite("oslo");
  private final EnsembleCacheManager manager =
      EnsembleCacheManager.builder()
          .scheduler(scheduler)
          .definitions(new InMemoryDefinitions())
          .refilling(false)
          .engine(Mode.MWMR, cache -> new InMemoryEngine(scheduler, scheduler::epochMicros))
          .engine(Mode.SWMR, cache -> new InMemoryEngine(scheduler, scheduler::epochMicros))
          .site(lyon)
          .site(oslo)
          .build();

  @AfterEach
  void stop() {
    manager.stop();
    scheduler.close();
  }

  private List<String> created(Mode mode, String... sites) {
    manager.createCache(CacheDefinition.of("stock", mode).sites(sites).build());
    return stored().definition().sites();
  }

  private StoredDefinition stored() {
    return manager.stored("stock").orElseThrow();
  }

  private static void nodes(StubSite site, String... keys) {
    site.nodeCount = keys.length;
    site.nodeKeys = List.of(keys);
  }

  @Test
  void aCacheAtOneSiteHasAReplicaOnEachOfThreeNodes() {
    nodes(lyon, "000000aa", "000000bb", "000000cc", "000000dd");

    for (Mode mode : List.of(Mode.MWMR, Mode.SWMR)) {
      assertThat(created(mode, "lyon")).containsExactly("lyon/1", "lyon/2", "lyon/3");
      assertThat(nodesOfStores()).hasSize(3);
      assertThat(lyon.stores).as("no store of the count is left").hasSize(3);
      manager.deleteCache("stock");
    }
  }

  private Set<String> nodesOfStores() {
    Set<String> nodes = new HashSet<>();
    stored().incarnations().values().forEach(life -> nodes.add(life.substring(8)));
    return nodes;
  }

  @Test
  void aSiteOfOneNodeHoldsOne() {
    assertThat(created(Mode.MWMR, "lyon")).containsExactly("lyon");
  }

  @Test
  void aCacheAtTwoSitesHasTwoReplicasAtEach() {
    nodes(lyon, "000000aa", "000000bb", "000000cc");

    assertThat(created(Mode.MWMR, "lyon", "oslo")).containsExactly("lyon/1", "lyon/2", "oslo");

    manager.deleteCache("stock");
    nodes(oslo, "000000ee", "000000ff");
    assertThat(created(Mode.MWMR, "lyon", "oslo"))
        .containsExactly("lyon/1", "lyon/2", "oslo/1", "oslo/2");
  }

  @Test
  void anSwmrCacheAtTwoSitesGoesOnAtOneByCommandAndKeepsOneStoreAtEach() {
    nodes(lyon, "000000aa", "000000bb", "000000cc");

    assertThat(created(Mode.SWMR, "lyon", "oslo")).containsExactly("lyon", "oslo");
  }

  @Test
  void aSiteOfTwoNodesAloneIsRefused() {
    nodes(lyon, "000000aa", "000000bb");

    assertThatExceptionOfType(SiteException.class)
        .isThrownBy(() -> created(Mode.MWMR, "lyon"))
        .satisfies(why -> assertThat(why.reason()).isEqualTo(Reason.UNSUITABLE))
        .withMessageContaining("3 nodes or more, or of exactly 1")
        .withMessageContaining("cache=stock");
    assertThat(manager.stored("stock")).isEmpty();
  }

  @Test
  void itIsFoundAgainByTheSameSettingsWhateverNodesThereAreByNow() {
    nodes(lyon, "000000aa", "000000bb", "000000cc");
    created(Mode.MWMR, "lyon");
    String birth = stored().birth();
    nodes(lyon, "000000aa");

    assertThat(created(Mode.MWMR, "lyon")).hasSize(3);
    assertThat(stored().birth()).isEqualTo(birth);
    assertThatExceptionOfType(CacheExistsException.class)
        .isThrownBy(() -> created(Mode.MWMR, "lyon", "oslo"));
    assertThatExceptionOfType(CacheExistsException.class)
        .isThrownBy(
            () ->
                manager.createCache(
                    CacheDefinition.of("stock", Mode.MWMR).sites("lyon").replicas(5).build()));
  }

  @Test
  void moreReplicasThanNodesAreRefused() {
    nodes(lyon, "000000aa", "000000bb", "000000cc");

    assertThatExceptionOfType(SiteException.class)
        .isThrownBy(
            () ->
                manager.createCache(
                    CacheDefinition.of("stock", Mode.MWMR).sites("lyon").replicas(5).build()))
        .satisfies(why -> assertThat(why.reason()).isEqualTo(Reason.UNSUITABLE))
        .withMessageContaining("a node of its own");
    assertThat(lyon.stores).isEmpty();
  }

  @Test
  void deletingRemovesTheStoresOfAllReplicas() {
    nodes(lyon, "000000aa", "000000bb", "000000cc");
    created(Mode.MWMR, "lyon");

    manager.deleteCache("stock");

    assertThat(lyon.stores).isEmpty();
  }

  @Test
  void recoveringOneReplicaLeavesTheStoresOfTheOthers() {
    nodes(lyon, "000000aa", "000000bb", "000000cc");
    created(Mode.MWMR, "lyon");
    StoredDefinition before = stored();
    lyon.stores.remove(before.store("lyon/2").orElseThrow());

    manager.recoverSite("stock", "lyon");

    StoredDefinition after = stored();
    assertThat(after.store("lyon/1")).isEqualTo(before.store("lyon/1"));
    assertThat(after.store("lyon/3")).isEqualTo(before.store("lyon/3"));
    assertThat(after.store("lyon/2")).isNotEqualTo(before.store("lyon/2"));
    assertThat(nodesOfStores()).hasSize(3);
    assertThat(lyon.stores)
        .containsOnlyKeys(
            after.store("lyon/1").orElseThrow(),
            after.store("lyon/2").orElseThrow(),
            after.store("lyon/3").orElseThrow());
  }

  /** A node that does not answer is no reason to discard the stores of other nodes. */
  @Test
  void onlyAStoreThatDoesNotAnswerIsDiscarded() {
    nodes(lyon, "000000aa", "000000bb", "000000cc", "000000dd");
    created(Mode.MWMR, "lyon");
    StoredDefinition before = stored();
    lyon.silentNodes.add("000000bb");

    manager.recoverSite("stock", "lyon", Duration.ofSeconds(2), FormerStorePolicy.DISCARD);

    StoredDefinition after = stored();
    assertThat(after.store("lyon/1")).isEqualTo(before.store("lyon/1"));
    assertThat(after.store("lyon/3")).isEqualTo(before.store("lyon/3"));
    assertThat(after.store("lyon/2").orElseThrow()).endsWith("000000dd");
  }

  @Test
  void oneReplicaThatCannotBeRecoveredKeepsNoOtherFromIt() {
    nodes(lyon, "000000aa", "000000bb", "000000cc");
    created(Mode.MWMR, "lyon");
    StoredDefinition before = stored();
    lyon.silentNodes.add("000000aa");
    lyon.stores.remove(before.store("lyon/3").orElseThrow());

    assertThatExceptionOfType(SiteException.class)
        .isThrownBy(() -> manager.recoverSite("stock", "lyon", Duration.ofSeconds(1)))
        .satisfies(why -> assertThat(why.site()).isEqualTo("lyon/1"));

    assertThat(stored().store("lyon/3")).isNotEqualTo(before.store("lyon/3"));
    assertThat(stored().store("lyon/1")).isEqualTo(before.store("lyon/1"));
  }

  @Test
  void aSiteWhoseReplicasAreAllThereIsIntact() {
    nodes(lyon, "000000aa", "000000bb", "000000cc");
    created(Mode.MWMR, "lyon");

    assertThatExceptionOfType(StoreIntactException.class)
        .isThrownBy(() -> manager.recoverSite("stock", "lyon"));
  }
}
