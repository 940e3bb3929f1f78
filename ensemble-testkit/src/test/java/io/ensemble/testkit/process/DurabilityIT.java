package io.ensemble.testkit.process;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.ensemble.CacheDefinition;
import io.ensemble.EnsembleCache;
import io.ensemble.EnsembleCacheManager;
import io.ensemble.FormerStorePolicy;
import io.ensemble.Mode;
import io.ensemble.StoreIntactException;
import io.ensemble.site.SiteException;
import io.ensemble.site.hotrod.configuration.SiteStorage;
import java.nio.file.Path;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.CleanupMode;
import org.junit.jupiter.api.io.TempDir;

/** Acknowledged writes survive the kill of any processes, as long as the disks do. */
class DurabilityIT {

  @TempDir(cleanup = CleanupMode.ON_SUCCESS) // Node files explain failures.
  Path directory;

  private final Map<String, String> acknowledged = new HashMap<>();
  private final Map<String, String> acknowledgedByPrimary = new HashMap<>();

  /** Longer than a recovery that fails at its deadline and a second one, on slow machines. */
  private static final Duration LONGEST_RECOVERY = Duration.ofMinutes(4);

  @Tag("nightly")
  @Test
  @Timeout(300)
  void nothingAcknowledgedIsLostWithAllProcesses() throws Exception {
    killedUnderLoadAndTorn();
    try (ProcessFederation second = start(1);
        EnsembleCacheManager manager =
            FederationFixtures.manager(second, directory, SiteStorage.DISK)) {
      WriteOnceWorkload.assertKept(acknowledged, manager.getCache("kept"), DurabilityIT.class);
      WriteOnceWorkload.assertKept(
          acknowledgedByPrimary, manager.getCache("copied"), DurabilityIT.class);
    }
  }

  private void killedUnderLoadAndTorn() throws Exception {
    try (ProcessFederation first = start(1)) {
      killedUnderLoad(first);
    }
    for (String store : List.of("kept", "copied")) { // As a kill during a write does.
      TornRecordsTest.tearStores(directory.resolve("data/oslo/0/data"), store);
    }
  }

  /** The launcher's trial on processes also wipes sites under load, for caches of one mode. */
  @Test
  @Tag("deep")
  @Timeout(600)
  void nothingAcknowledgedIsLostWithAllProcessesAndAWipedSiteIsRefilledUnderLoad()
      throws Exception {
    killedUnderLoadAndTorn();
    try (ProcessFederation second = start(1);
        EnsembleCacheManager manager =
            FederationFixtures.manager(second, directory, SiteStorage.DISK)) {
      EnsembleCache<String, String> cache = manager.getCache("kept");
      EnsembleCache<String, String> copied = manager.getCache("copied");
      WriteOnceWorkload.assertKept(acknowledged, cache, DurabilityIT.class);
      WriteOnceWorkload.assertKept(acknowledgedByPrimary, copied, DurabilityIT.class);

      try (WriteOnceWorkload writers = new WriteOnceWorkload(cache, "second-", 2)) {
        writers.awaitMore(20);
        ProcessSite rome = second.site("rome");
        assertUnharmedThoughItIsRecoveredWhileItStarts(rome, manager);
        wiped(rome);
        assertUnreachableAsItsAddressIsAnother(rome, manager);
        assertAllRecovered(manager, second, FormerStorePolicy.DISCARD);
        wiped(rome); // At the address in its store names, so the stores are lost.
        assertAllRecovered(manager, second, FormerStorePolicy.MUST_BE_LOST);
        writers.awaitMore(20);
        acknowledged.putAll(writers.stopped());
      }
      second.site("lyon").kill(); // Reads now need the site that was wiped.
      WriteOnceWorkload.assertKept(acknowledged, cache, DurabilityIT.class);
      WriteOnceWorkload.assertKept(
          acknowledgedByPrimary, copied, DurabilityIT.class); // Lyon was the primary.
    }
  }

  private static void wiped(ProcessSite site) {
    site.kill();
    site.wipe();
    site.start();
  }

  /**
   * The nodes of the second start have other addresses than those in the names of the stores. A
   * node that does not answer may still hold a store, so only an operator may discard the store.
   */
  private static void assertUnreachableAsItsAddressIsAnother(
      ProcessSite site, EnsembleCacheManager manager) {
    assertThatThrownBy(() -> manager.recoverSite("kept", site.name(), Duration.ofMinutes(1)))
        .isInstanceOfSatisfying(
            SiteException.class,
            e -> assertThat(e.reason()).isEqualTo(SiteException.Reason.UNREACHABLE));
  }

  private void assertAllRecovered(
      EnsembleCacheManager manager, ProcessFederation federation, FormerStorePolicy former) {
    assertThat(recovered(manager, federation, "kept", former))
        .isGreaterThanOrEqualTo(acknowledged.size());
    assertThat(recovered(manager, federation, "copied", former))
        .isGreaterThanOrEqualTo(acknowledgedByPrimary.size());
  }

