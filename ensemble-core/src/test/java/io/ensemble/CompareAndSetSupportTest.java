package io.ensemble;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Which caches suit atomic objects and versions. */
@Timeout(60)
class CompareAndSetSupportTest extends DistributedFixture {

  @Test
  void cachesInModeMwmrSuit() {
    assertThat(distributed(PQR).compareAndSetObstacle()).isEmpty();
    assertThat(manager.getCache("p").compareAndSetObstacle()).isEmpty();
  }

  @Test
  void aCacheInModeWeakDoesNot() {
    EnsembleCache<String, String> cache =
        manager.createCache(CacheDefinition.of("weak", Mode.WEAK).sites("a", "b").build());

    assertThat(cache.compareAndSetObstacle()).contains("mode is WEAK; use a cache in mode MWMR");
  }

  @Test
  void aCacheOfWhichOnePartIsWeakDoesNot() {
    EnsembleCache<String, String> unused =
        manager.createCache(CacheDefinition.of("weak", Mode.WEAK).sites("a").build());
    part("p", "a");

    assertThat(
            manager
                .createDistributed(DistributedDefinition.of("d", "weak", "p"))
                .compareAndSetObstacle())
        .contains("mode is WEAK; use a cache in mode MWMR");
  }

  @Test
  void aCacheInFrontierModeDoesNot() {
    assertThat(distributed(PQR.inFrontierMode()).compareAndSetObstacle().orElseThrow())
        .contains("use a cache without frontier mode");
  }
}
