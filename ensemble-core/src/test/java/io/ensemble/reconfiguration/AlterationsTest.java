package io.ensemble.reconfiguration;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import io.ensemble.CacheDefinition;
import io.ensemble.ChangeInProgressException;
import io.ensemble.EnsembleCacheManager;
import io.ensemble.EnsembleCacheManagerBuilder;
import io.ensemble.Mode;
import io.ensemble.cache.adapter.InMemoryEngine;
import io.ensemble.catalog.StubSite;
import io.ensemble.catalog.definition.InMemoryDefinitions;
import io.ensemble.catalog.definition.StoredDefinition;
import io.ensemble.change.ChangePhase;
import io.ensemble.change.ConfigurationChange;
import io.ensemble.change.ObsoleteStore;
import io.ensemble.change.OwnerLiveness;
import io.ensemble.primary.VoterSet;
import io.ensemble.schedule.ThreadScheduler;
import io.ensemble.site.SiteException;
import io.ensemble.site.SiteException.Reason;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.NoSuchElementException;
import java.util.Optional;
import java.util.TreeSet;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** Changes that are refused or hindered, and what remains of them. */
class AlterationsTest {

  private static final CacheDefinition FROM =
      CacheDefinition.of("s", Mode.MWMR).sites("a", "b").build();
  private static final CacheDefinition TO =
      CacheDefinition.of("s", Mode.MWMR).sites("b", "c").build();

  private final ThreadScheduler scheduler = new ThreadScheduler(2);
  private final InMemoryDefinitions definitions = new InMemoryDefinitions();
  private final List<StubSite> sites =
      List.of(new StubSite("a"), new StubSite("b"), new StubSite("c"));
  private final EnsembleCacheManager manager = manager();

  private EnsembleCacheManager manager() {
    EnsembleCacheManagerBuilder builder =
        EnsembleCacheManager.builder()
            .scheduler(scheduler)
            .definitions(definitions)
            .engine(Mode.MWMR, cache -> new InMemoryEngine(scheduler, scheduler::epochMicros));
    sites.forEach(builder::site);
    return builder.build();
  }

  @AfterEach
  void stop() {
    manager.stop();
    scheduler.close();
  }

  private StoredDefinition stored() {
    return manager.stored("s").orElseThrow();
  }

  private void publish(ChangePhase changePhase) {
    ConfigurationChange change =
        ConfigurationChange.begun(
                TO, Map.of("b", "0000000b", "c", "0000000c"), "other", new TreeSet<>())
            .at(changePhase);
    definitions.replace(stored().with(Optional.of(change)));
  }

  @Test
  void aSiteThatCannotGiveItsStoreLeavesTheCacheAsItWas() {
    manager.createCache(FROM);
    sites.get(2).nextFailures.add(new SiteException("c", Reason.UNSUITABLE, "two nodes"));

    ChangeRun run = manager.alter(TO);

    assertThat(run.done().toCompletableFuture())
        .failsWithin(Duration.ofSeconds(60))
        .withThrowableThat()
        .withMessageContaining("two nodes");
    assertThat(stored().definition()).isEqualTo(FROM);
    assertThat(stored().change()).isEmpty();
    assertThat(sites.get(1).stores).containsOnlyKeys(stored().store("b").orElseThrow());
    assertThat(sites.get(2).stores).isEmpty();
  }

  @Test
  void aNewStoreComesToAnotherNodeWhereTheFirstIsSilent() {
    manager.createCache(FROM);
    StubSite c = sites.get(2);
    c.nodeKeys = List.of("000000c1", "000000c2");
    c.dyingNodes.add("000000c1");

    manager.alter(TO);

    await("another node")
        .atMost(Duration.ofSeconds(60))
        .until(() -> change().incarnations().get("c").endsWith("000000c2"));
    ConfigurationChange change = change();
    assertThat(change.remains()).extracting(ObsoleteStore::site).containsExactly("c");
    assertThat(change.remains().first().store()).endsWith("000000c1");
    assertThat(change.incarnations().get("b")).as("the other store stays").hasSize(8);
  }

  /** Each node is tried once, and then the last one repeatedly, with pauses. */
  @Test
  void whileAllNodesAreSilentTheRecordDoesNotGrow() {
    manager.createCache(FROM);
    StubSite c = sites.get(2);
    c.nodeKeys = List.of("000000c1", "000000c2", "000000c3");
    c.dyingNodes.addAll(c.nodeKeys);

    manager.alter(TO);

    await("tries").atMost(Duration.ofSeconds(60)).until(() -> c.creations.get() >= 8);
    assertThat(change().turn()).isLessThanOrEqualTo(3);
    assertThat(change().remains()).hasSizeLessThanOrEqualTo(2);
    assertThat(sites.get(1).stores).as("its own and the new one").hasSize(2);
  }

  private ConfigurationChange change() {
    return definitions.get("s").toCompletableFuture().join().orElseThrow().change().orElseThrow();
  }

