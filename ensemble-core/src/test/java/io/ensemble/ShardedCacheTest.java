package io.ensemble;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;

import io.ensemble.catalog.definition.CacheExistsException;
import io.ensemble.catalog.definition.StoredDistribution;
import io.ensemble.catalog.record.CatalogException;
import io.ensemble.distribution.ShardedCaches;
import io.ensemble.repartition.Repartition;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** How caches with shards are created, opened and deleted. */
@Timeout(60)
class ShardedCacheTest extends DistributedFixture {

  private static final CacheDefinition STOCK =
      CacheDefinition.of("stock", Mode.MWMR).sites("a", "b", "c").build();

  private StoredDistribution stored() {
    return distributions.get("stock").toCompletableFuture().join().orElseThrow();
  }

  @Test
  void keysArePartitionedOverShardsWithTheSettingsOfTheCache() {
    DistributedEnsembleCache<String, Integer> stock = manager.createSharded(STOCK, 3);
    for (int i = 0; i < 100; i++) {
      stock.put("k" + i, i);
    }

    List<String> shards = manager.shards("stock");
    assertThat(shards).hasSize(3).allMatch(shard -> shard.matches("stock\\.[0-9a-f]{8}\\.[123]"));
    assertThat(stock.distribution().parts()).isEqualTo(shards);
    for (String shard : shards) {
      assertThat(manager.stored(shard).orElseThrow().definition()).isEqualTo(STOCK.named(shard));
      assertThat(manager.getCache(shard).size()).isPositive();
    }
    assertThat(stock.size()).isEqualTo(100);
    assertThat(manager.shards(shards.get(0))).isEmpty();
    assertThat(manager.shards("none")).isEmpty();
  }

  @Test
  void aRepeatedCreationOpensTheCache() {
    manager.<String, Integer>createSharded(STOCK, 3).put("k", 7);

    DistributedEnsembleCache<String, Integer> again = manager("b").createSharded(STOCK, 3);

    assertThat(again.get("k")).isEqualTo(7);
    assertThat(manager.getCacheNames()).hasSize(4);
  }

  @Test
  void concurrentCreationsMakeOneCache() {
    List<CompletableFuture<DistributedEnsembleCache<String, Integer>>> creations =
        new ArrayList<>();
    for (int i = 0; i < 4; i++) {
      EnsembleCacheManager one = manager("a");
      creations.add(CompletableFuture.supplyAsync(() -> one.createSharded(STOCK, 2)));
    }

    creations.get(0).join().put("k", 1);

    assertThat(creations).allSatisfy(one -> assertThat(one.join().get("k")).isEqualTo(1));
    assertThat(manager.getCacheNames()).hasSize(3).containsAll(manager.shards("stock"));
  }

  @Test
  void shardsAreDeletedWithTheCache() {
    DistributedEnsembleCache<String, Integer> stock = manager.createSharded(STOCK, 3);
    String name = manager.shards("stock").get(1);
    EnsembleCache<String, Integer> shard = manager.getCache(name);

    assertThatIllegalStateException().isThrownBy(() -> manager.deleteCache(name));
    assertThat(manager.deleteCache("stock")).isTrue();

    assertThat(manager.getCacheNames()).isEmpty();
    assertThat(manager.deleteCache("stock")).isFalse();
    assertThatExceptionOfType(CacheDeletedException.class).isThrownBy(() -> stock.get("k"));
    assertThatExceptionOfType(CacheDeletedException.class).isThrownBy(() -> shard.get("k"));
  }

  @Test
  void aPartThatIsNoShardStays() {
    manager.createSharded(STOCK, 2);
    part("other", "a");
    Repartition growth = Repartition.begun(stored().definition().with("other"), "mover");
    distributions.replace(stored().with(growth)).toCompletableFuture().join();

    assertThat(manager.deleteCache("stock")).isTrue();

    assertThat(manager.getCacheNames()).containsExactly("other");
  }

  @Test
  void noPartIsAddedUnderTheNameOfAShard() {
    manager.createSharded(STOCK, 2);
    String fake = manager.shards("stock").get(0).replaceAll("1$", "3");
    part(fake, "a");

    assertThatIllegalArgumentException()
        .isThrownBy(() -> manager.parts().alter(stored().definition().with(fake)))
        .withMessageContaining("must not have the name of a shard; cache=stock part=" + fake);
  }

  @Test
  void anInterruptedDeletionIsNoticedAndRepeated() {
    manager.createSharded(STOCK, 3);
    String first = manager.shards("stock").get(0);
    assertThat(manager.catalog.delete(first).toCompletableFuture().join()).isPresent();
    EnsembleCacheManager other = manager("a");

    assertThatIllegalArgumentException()
        .isThrownBy(() -> other.getCache("stock"))
        .withMessageContaining("cache=stock part=" + first);
    assertThatExceptionOfType(CatalogException.class)
        .isThrownBy(() -> other.createSharded(STOCK, 3))
        .withMessageContaining("a deletion of the cache was interrupted")
        .withMessageContaining("shard=" + first);
    assertThat(other.deleteCache("stock")).isTrue();

    assertThat(other.getCacheNames()).isEmpty();
  }

  @Test
  void aCacheIsNotDeletedWhileAnotherHasOneOfItsShards() {
    manager.createSharded(STOCK, 2);
    manager.createDistributed(DistributedDefinition.of("other", manager.shards("stock").get(1)));

    assertThatIllegalStateException()
        .isThrownBy(() -> manager.deleteCache("stock"))
        .withMessageContaining("cache=stock distributed=[other]");

    assertThat(manager.getCacheNames()).hasSize(4);
    manager.deleteCache("other");
    assertThat(manager.deleteCache("stock")).isTrue();
  }

