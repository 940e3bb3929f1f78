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
  void frontierModeIsRefused() {
    assertRefused(
        distributed(PQR.inFrontierMode()),
        "listening requires a cache that is not in frontier mode; cache=d");
  }

  @Test
  void aPartThatCannotBeListenedToIsNamed() {
    manager.createCache(
        CacheDefinition.of("window", Mode.SWMR)
            .sites("a", "b", "c")
            .acknowledgement(Acknowledgement.PRIMARY)
            .build());
    assertRefused(
        manager.createDistributed(DistributedDefinition.of("d", "window")),
        "listening to an SWMR cache requires acknowledgement by a majority: the primary alone may"
            + " lose a write that was shown; cache=window mode=SWMR");
  }
}