  /** The scheduler and the catalog belong to the test and outlive the manager. */
  @Test
  void whatAStoppedManagerWasSealingIsAnybodysAtOnce() {
    manager.createCache(FROM);
    publish(ChangePhase.SEALING);
    sites.get(2).fails = Reason.UNREACHABLE; // Keeps the change from ending.
    ChangeRun run = manager.resumeChange("s");
    assertThat(change().owner()).isNotEqualTo("other");

    manager.stop();

    assertThat(run.done().toCompletableFuture())
        .failsWithin(Duration.ofSeconds(60))
        .withThrowableThat()
        .withMessageContaining("stopped");
    ConfigurationChange left = change();
    assertThat(left.owner()).isEqualTo(OwnerLiveness.NOBODY);
    assertThat(left.step()).isEqualTo(ChangePhase.SEALING);
    EnsembleCacheManager other = manager();
    try {
      StoredDefinition seen = other.stored("s").orElseThrow();
      assertThat(other.changes().takeOverIfSilent(seen)).isPresent();
      assertThat(change().turn()).isGreaterThan(left.turn());
    } finally {
      other.stop();
    }
  }

  @Test
  void whatCannotBeIsRefusedAtOnce() {
    manager.createCache(FROM);
    StoredDefinition before = stored();

    assertThatThrownBy(
            () -> manager.alter(CacheDefinition.of("s", Mode.MWMR).sites("a", "oslo").build()))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("oslo");
    assertThatThrownBy(() -> manager.alter(CacheDefinition.of("no", Mode.MWMR).sites("a").build()))
        .isInstanceOf(NoSuchElementException.class);
    assertThatThrownBy(() -> manager.resumeChange("s")).isInstanceOf(NoSuchElementException.class);
    assertThat(stored()).isEqualTo(before);
  }

  @Test
  void aCacheWhoseUsersMayNotFollowIsNotChanged() {
    manager.createCache(FROM);
    StoredDefinition now = stored();
    StoredDefinition earlier =
        new StoredDefinition(
            FROM,
            now.birth(),
            1,
            now.roll(),
            now.incarnations(),
            now.revision() + 1,
            Optional.empty(),
            false);
    definitions.replace(earlier);

    assertThatThrownBy(() -> manager.alter(TO))
        .isInstanceOf(UnsupportedOperationException.class)
        .hasMessageContaining("earlier format");
    assertThat(stored()).isEqualTo(earlier);
  }

  @Test
  void aCacheThatGoesOnWithoutASiteIsNotChanged() {
    manager.createCache(FROM);
    StoredDefinition now = stored();
    VoterSet alone = now.roll().succeeded(now.roll().firstTerm(), List.of("b"));
    StoredDefinition without =
        new StoredDefinition(
            FROM,
            now.birth(),
            1,
            alone,
            now.incarnations(),
            now.revision() + 1,
            Optional.empty(),
            true);
    definitions.replace(without);

    assertThatThrownBy(() -> manager.alter(TO))
        .isInstanceOf(IllegalStateException.class)
        .hasMessageContaining("active=[b]");
    assertThat(stored()).isEqualTo(without);
  }

  @Test
  void aChangeIsPacedWhoeverCarriesItOut() {
    manager.createCache(FROM);
    assertThatThrownBy(() -> manager.changes().pace("s", 5))
        .isInstanceOf(NoSuchElementException.class);
    publish(ChangePhase.COPYING);

    manager.changes().pace("s", 5);

    assertThat(stored().change().orElseThrow().rate()).isEqualTo(5);
    assertThat(manager.changes().underWay()).containsExactly(stored());
  }

  @Test
  void anotherChangeThanTheOneUnderWayIsRefused() {
    manager.createCache(FROM);
    publish(ChangePhase.COPYING);
    StoredDefinition before = stored();

    assertThatThrownBy(() -> manager.alter(CacheDefinition.of("s", Mode.WEAK).sites("c").build()))
        .isInstanceOf(ChangeInProgressException.class)
        .hasMessageContaining("sites: [a, b], [b, c]");
    ChangeRun joined = manager.alter(TO);
    assertThat(stored()).isEqualTo(before);

    joined.cancel();
    assertThat(stored().change().orElseThrow().step()).isEqualTo(ChangePhase.ABORTING);
  }

  @Test
  void aSealedCacheIsNeitherRecoveredNorBroughtBack() {
    manager.createCache(FROM);
    publish(ChangePhase.SEALING);
    StoredDefinition before = stored();

    assertThatThrownBy(() -> manager.recoverSite("s", "a", Duration.ofSeconds(5)))
        .isInstanceOf(ChangeInProgressException.class);
    ChangeRun joined = manager.alter(TO);
    assertThatThrownBy(joined::cancel)
        .isInstanceOf(IllegalStateException.class)
        .hasMessageContaining("SEALING");
    assertThat(stored()).isEqualTo(before);
  }
}
