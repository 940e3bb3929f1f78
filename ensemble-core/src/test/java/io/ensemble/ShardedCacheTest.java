package io.ensemble;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;

import io.ensemble.catalog.CacheExistsException;
import io.ensemble.catalog.CatalogException;
import io.ensemble.catalog.StoredDistribution;
import io.ensemble.growth.Growth;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** How caches with shards are created and deleted. */
@Timeout(60)
class ShardedCacheTest extends DistributedFixture {

  private static final CacheDefinition STOCK =
      CacheDefinition.of("stock", Mode.MWMR).sites("a", "b", "c").build();

  @Test
  void itsKeysAreDealtOutOverShardsWithItsSettings() {
    DistributedEnsembleCache<String, Integer> stock = manager.createSharded(STOCK, 3);
    for (int i = 0; i < 100; i++) {
      stock.put("k" + i, i);
    }

    assertThat(manager.getCacheNames()).containsExactly("stock", "stock.1", "stock.2", "stock.3");
    for (String shard : List.of("stock.1", "stock.2", "stock.3")) {
      assertThat(manager.stored(shard).orElseThrow().definition()).isEqualTo(STOCK.named(shard));
      assertThat(manager.getCache(shard).size()).isPositive();
    }
    assertThat(stock.size()).isEqualTo(100);
    assertThat(stock.distribution()).isEqualTo(DistributedDefinition.ofShards("stock", 3));
    DistributedEnsembleCache<String, Integer> again = manager.createSharded(STOCK, 3);
    assertThat(again.get("k7")).isEqualTo(7);
  }

  @Test
  void itIsDeletedWithItsShards() {
    DistributedEnsembleCache<String, Integer> stock = manager.createSharded(STOCK, 3);
    EnsembleCache<String, Integer> shard = manager.getCache("stock.2");
    part("stock.4", "a");

    assertThatIllegalStateException().isThrownBy(() -> manager.deleteCache("stock.2"));
    assertThat(manager.deleteCache("stock")).isTrue();

    assertThat(manager.getCacheNames()).containsExactly("stock.4");
    assertThat(manager.deleteCache("stock")).isFalse();
    assertThatExceptionOfType(CacheDeletedException.class).isThrownBy(() -> stock.get("k"));
    assertThatExceptionOfType(CacheDeletedException.class).isThrownBy(() -> shard.get("k"));
  }

  @Test
  void aShardThatComesIsDeletedToo() {
    manager.createSharded(STOCK, 2);
    manager.createCache(STOCK.named("stock.3"));
    StoredDistribution stored =
        distributions.get("stock").toCompletableFuture().join().orElseThrow();
    Growth growth = Growth.begun(stored.definition().with("stock.3"), "mover");
    distributions.replace(stored.with(growth)).toCompletableFuture().join();

    assertThat(manager.deleteCache("stock")).isTrue();

    assertThat(manager.getCacheNames()).isEmpty();
  }

  @Test
  void aDeletionThatEndedBetweenTwoShardsIsCalledAgain() {
    manager.createSharded(STOCK, 3);
    assertThat(manager.catalog.delete("stock.1").toCompletableFuture().join()).isPresent();

    EnsembleCacheManager other = manager("a");
    assertThatIllegalArgumentException()
        .isThrownBy(() -> other.getCache("stock"))
        .withMessageContaining("cache=stock part=stock.1");
    assertThat(other.deleteCache("stock")).isTrue();

    assertThat(other.getCacheNames()).isEmpty();
  }

  @Test
  void aShardThatAnotherCacheHasAsAPartKeepsAll() {
    manager.createSharded(STOCK, 2);
    manager.createDistributed(DistributedDefinition.of("other", "stock.2"));

    assertThatIllegalStateException()
        .isThrownBy(() -> manager.deleteCache("stock"))
        .withMessageContaining("cache=stock.2 distributed=[other]");

    assertThat(manager.getCacheNames()).contains("stock", "stock.1", "stock.2");
  }

  @Test
  void nothingIsCreatedOfWhatIsRefused() {
    part("taken", "a");
    manager.createSharded(STOCK, 2);

    assertThatExceptionOfType(CatalogException.class)
        .isThrownBy(() -> manager.createSharded(STOCK, 3))
        .withMessageContaining("cache=stock");
    assertThatExceptionOfType(CatalogException.class)
        .isThrownBy(() -> manager.createSharded(STOCK.named("taken"), 2));
    assertThatExceptionOfType(CatalogException.class).isThrownBy(() -> manager.createCache(STOCK));
    assertThatExceptionOfType(CatalogException.class)
        .isThrownBy(
            () ->
                manager.createDistributed(DistributedDefinition.of("stock", "stock.1", "stock.2")));
    assertThatIllegalArgumentException().isThrownBy(() -> manager.createSharded(STOCK, 0));
    assertThatIllegalArgumentException()
        .isThrownBy(() -> manager.createSharded(STOCK, DistributedDefinition.MOST_PARTS + 1));
    CacheDefinition secret =
        CacheDefinition.of("secret", Mode.MWMR).sites("a").privacy(Privacy.VALUES).build();
    assertThatIllegalArgumentException()
        .isThrownBy(() -> manager.createSharded(secret, 2))
        .withMessageContaining("cache=secret");
    assertThat(manager.getCacheNames()).containsExactly("stock", "stock.1", "stock.2", "taken");
  }

  @Test
  void aShardThatIsThereWithOtherSettingsIsRefused() {
    part("stock.2", "a");

    assertThatExceptionOfType(CacheExistsException.class)
        .isThrownBy(() -> manager.createSharded(STOCK, 2));

    assertThat(manager.distribution("stock")).isEmpty();
  }
}
