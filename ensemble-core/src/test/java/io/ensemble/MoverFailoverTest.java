package io.ensemble;

import static org.assertj.core.api.Assertions.assertThat;

import io.ensemble.catalog.definition.StoredDefinition;
import io.ensemble.catalog.definition.StoredDistribution;
import io.ensemble.change.ChangePhase;
import io.ensemble.change.ConfigurationChange;
import io.ensemble.change.OwnerLiveness;
import io.ensemble.distribution.RepartitionRun;
import io.ensemble.reconfiguration.ChangeRun;
import io.ensemble.repartition.Repartition;
import java.time.Duration;
import java.util.Map;
import java.util.Optional;
import java.util.TreeSet;
import java.util.concurrent.CompletionStage;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Which changes a watching process takes over, and that it carries them out. */
@Timeout(60)
class MoverFailoverTest extends DistributedFixture {

  @BeforeEach
  void create() {
    distributed(DistributedDefinition.of("d", "p", "q"));
  }

  private StoredDefinition cache() {
    return manager.stored("p").orElseThrow();
  }

  private StoredDefinition cacheOf(String owner) {
    CacheDefinition to = CacheDefinition.of("p", Mode.MWMR).sites("b").build();
    ConfigurationChange begun =
        ConfigurationChange.begun(to, Map.of("b", "0000000b"), owner, new TreeSet<>())
            .at(ChangePhase.SEALING);
    return replaced(cache().with(Optional.of(begun)));
  }

  private StoredDefinition replaced(StoredDefinition next) {
    assertThat(definitions.replace(next).toCompletableFuture().join()).isTrue();
    return next;
  }

  private StoredDistribution parts() {
    return distributions.get("d").toCompletableFuture().join().orElseThrow();
  }

  private StoredDistribution partsOf(String owner) {
    DistributedDefinition to = DistributedDefinition.of("d", "p", "q", "r");
    return replaced(parts().with(Repartition.begun(to, owner)));
  }

  private StoredDistribution replaced(StoredDistribution next) {
    assertThat(distributions.replace(next).toCompletableFuture().join()).isTrue();
    return next;
  }

  @Test
  void oneThatMayBeatIsLeftAlone() {
    StoredDefinition cache = cacheOf("other");
    StoredDistribution parts = partsOf("other");

    assertThat(manager.changes().takeOverIfSilent(cache)).isEmpty();
    assertThat(manager.parts().takeOverIfSilent(parts)).isEmpty();

    assertThat(cache()).isEqualTo(cache);
    assertThat(parts()).isEqualTo(parts);
  }

  @Test
  void whoIsLateTakesNothingOver() {
    StoredDefinition early = cacheOf(OwnerLiveness.NOBODY);
    ConfigurationChange change = early.change().orElseThrow();
    StoredDefinition cache = replaced(early.with(Optional.of(change.beaten(1, 2))));
    StoredDistribution before = partsOf(OwnerLiveness.NOBODY);
    StoredDistribution parts = replaced(before.with(before.growth().orElseThrow().beaten(1)));

    assertThat(manager.changes().takeOverIfSilent(early)).isEmpty();
    assertThat(manager.parts().takeOverIfSilent(before)).isEmpty();

    assertThat(cache()).isEqualTo(cache);
    assertThat(parts()).isEqualTo(parts);
  }

  @Test
  void whoTakesOverCarriesItOut() {
    StoredDefinition cache = cacheOf(OwnerLiveness.NOBODY);
    StoredDistribution parts = partsOf(OwnerLiveness.NOBODY);

    ChangeRun change = manager.changes().takeOverIfSilent(cache).orElseThrow();
    RepartitionRun growth = manager.parts().takeOverIfSilent(parts).orElseThrow();

    manager.stop(); // Ends the changes that this manager carries out.
    ends(change.done());
    ends(growth.done());
  }

  private static void ends(CompletionStage<?> run) {
    assertThat(run.handle((done, failure) -> true)).succeedsWithin(Duration.ofSeconds(30));
  }
}
