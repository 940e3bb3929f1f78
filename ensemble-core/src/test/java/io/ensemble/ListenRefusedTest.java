package io.ensemble;

import static org.assertj.core.api.Assertions.assertThatThrownBy;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Caches without streams of changes say so, and what can be listened to instead. */
@Timeout(60)
class ListenRefusedTest extends DistributedFixture {

  private static void assertRefused(EnsembleCache<String, Integer> cache, String message) {
    assertThatThrownBy(() -> cache.listen(ListenOptions.all()))
        .isInstanceOf(UnsupportedOperationException.class)
        .hasMessage(message);
  }

  @Test
  void aWeakCacheNamesItsMode() {
    EnsembleCache<String, Integer> cache =
        manager.createCache(CacheDefinition.of("news", Mode.WEAK).sites("a", "b").build());

    assertRefused(
        cache,
        "listening requires a cache in mode MWMR that is not distributed: alter its mode;"
            + " cache=news mode=WEAK");
  }

  @Test
  void distributedAndShardedCachesReferToTheirParts() {
    assertRefused(
        distributed(PQR),
        "listening requires a cache that is not distributed: listen to each part, in mode MWMR;"
            + " cache=d mode=MWMR");
    CacheDefinition stock = CacheDefinition.of("stock", Mode.MWMR).sites("a", "b", "c").build();
    assertRefused(
        manager.createSharded(stock, 3),
        "listening requires a cache that is not distributed: listen to each part, in mode MWMR;"
            + " cache=stock mode=MWMR");
  }
}
