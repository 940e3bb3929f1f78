package io.ensemble.cli.backup;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import io.ensemble.CacheDefinition;
import io.ensemble.DistributedDefinition;
import io.ensemble.Mode;
import io.ensemble.Privacy;
import io.ensemble.catalog.definition.Inventory;
import io.ensemble.catalog.definition.StoredDefinition;
import io.ensemble.catalog.definition.StoredDistribution;
import io.ensemble.check.process.CommandException;
import io.ensemble.cli.backup.BackupPlan.PlannedCache;
import io.ensemble.cli.backup.format.BackupManifest.DistributionBackup;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

class BackupPlanTest {

  private static final String BIRTH = "0123456789abcdef01234567";
  private static final String DISTRIBUTION_BIRTH = "fedcba9876543210";
  private static final List<String> SHARDS =
      StoredDistribution.shardNames("sharded", DISTRIBUTION_BIRTH, 2);

  @Test
  void allCachesAreCopiedAndShardsOnceAsTheirCache() {
    BackupPlan plan = BackupPlan.of(inventory(), List.of(), List.of());

    assertThat(plan.federation()).isEqualTo("0123456789ab");
    assertThat(plan.caches())
        .extracting(PlannedCache::name)
        .containsExactlyInAnyOrder("a", "b", "sharded");
    PlannedCache sharded = plan.caches().get(plan.caches().size() - 1);
    assertThat(sharded.shards()).isEqualTo(2);
    assertThat(sharded.definition().name()).isEqualTo("sharded");
    assertThat(sharded.creation()).isEqualTo(DISTRIBUTION_BIRTH);
  }

  @Test
  void aDistributedCacheStandsForItsPartsAndComesAfterDistributedParts() {
    BackupPlan plan = BackupPlan.of(inventory(), List.of("outer"), List.of());

    assertThat(plan.caches()).extracting(PlannedCache::name).containsExactly("a", "b");
    assertThat(plan.distributed())
        .extracting(DistributionBackup::name)
        .containsExactly("inner", "outer");
  }

  @Test
  void withoutAPartADistributedCacheIsRefused() {
    assertThatExceptionOfType(CommandException.class)
        .isThrownBy(() -> BackupPlan.of(inventory(), List.of("outer"), List.of("b")))
        .withMessageContaining("'outer' needs its part 'b', which is excluded");
    assertThat(BackupPlan.of(inventory(), List.of(), List.of("b", "outer")).caches())
        .extracting(PlannedCache::name)
        .containsExactly("a", "sharded");
  }

  @Test
  void cachesThatCannotBeCopiedAreAllNamed() {
    Inventory inventory =
        inventory(
            CacheDefinition.of("secret", Mode.MWMR).sites("lyon").privacy(Privacy.VALUES).build(),
            CacheDefinition.of("many", Mode.WEAK).sites("lyon").siblings(4).build());

    assertThatExceptionOfType(CommandException.class)
        .isThrownBy(() -> BackupPlan.of(inventory, List.of(), List.of()))
        .withMessageContaining("'secret' is private")
        .withMessageContaining("'many' keeps siblings")
        .withMessageContaining("--exclude NAME");
    assertThat(BackupPlan.of(inventory, List.of(), List.of("secret", "many")).caches()).hasSize(3);
    assertThat(BackupPlan.of(inventory, List.of("a"), List.of()).caches()).hasSize(1);
  }

  @Test
  void anUnknownNameAndAShardAreRefused() {
    for (String name : List.of("absent", SHARDS.get(0))) {
      assertThatExceptionOfType(CommandException.class)
          .isThrownBy(() -> BackupPlan.of(inventory(), List.of(name), List.of()))
          .withMessageContaining(name);
      assertThatExceptionOfType(CommandException.class)
          .isThrownBy(() -> BackupPlan.of(inventory(), List.of(), List.of(name)))
          .withMessageContaining(name);
    }
  }

  @Test
  void anUnreadableRecordIsRefused() {
    Inventory inventory =
        new Inventory(List.of(), List.of(), new TreeMap<>(Map.of("bad", "damaged")));

    assertThatExceptionOfType(CommandException.class)
        .isThrownBy(() -> BackupPlan.of(inventory, List.of(), List.of()))
        .withMessageContaining("bad");
  }

  private static Inventory inventory(CacheDefinition... more) {
    List<StoredDefinition> caches =
        Stream.concat(
                Stream.of("b", "a", SHARDS.get(0), SHARDS.get(1))
                    .map(name -> CacheDefinition.of(name, Mode.MWMR).sites("lyon").build()),
                Stream.of(more))
            .map(one -> StoredDefinition.first(one, BIRTH, Map.of("lyon", "01234567")))
            .toList();
    return new Inventory(
        caches,
        List.of(
            distribution(DistributedDefinition.of("outer", "inner", "b")),
            distribution(DistributedDefinition.of("inner", "a")),
            distribution(DistributedDefinition.of("sharded", SHARDS.get(0), SHARDS.get(1)))),
        new TreeMap<>());
  }

  private static StoredDistribution distribution(DistributedDefinition definition) {
    return new StoredDistribution(definition, DISTRIBUTION_BIRTH, true, 1, 1, Optional.empty());
  }
}
