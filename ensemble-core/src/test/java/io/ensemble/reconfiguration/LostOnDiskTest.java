package io.ensemble.reconfiguration;

import static org.assertj.core.api.Assertions.assertThat;

import io.ensemble.CacheDefinition;
import io.ensemble.Mode;
import io.ensemble.catalog.SiteDirectory;
import io.ensemble.catalog.StubSite;
import io.ensemble.catalog.VirtualTimeScheduler;
import io.ensemble.catalog.definition.InMemoryDefinitions;
import io.ensemble.catalog.definition.StoredDefinition;
import io.ensemble.catalog.site.SiteEntry;
import io.ensemble.change.ChangePhase;
import io.ensemble.change.ConfigurationChange;
import io.ensemble.codec.Codec;
import io.ensemble.manager.ManagerContext;
import io.ensemble.manager.OpenCaches;
import io.ensemble.site.hotrod.configuration.Endpoint;
import io.ensemble.site.hotrod.configuration.SiteStorage;
import io.ensemble.stamp.HybridClock;
import java.security.SecureRandom;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeSet;
import org.junit.jupiter.api.Test;

/** The storage of a site in the catalog decides how long its stores must be missing. */
class LostOnDiskTest {

  private final VirtualTimeScheduler scheduler = new VirtualTimeScheduler();
  private final InMemoryDefinitions definitions = new InMemoryDefinitions();
  private final StubSite site = new StubSite("b");
  private final LostStoreDetector detector = alterations().lostStoreDetector();

  private Alterations alterations() {
    ManagerContext federation =
        new ManagerContext(
            SiteDirectory.of(Map.of("b", site)),
            definitions,
            scheduler,
            Optional.empty(),
            new HybridClock(scheduler::epochMicros),
            null,
            Duration.ofSeconds(2),
            new SecureRandom(),
            List.of());
    OpenCaches caches = new OpenCaches(federation, new Codec(List.of()), Map.of());
    return new Alterations(federation, null, caches, null, null);
  }

  /** A cache in a change to a site that has none of its stores. */
  private StoredDefinition inCutover(SiteStorage storage) {
    definitions.sites().create(SiteEntry.open("b", List.of(new Endpoint("127.0.0.1", 1)), storage));
    CacheDefinition at = CacheDefinition.of("s", Mode.MWMR).sites("a").build();
    String birth = definitions.id().toCompletableFuture().getNow("") + "000000000001";
    StoredDefinition first = StoredDefinition.first(at, birth, Map.of("a", "0000000a"));
    definitions.create(first);
    ConfigurationChange change =
        ConfigurationChange.begun(
                at.at(List.of("b")), Map.of("b", "0000000b"), "dead", new TreeSet<>())
            .at(ChangePhase.CUTOVER);
    StoredDefinition next = first.with(Optional.of(change));
    definitions.replace(next);
    return next;
  }

  private boolean isLostAfter(int seconds, StoredDefinition cache) {
    boolean isForGood = detector.check(cache).isConfirmed();
    for (int i = 0; i < seconds; i++) {
      scheduler.advance(Duration.ofSeconds(1));
      isForGood = detector.check(cache).isConfirmed();
    }
    return isForGood;
  }

  @Test
  void aSiteInMemoryHasLostThemAfterTheLooks() {
    assertThat(isLostAfter(4, inCutover(SiteStorage.MEMORY))).isTrue();
  }

  @Test
  void aSiteOnDiskMayBeStartingForAMinute() {
    StoredDefinition cache = inCutover(SiteStorage.DISK);

    assertThat(isLostAfter(59, cache)).isFalse();
    assertThat(isLostAfter(1, cache)).isTrue();
  }
}