  @Test
  void aCacheIsNotDeletedWhileAnotherHasItAsAPart() {
    manager.createSharded(STOCK, 2);
    manager.createDistributed(DistributedDefinition.of("other", "stock"));

    assertThatIllegalStateException().isThrownBy(() -> manager.deleteCache("stock"));

    assertThat(manager.getCacheNames()).hasSize(4);
  }

  @Test
  void aRefusedCreationLeavesNothing() {
    part("taken", "a");
    manager.createSharded(STOCK, 2);
    Set<String> before = manager.getCacheNames();

    assertThatExceptionOfType(CatalogException.class)
        .isThrownBy(() -> manager.createSharded(STOCK, 3))
        .withMessageContaining("another number of shards; cache=stock shards=2 requested=3");
    assertThatExceptionOfType(CacheExistsException.class)
        .isThrownBy(
            () ->
                manager.createSharded(
                    CacheDefinition.of("stock", Mode.MWMR).sites("a").build(), 2));
    assertThatExceptionOfType(CatalogException.class)
        .isThrownBy(() -> manager.createSharded(STOCK.named("taken"), 2));
    assertThatExceptionOfType(CatalogException.class).isThrownBy(() -> manager.createCache(STOCK));
    assertThatIllegalArgumentException()
        .isThrownBy(() -> manager.createSharded(STOCK.named("new"), 0))
        .withMessageContaining("shards must be 1 to 256; got 0; cache=new");
    assertThatIllegalArgumentException()
        .isThrownBy(() -> manager.createSharded(STOCK.named("new"), 257));
    assertThatIllegalArgumentException()
        .isThrownBy(
            () ->
                manager.createSharded(
                    CacheDefinition.of("new", Mode.MWMR).sites("a", "nowhere").build(), 2));
    assertThatIllegalArgumentException()
        .isThrownBy(() -> manager.createSharded(STOCK.named("n".repeat(128)), 2));
    assertThatIllegalArgumentException()
        .isThrownBy(
            () ->
                manager.createSharded(
                    CacheDefinition.of("new", Mode.MWMR).sites("a").privacy(Privacy.VALUES).build(),
                    2))
        .withMessageContaining("cache=new");
    assertThat(manager.getCacheNames()).isEqualTo(before);
  }

  @Test
  void aCreationThatFailsHalfwayDeletesWhatItHasCreated() {
    unopenable = ".3";

    assertThatIllegalStateException()
        .isThrownBy(() -> manager.createSharded(STOCK, 4))
        .withMessage("planted");

    assertThat(manager.getCacheNames()).isEmpty();
    unopenable = "none";
    assertThat(manager.createSharded(STOCK, 4).distribution().parts()).hasSize(4);
  }

  @Test
  void anotherNumberOfReplicasIsAnotherSetting() {
    CacheDefinition five =
        CacheDefinition.of("stock", Mode.MWMR).sites("a", "b", "c").replicas(5).build();
    manager.createSharded(five, 2);

    assertThatExceptionOfType(CacheExistsException.class)
        .isThrownBy(() -> manager.createSharded(STOCK, 2));
    assertThat(manager("a").createSharded(five, 2).distribution().parts()).hasSize(2);
  }

  @Test
  void replicasThatFollowFromTheNodesAreTheSameSetting() {
    sites.get(0).nodeCount = 3;
    CacheDefinition alone = CacheDefinition.of("stock", Mode.MWMR).sites("a").build();
    manager.createSharded(alone, 2);

    manager("a").createSharded(alone, 2);

    assertThat(manager.shards("stock"))
        .hasSize(2)
        .allSatisfy(
            shard ->
                assertThat(manager.stored(shard).orElseThrow().definition().sites()).hasSize(3));
  }

  @Test
  void openingCreatesNothing() {
    manager.createSharded(STOCK, 2);
    ShardedCaches other =
        new ShardedCaches(
            manager.distributed,
            manager.parts(),
            shard -> {
              throw new AssertionError("created " + shard);
            },
            shard -> {});

    assertThat(other.create(STOCK, 2).definition().name()).isEqualTo("stock");
  }

  @Test
  void aSlowDeletionSparesACacheThatWasCreatedMeanwhile() {
    manager.createSharded(STOCK, 2);
    EnsembleCacheManager other = manager("a");
    ShardedCaches slow =
        new ShardedCaches(
            manager.distributed,
            manager.parts(),
            shard -> {},
            shard -> {
              if (shard.endsWith(".1")) {
                other.deleteCache("stock");
                other.<String, Integer>createSharded(STOCK, 2).put("k", 1);
              }
            });

    assertThat(slow.delete("stock")).isTrue();

    assertThat(manager("b").<String, Integer>getCache("stock").get("k")).isEqualTo(1);
  }

  @Test
  void stoppingTheViewStopsItsShards() {
    manager.createSharded(STOCK, 2).stop();

    assertThat(manager.shards("stock"))
        .hasSize(2)
        .allSatisfy(shard -> assertThat(manager.caches.get(shard)).isEmpty());
  }

  @Test
  void stoppingTheCacheStopsItsShards() {
    manager.createSharded(STOCK, 2);
    EnsembleCache<String, Integer> shard = manager.getCache(manager.shards("stock").get(0));

    manager.stopCache("stock");

    assertThatIllegalStateException().isThrownBy(() -> shard.get("k"));
    assertThat(manager.<String, Integer>getCache("stock").get("k")).isNull();
  }
}