  /** Until a starting node has read its disk, it reports that it has no stores. */
  private static void assertUnharmedThoughItIsRecoveredWhileItStarts(
      ProcessSite site, EnsembleCacheManager manager) throws InterruptedException {
    site.kill();
    Thread starter = new Thread(site::start, "starter");
    starter.start();
    for (String cache : List.of("kept", "copied")) {
      assertThatThrownBy(() -> recoveredOnceItListens(manager, cache, site.name()))
          .isInstanceOf(StoreIntactException.class);
    }
    starter.join();
  }

  private static long recoveredOnceItListens(
      EnsembleCacheManager manager, String cache, String site) {
    long deadline = System.nanoTime() + Duration.ofMinutes(1).toNanos();
    while (true) {
      try {
        return manager.recoverSite(cache, site, Duration.ofMinutes(1));
      } catch (SiteException silent) {
        System.out.println("asked again: " + silent.getMessage());
        if (System.nanoTime() - deadline > 0) {
          throw silent;
        }
      }
    }
  }

  private static long recovered(
      EnsembleCacheManager manager,
      ProcessFederation federation,
      String cache,
      FormerStorePolicy former) {
    return WriteOnceWorkload.patiently(
        LONGEST_RECOVERY,
        () -> manager.recoverSite(cache, "rome", Duration.ofMinutes(1), former),
        () -> evidence(federation));
  }

  /** Evidence of why a site is silent: the stacks of requests that hang. */
  private static String evidence(ProcessFederation federation) {
    return federation.sites().stream()
        .map(site -> site.evidence() + System.lineSeparator() + site.stacksWith("org.infinispan."))
        .collect(Collectors.joining(System.lineSeparator()));
  }

  /** Sites of three nodes, which restart in another order and with stores of different ages. */
  @Test
  @Tag("deep")
  @Timeout(900)
  void nothingAcknowledgedIsLostBySitesOfThreeNodes() throws Exception {
    try (ProcessFederation first = start(3)) {
      killedUnderLoad(first);
    }
    try (ProcessFederation second = start(3);
        EnsembleCacheManager manager =
            FederationFixtures.manager(second, directory, SiteStorage.DISK)) {
      EnsembleCache<String, String> cache = manager.getCache("kept");
      WriteOnceWorkload.assertKept(acknowledged, cache, DurabilityIT.class);

      try (WriteOnceWorkload writers = new WriteOnceWorkload(cache, "second-", 2)) {
        for (ProcessSite site : second.sites()) { // Node 0 is never the last one to end.
          site.killNodes(0);
          writers.awaitMore(50);
        }
        second.kill();
        acknowledged.putAll(writers.stopped());
      }
    }
    try (ProcessFederation third = start(3);
        EnsembleCacheManager manager =
            FederationFixtures.manager(third, directory, SiteStorage.DISK)) {
      EnsembleCache<String, String> cache = manager.getCache("kept");
      WriteOnceWorkload.assertKept(acknowledged, cache, DurabilityIT.class);

      try (WriteOnceWorkload writers = new WriteOnceWorkload(cache, "third-", 2)) {
        writers.awaitMore(20);
        brokenAndDiscarded(third.site("oslo"), manager);
        writers.awaitMore(20);
        acknowledged.putAll(writers.stopped());
      }
      third.site("rome").kill();
      WriteOnceWorkload.assertKept(acknowledged, cache, DurabilityIT.class);
    }
  }

  /**
   * Whether the site is degraded by then depends on how soon its last node detected the failures.
   */
  private static void brokenAndDiscarded(ProcessSite site, EnsembleCacheManager manager) {
    site.killNodes(1, 2);
    site.start();
    assertThatThrownBy(() -> manager.recoverSite("kept", site.name(), Duration.ofMinutes(1)))
        .satisfiesAnyOf(
            e -> assertThat(e).isInstanceOf(StoreIntactException.class),
            e -> assertThat(((SiteException) e).reason()).isEqualTo(SiteException.Reason.DEGRADED));
    assertThat(
            manager.recoverSite(
                "kept", site.name(), Duration.ofMinutes(1), FormerStorePolicy.DISCARD))
        .isPositive();
  }

  private ProcessFederation start(int nodes) {
    return ProcessFederation.start(
        FederationFixtures.options(directory.resolve("data"), nodes).withPersistence(true));
  }

  private void killedUnderLoad(ProcessFederation federation) throws InterruptedException {
    try (EnsembleCacheManager manager =
        FederationFixtures.manager(federation, directory, SiteStorage.DISK)) {
      EnsembleCache<String, String> cache = manager.createCache(definition("kept", Mode.MWMR));
      EnsembleCache<String, String> copied = manager.createCache(definition("copied", Mode.SWMR));
      try (WriteOnceWorkload writers = new WriteOnceWorkload(cache, "first-", 4);
          WriteOnceWorkload writer = new WriteOnceWorkload(copied, "first-", 2)) {
        writers.awaitMore(200);
        writer.awaitMore(50);
        federation.kill();
        writer.stop(); // First, so that both workloads wait for their deadlines together.
        acknowledged.putAll(writers.stopped());
        acknowledgedByPrimary.putAll(writer.stopped());
      }
    }
  }

  private static CacheDefinition definition(String name, Mode mode) {
    return CacheDefinition.of(name, mode)
        .sites("lyon", "oslo", "rome")
        .deadline(Duration.ofSeconds(3))
        .build();
  }
}
