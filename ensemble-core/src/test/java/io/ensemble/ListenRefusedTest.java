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
  void writesThatAFailoverMayLoseAreRefused() {
    assertRefused(
        manager.createCache(
            CacheDefinition.of("stock", Mode.SWMR)
                .sites("a", "b", "c")
                .acknowledgement(Acknowledgement.PRIMARY)
                .build()),
        "listening to an SWMR cache requires acknowledgement by a majority: the primary alone may"
            + " lose a write that was shown; cache=stock mode=SWMR");
  }

  @Test
  void distributedAndShardedCachesReferToTheirParts() {
    assertRefused(
        distributed(PQR),
        "listening requires a cache that is not distributed: listen to each part;"
            + " cache=d mode=MWMR");
    CacheDefinition stock = CacheDefinition.of("stock", Mode.MWMR).sites("a", "b", "c").build();
    assertRefused(
        manager.createSharded(stock, 3),
        "listening requires a cache that is not distributed: listen to each part;"
            + " cache=stock mode=MWMR");
  }
}
