package io.ensemble.cli.migrations;

import static org.assertj.core.api.Assertions.assertThat;

import io.ensemble.CacheDefinition;
import io.ensemble.DistributedDefinition;
import io.ensemble.EnsembleCacheManager;
import io.ensemble.Mode;
import io.ensemble.catalog.definition.InMemoryDefinitions;
import io.ensemble.catalog.definition.StoredDefinition;
import io.ensemble.catalog.definition.StoredDistribution;
import io.ensemble.change.ChangePhase;
import io.ensemble.change.ConfigurationChange;
import io.ensemble.repartition.Repartition;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeSet;
import org.junit.jupiter.api.Test;

/** Changes of configurations and of parts, as commands show them. */
class ChangeReportTest {

  private static final String BIRTH = "0123456789ab0123456789ab";

  private final InMemoryDefinitions definitions = new InMemoryDefinitions();

  private void changing(String name) {
    CacheDefinition at = CacheDefinition.of(name, Mode.MWMR).sites("a").build();
    String birth = definitions.id().toCompletableFuture().getNow("") + "000000000001";
    StoredDefinition first = StoredDefinition.first(at, birth, Map.of("a", "0000000a"));
    definitions.create(first);
    ConfigurationChange begun =
        ConfigurationChange.begun(
            at.at(List.of("b")), Map.of("b", "0000000b"), "mover", new TreeSet<>());
    definitions.replace(first.with(Optional.of(begun.beaten(7, 9))));
  }

  @Test
  void changesOfPartsStandAmongThoseOfConfigurations() {
    changing("a first");
    changing("z last");
    DistributedDefinition parts = DistributedDefinition.of("middle", "p", "q");
    StoredDistribution whole = new StoredDistribution(parts, "00000000000000b1").withFence();
    definitions.distributions().create(whole);
    Repartition growth = Repartition.begun(parts.with("r"), "grower").moving().beaten(5);
    definitions.distributions().replace(whole.with(growth));

    List<ChangeReport> all;
    try (EnsembleCacheManager manager =
        EnsembleCacheManager.builder().definitions(definitions).build()) {
      all = ChangeReport.all(manager);
    }

    assertThat(all).extracting(ChangeReport::cache).containsExactly("a first", "middle", "z last");
    assertThat(all.get(0).to().fullText()).isEqualTo("mwmr b, acknowledged by majority");
    assertThat(all.get(0).text()).startsWith("preparing, 7 of 9 keys");
    ChangeReport moving = all.get(1);
    assertThat(moving.number()).isEqualTo(2);
    assertThat(moving.to().fullText()).isEqualTo("distributed p,q,r");
    assertThat(moving.text()).isEqualTo("moving, 5 keys");
    assertThat(moving.owner()).isEqualTo("grower");
    assertThat(moving.turn()).isEqualTo(1);
  }

  @Test
  void keysThatAreTakenOverAreCountedAndTheCacheIsNotYetTheOther() {
    CacheDefinition weak = CacheDefinition.of("c", Mode.WEAK).sites("a").build();
    CacheDefinition strong = CacheDefinition.of("c", Mode.MWMR).sites("b").build();
    ConfigurationChange change =
        ConfigurationChange.begun(strong, Map.of("b", "0000000b"), "me", new TreeSet<>())
            .at(ChangePhase.CUTOVER)
            .beaten(30, 40);
    StoredDefinition stored =
        StoredDefinition.first(weak, BIRTH, Map.of("a", "0000000a")).with(Optional.of(change));

    ChangeReport report = ChangeReport.of(stored);

    assertThat(report.step()).isEqualTo("cutover");
    assertThat(report.text()).startsWith("cutover, 30 of 40 keys");
    assertThat(report.number()).isEqualTo(2);
    assertThat(report.from()).isEqualTo(ChangeReport.CacheState.of(weak));
    assertThat(report.to()).isEqualTo(ChangeReport.CacheState.of(strong));
  }
}
