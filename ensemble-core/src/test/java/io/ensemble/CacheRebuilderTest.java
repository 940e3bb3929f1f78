package io.ensemble;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.awaitility.Awaitility.await;

import io.ensemble.cache.face.InMemoryEngine;
import io.ensemble.catalog.FakeSite;
import io.ensemble.catalog.InMemoryDefinitions;
import io.ensemble.catalog.StoredDefinition;
import io.ensemble.schedule.ThreadScheduler;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;

/** When a process begins to rebuild a cache; that a rebuild ends is tested with real sites. */
@Execution(ExecutionMode.CONCURRENT)
@Timeout(120)
class CacheRebuilderTest {

  private static final Duration BEAT = Duration.ofMillis(50);
  private static final String TWO = "000000bb";
  private static final List<String> THREE_NODES = List.of("000000aa", TWO, "000000cc");
  private static final List<String> FOUR_NODES = List.of("000000aa", TWO, "000000cc", "000000dd");

  private final ThreadScheduler scheduler = new ThreadScheduler(2);
  private final InMemoryDefinitions definitions = new InMemoryDefinitions();
  private final FakeSite lyon = new FakeSite("lyon");
  private final List<EnsembleCacheManager> managers = new ArrayList<>();

  private EnsembleCacheManagerBuilder builder(Duration rebuildAfter) {
    return EnsembleCacheManager.builder()
        .scheduler(scheduler)
        .definitions(definitions)
        .beat(BEAT)
        .rebuildAfter(rebuildAfter)
        .engine(Mode.MWMR, cache -> new InMemoryEngine(scheduler, scheduler::epochMicros))
        .site(lyon);
  }

  /** Has a cache at the nodes, of which one falls silent. */
  private EnsembleCacheManager withANodeAway(
      EnsembleCacheManagerBuilder builder, List<String> nodes) {
    EnsembleCacheManager manager = builder.build();
    managers.add(manager);
    lyon.nodeKeys = nodes;
    lyon.nodeCount = nodes.size();
    manager.createCache(CacheDefinition.of("s", Mode.MWMR).sites("lyon").build());
    lyon.silentNodes.add(TWO);
    await("the node is found away")
        .atMost(Duration.ofMinutes(1))
        .until(() -> manager.redundancy("s").filter(now -> !now.missing().isEmpty()).isPresent());
    return manager;
  }

  private void looksGoOn() {
    int opens = lyon.opens.get();
    await("some looks").atMost(Duration.ofMinutes(1)).until(() -> lyon.opens.get() >= opens + 30);
  }

  private StoredDefinition record() {
    return definitions.get("s").toCompletableFuture().join().orElseThrow();
  }

  @AfterEach
  void stop() {
    managers.forEach(EnsembleCacheManager::stop);
    scheduler.close();
  }

  @Test
  void aCacheComesOffANodeThatStaysAway() {
    withANodeAway(builder(Duration.ofMillis(300)), FOUR_NODES);

    await("a change").atMost(Duration.ofMinutes(1)).until(() -> record().change().isPresent());

    assertThat(record().change().orElseThrow().to()).isEqualTo(record().definition());
    assertThat(record().change().orElseThrow().incarnations().values())
        .hasSize(3)
        .noneMatch(life -> life.endsWith(TWO));
  }

  @Test
  void itStaysWhereTooFewNodesAnswerForItsReplicas() {
    withANodeAway(builder(Duration.ofMillis(300)), THREE_NODES);

    looksGoOn();

    assertThat(record().change()).isEmpty();
  }

  @Test
  void itStaysUntilTheTimeIsOver() {
    withANodeAway(builder(Duration.ofHours(1)), FOUR_NODES);

    looksGoOn();

    assertThat(record().change()).isEmpty();
  }

  @Test
  void itStaysWhereNobodyRebuilds() {
    withANodeAway(builder(Duration.ZERO), FOUR_NODES);
    withANodeAwayToo(builder(Duration.ofMillis(300)).refilling(false));

    looksGoOn();

    assertThat(record().change()).isEmpty();
  }

  /** Another process, which opens the cache. */
  private void withANodeAwayToo(EnsembleCacheManagerBuilder builder) {
    EnsembleCacheManager other = builder.build();
    managers.add(other);
    other.getCache("s");
  }

  @Test
  void aTimeBelowNothingIsRefused() {
    assertThatIllegalArgumentException()
        .isThrownBy(() -> builder(Duration.ofMillis(-1)))
        .withMessageContaining("rebuildAfter=PT-0.001S");
  }
}
