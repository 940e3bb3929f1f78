package io.ensemble.testkit.change;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.ensemble.Acknowledgement;
import io.ensemble.CacheDefinition;
import io.ensemble.ChangeInProgressException;
import io.ensemble.EnsembleCache;
import io.ensemble.EnsembleCacheManager;
import io.ensemble.Mode;
import io.ensemble.QuorumUnavailableException;
import io.ensemble.UnknownOutcomeException;
import io.ensemble.catalog.definition.InMemoryDefinitions;
import io.ensemble.catalog.definition.StoredDefinition;
import io.ensemble.change.ChangePhase;
import io.ensemble.reconfiguration.ChangeRun;
import io.ensemble.testkit.embedded.EmbeddedFederation;
import io.ensemble.testkit.embedded.SharedFederation;
import io.ensemble.testkit.site.EmbeddedSiteConfigurations;
import java.time.Duration;
import java.util.HashMap;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

/** A cache on real sites is altered while two applications use it. */
class AlterIT {

  private static final int ENTRIES = 500;

  private static final InMemoryDefinitions DEFINITIONS = new InMemoryDefinitions();
  private static EmbeddedFederation federation;
  private static EnsembleCacheManager operator;
  private static EnsembleCacheManager user;

  @BeforeAll
  static void start() {
    federation = SharedFederation.threeSites();
    operator = manager();
    user = manager();
  }

  @AfterAll
  static void stop() {
    operator.getCacheNames().forEach(operator::deleteCache);
    operator.stop();
    user.stop();
  }

  private static EnsembleCacheManager manager() {
    return EmbeddedSiteConfigurations.manager(federation).definitions(DEFINITIONS).build();
  }

  @Test
  void weakAtTwoSitesBecomesStrongThenHasAWriterAndMovesOnUnderLoad() throws Exception {
    EnsembleCache<String, Integer> here =
        operator.createCache(
            CacheDefinition.of("orders", Mode.WEAK)
                .sites("lyon", "oslo")
                .acknowledgement(Acknowledgement.MAJORITY)
                .deadline(Duration.ofSeconds(30))
                .build());
    for (int i = 0; i < ENTRIES; i++) {
      here.put("old" + i, i);
    }
    here.remove("old0");
    EnsembleCache<String, Integer> there = user.getCache("orders");
    AtomicBoolean over = new AtomicBoolean();
    CompletableFuture<Map<String, Integer>> acknowledged =
        CompletableFuture.supplyAsync(() -> load(there, over), AlterIT::beside);

    CacheDefinition strong =
        CacheDefinition.of("orders", Mode.MWMR)
            .sites("lyon", "oslo", "rome")
            .deadline(Duration.ofSeconds(30))
            .build();
    ChangeRun run = operator.alter(strong);
    CacheDefinition other = CacheDefinition.of("orders", Mode.MWMR).sites("rome").build();
    assertThatThrownBy(() -> user.alter(other)).isInstanceOf(ChangeInProgressException.class);
    StoredDefinition stored = run.done().toCompletableFuture().get(120, TimeUnit.SECONDS);

    assertThat(stored.definition()).isEqualTo(strong);
    assertThat(stored.change()).isEmpty();
    CacheDefinition single =
        CacheDefinition.of("orders", Mode.SWMR)
            .sites("oslo", "rome", "lyon")
            .deadline(Duration.ofSeconds(30))
            .build();
    operator.alter(single).done().toCompletableFuture().get(120, TimeUnit.SECONDS);
    assertThat(operator.primaryTerm("orders").primary()).isEqualTo("oslo");
    CacheDefinition two =
        CacheDefinition.of("orders", Mode.MWMR)
            .sites("rome", "oslo")
            .deadline(Duration.ofSeconds(30))
            .build();
    operator.alter(two).done().toCompletableFuture().get(120, TimeUnit.SECONDS);
    over.set(true);
    Map<String, Integer> written = acknowledged.get(60, TimeUnit.SECONDS);
    assertThat(written).isNotEmpty();
    assertThat(here.getAll(written.keySet())).isEqualTo(written);
    assertThat(there.definition()).isEqualTo(two);
    assertThat(here.get("old0")).isNull();
    for (int i = 1; i < ENTRIES; i++) {
      assertThat(there.get("old" + i)).isEqualTo(i);
    }
    assertThat(here.putIfAbsent("old1", 7)).isEqualTo(1);
    assertThat(here.size()).isEqualTo(ENTRIES - 1 + written.size());
  }

