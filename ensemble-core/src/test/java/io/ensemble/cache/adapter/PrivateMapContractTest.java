package io.ensemble.cache.adapter;

import io.ensemble.CacheDefinition;
import io.ensemble.EnsembleCache;
import io.ensemble.EnsembleCacheManager;
import io.ensemble.EnsembleCacheManagerBuilder;
import io.ensemble.Mode;
import io.ensemble.Privacy;
import io.ensemble.keyset.TestKeyset;
import io.ensemble.site.MapSite;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Nested;

/** A private cache fulfils the contract in each mode, with the engine of the mode over sites. */
class PrivateMapContractTest {

  private static final TestKeyset KEYSET = new TestKeyset(true);

  abstract static class OverSites extends MapContractTest {

    private EnsembleCacheManager manager;

    abstract Mode mode();

    @Override
    EnsembleCache<String, Object> opened() {
      EnsembleCacheManagerBuilder builder =
          EnsembleCacheManager.builder()
              .scheduler(scheduler)
              .clock(micros::get)
              .keyset(definition.name(), KEYSET.reference());
      definition.sites().forEach(site -> builder.site(new MapSite(site, scheduler)));
      manager = builder.build();
      return manager.createCache(
          CacheDefinition.of(definition.name(), mode())
              .sites(definition.sites())
              .deadline(definition.deadline())
              .maxValueBytes(definition.maxValueBytes())
              .privacy(Privacy.VALUES_AND_KEYS)
              .build());
    }

    @AfterEach
    void stop() {
      manager.stop();
    }
  }

  @Nested
  class InWeak extends OverSites {
    @Override
    Mode mode() {
      return Mode.WEAK;
    }
  }

  @Nested
  class InSwmr extends OverSites {
    @Override
    Mode mode() {
      return Mode.SWMR;
    }
  }

  @Nested
  class InMwmr extends OverSites {
    @Override
    Mode mode() {
      return Mode.MWMR;
    }
  }
}