  /**
   * The last acknowledged value of each key; only this thread writes these keys. A write that was
   * refused or is of unknown outcome is repeated until it is acknowledged.
   */
  private static Map<String, Integer> load(
      EnsembleCache<String, Integer> cache, AtomicBoolean over) {
    Map<String, Integer> acknowledged = new HashMap<>();
    for (int i = 0; !over.get(); i++) {
      String key = "new" + i % 97;
      while (acknowledged.getOrDefault(key, -1) != i) {
        try {
          cache.put(key, i);
          acknowledged.put(key, i);
        } catch (QuorumUnavailableException | UnknownOutcomeException again) {
          // The only writer of a key may repeat a write.
        }
      }
    }
    return acknowledged;
  }

  private static void beside(Runnable task) {
    Thread thread = new Thread(task, "load");
    thread.setDaemon(true);
    thread.start();
  }

  @Test
  void callsAreAnsweredWhileKeysAreTakenOver() throws Exception {
    CacheDefinition two = CacheDefinition.of("served", Mode.MWMR).sites("lyon", "oslo").build();
    EnsembleCache<String, Integer> there = operator.createCache(two);
    for (int i = 0; i < 24; i++) {
      there.put("k" + i, i);
    }
    EnsembleCache<String, Integer> here = user.getCache("served");
    CacheDefinition three =
        CacheDefinition.of("served", Mode.MWMR)
            .sites("lyon", "oslo", "rome")
            .deadline(Duration.ofSeconds(30))
            .build();

    ChangeRun run = operator.changes().alter(three, 8); // The migration takes three seconds.
    int answered = 0;
    for (int i = 0; !run.done().toCompletableFuture().isDone(); i++) {
      boolean before = isTakenOver("served");
      try {
        here.put("k" + i % 12, i);
        there.put("k" + i % 12, i + 1);
        assertThat(here.get("k" + i % 12)).isEqualTo(i + 1);
        assertThat(here.get("k" + (12 + i % 12))).isEqualTo(12 + i % 12);
        answered += before && isTakenOver("served") ? 1 : 0;
      } catch (QuorumUnavailableException | UnknownOutcomeException sealing) {
        assertThat(before).as("calls fail while keys are taken over").isFalse();
      }
    }

    assertThat(answered).as("rounds of calls meanwhile").isPositive();
    assertThat(here.size()).isEqualTo(24);
    assertThat(there.definition()).isEqualTo(three);
    assertThat(operator.deleteCache("served")).isTrue();
  }

  private static boolean isTakenOver(String cache) {
    return operator.stored(cache).flatMap(StoredDefinition::change).stream()
        .anyMatch(change -> change.step() == ChangePhase.CUTOVER);
  }

  @Test
  void aCancelledChangeLeavesTheCacheUsable() throws Exception {
    CacheDefinition weak = CacheDefinition.of("kept", Mode.WEAK).sites("lyon").build();
    EnsembleCache<String, String> cache = operator.createCache(weak);
    for (int i = 0; i < 200; i++) {
      cache.put("k" + i, "v");
    }
    CacheDefinition strong =
        CacheDefinition.of("kept", Mode.MWMR).sites("lyon", "oslo", "rome").build();
    ChangeRun run = operator.changes().alter(strong, 1); // The copy lasts 200 seconds.

    run.cancel();
    StoredDefinition stored = run.done().toCompletableFuture().get(60, TimeUnit.SECONDS);

    assertThat(stored.definition()).isEqualTo(weak);
    assertThat(stored.change()).isEmpty();
    assertThat(cache.get("k7")).isEqualTo("v");
    assertThat(cache.definition()).isEqualTo(weak);
    assertThat(operator.deleteCache("kept")).isTrue();
  }
}
