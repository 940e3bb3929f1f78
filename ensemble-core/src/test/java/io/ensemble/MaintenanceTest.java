package io.ensemble;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.ensemble.cache.CacheEngine;
import io.ensemble.cache.EngineContext;
import io.ensemble.cache.RecoverableEngine;
import io.ensemble.cache.RepairableEngine;
import io.ensemble.cache.SiteRepair;
import io.ensemble.cache.adapter.InMemoryEngine;
import io.ensemble.catalog.SiteDirectory;
import io.ensemble.catalog.StubSite;
import io.ensemble.catalog.definition.InMemoryDefinitions;
import io.ensemble.catalog.definition.StoredDefinition;
import io.ensemble.catalog.site.SiteEntry;
import io.ensemble.catalog.task.DelayedTaskEntries;
import io.ensemble.catalog.task.TaskEntries;
import io.ensemble.catalog.task.TaskEntry;
import io.ensemble.change.ChangePhase;
import io.ensemble.change.ConfigurationChange;
import io.ensemble.change.ObsoleteStore;
import io.ensemble.maintenance.Maintenance;
import io.ensemble.maintenance.SiteMaintenance;
import io.ensemble.manager.ManagerContext;
import io.ensemble.membership.SiteSelector;
import io.ensemble.schedule.Deadline;
import io.ensemble.schedule.ThreadScheduler;
import io.ensemble.site.SiteException.Reason;
import io.ensemble.site.SiteStore;
import io.ensemble.site.StoreKind;
import io.ensemble.site.hotrod.configuration.Endpoint;
import io.ensemble.site.hotrod.configuration.SiteStorage;
import io.ensemble.stamp.HybridClock;
import java.lang.reflect.Proxy;
import java.net.InetSocketAddress;
import java.security.SecureRandom;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;

/** The maintenance of sites by two processes. */
@Execution(ExecutionMode.CONCURRENT)
@Timeout(120)
class MaintenanceTest {

  private static final Duration BEAT = Duration.ofMillis(250);

  private final ThreadScheduler scheduler = new ThreadScheduler(2);
  private final InMemoryDefinitions definitions = new InMemoryDefinitions();
  private final List<StubSite> sites =
      List.of(new StubSite("a"), new StubSite("b"), new StubSite("c"));
  private final AtomicInteger refills = new AtomicInteger();
  private final AtomicInteger comparisons = new AtomicInteger();
  private final EnsembleCacheManager one = manager();
  private final EnsembleCacheManager two = manager();

  /** An in-memory engine whose refills and comparisons are counted. */
  private interface Watched extends CacheEngine, RecoverableEngine, RepairableEngine, SiteRepair {}

  private CacheEngine engine(EngineContext cache) {
    InMemoryEngine inner = new InMemoryEngine(scheduler, scheduler::epochMicros);
    return (Watched)
        Proxy.newProxyInstance(
            Watched.class.getClassLoader(),
            new Class<?>[] {Watched.class},
            (proxy, method, arguments) ->
                switch (method.getName()) {
                  case "refill" -> refilled((String) arguments[0], (SiteStore) arguments[1]);
                  case "siteRepair" -> proxy;
                  case "canRepair" -> true;
                  case "missed" -> new SiteRepair.MissedKeyCount(0, false);
                  case "compare" -> compared((Deadline) arguments[2]);
                  default -> method.invoke(inner, arguments);
                });
  }

  private CompletionStage<Long> refilled(String site, SiteStore fresh) {
    refills.incrementAndGet();
    return CompletableFuture.completedFuture(7L);
  }

  private CompletionStage<Long> compared(Deadline deadline) {
    comparisons.incrementAndGet();
    return CompletableFuture.completedFuture(0L);
  }

  private EnsembleCacheManager manager() {
    EnsembleCacheManagerBuilder builder =
        EnsembleCacheManager.builder()
            .scheduler(scheduler)
            .definitions(definitions)
            .maintenance(true)
            .beat(BEAT)
            .engine(Mode.MWMR, this::engine);
    sites.forEach(builder::site);
    return builder.build();
  }

  @AfterEach
  void stop() {
    one.stop();
    two.stop();
    scheduler.close();
  }

  private void enter() {
    for (StubSite site : sites) {
      one.membership()
          .add(
              SiteEntry.open(
                  site.name(), List.of(new Endpoint("127.0.0.1", 1)), SiteStorage.MEMORY));
    }
  }

  private StoredDefinition stored() {
    return one.stored("s").orElseThrow();
  }

  @Test
  void aLostStoreIsGivenBackAllIsComparedAndNodesAreEntered() throws Exception {
    sites.get(0).nodes = Set.of(InetSocketAddress.createUnresolved("10.0.0.9", 7));
    enter();
    one.createCache(CacheDefinition.of("s", Mode.MWMR).sites("a", "b", "c").build());
    await("comparisons")
        .pollInterval(Duration.ofMillis(20))
        .atMost(Duration.ofMinutes(2))
        .until(() -> comparisons.get() >= 3); // Initially the state of each site is unknown.
    await("notes of three sites")
        .pollInterval(Duration.ofMillis(20))
        .atMost(Duration.ofMinutes(2))
        .until(() -> one.membership().notes().size() == 3);
    String before = stored().store("b").orElseThrow();

    sites.get(1).stores.clear();

    await("another store at b")
        .pollInterval(Duration.ofMillis(20))
        .atMost(Duration.ofMinutes(2))
        .until(() -> !stored().store("b").orElseThrow().equals(before));
    // Maintenance may by now have created its own store, which lists nodes, again.
    assertThat(sites.get(1).stores.entrySet())
        .filteredOn(store -> store.getValue() == StoreKind.REPLICA)
        .extracting(Map.Entry::getKey)
        .containsExactly(stored().store("b").orElseThrow());
    await("b is not behind")
        .pollInterval(Duration.ofMillis(20))
        .atMost(Duration.ofMinutes(2))
        .until(() -> "no".equals(one.membership().notes().get("b").get("behind")));
    assertThat(refills.get()).isPositive();
    assertThat(one.membership().notes())
        .allSatisfy((site, notes) -> assertThat(notes).containsEntry("state", "reachable"));
    List<Endpoint> found = List.of(new Endpoint("10.0.0.9", 7));
    await("the endpoints that were found")
        .pollInterval(Duration.ofMillis(20))
        .atMost(Duration.ofMinutes(2))
        .until(() -> one.membership().entry("a").orElseThrow().endpoints().equals(found));
  }

  /** The obsolete store of a dead site may stay in the record indefinitely. */
  @Test
  void whatIsLeftOfAChangeThatEndedHoldsUpNoDrain() throws Exception {
    enter();
    one.createCache(CacheDefinition.of("s", Mode.MWMR).sites("a").build());
    one.createCache(CacheDefinition.of("t", Mode.MWMR).sites("b").build());
    StoredDefinition other = one.stored("t").orElseThrow();
    ConfigurationChange ended =
        ConfigurationChange.begun(other.definition(), other.incarnations(), "dead", new TreeSet<>())
            .ending(ChangePhase.ABORTING, List.of(new ObsoleteStore("c", "left")));
    definitions.replace(other.with(Optional.of(ended)));
    sites.get(2).fails = Reason.UNREACHABLE;

    one.membership().drain("a", SiteSelector.FEWEST_CACHES);

    await("a change that leaves a")
        .pollInterval(Duration.ofMillis(20))
        .atMost(Duration.ofMinutes(2))
        .until(() -> stored().change().isPresent() || !stored().definition().sites().contains("a"));
    assertThat(one.stored("t").orElseThrow().change()).isPresent();
  }

  /** Maintenance that can hold the task of one site, and cannot reach that site. */
  private Maintenance caring(TaskEntries tasks) {
    InMemoryDefinitions catalog = new InMemoryDefinitions();
    catalog
        .sites()
        .create(SiteEntry.open("a", List.of(new Endpoint("127.0.0.1", 1)), SiteStorage.MEMORY));
    ManagerContext federation =
        new ManagerContext(
            SiteDirectory.of(Map.of()),
            catalog,
            scheduler,
            Optional.empty(),
            new HybridClock(scheduler::epochMicros),
            null,
            BEAT,
            new SecureRandom(),
            List.of());
    SiteMaintenance.Means means =
        new SiteMaintenance.Means(federation, null, null, null, null, null, BEAT);
    return new Maintenance(means, catalog.sites(), tasks, "1".repeat(32), BEAT);
  }

  private static List<TaskEntry> all(TaskEntries tasks) {
    return tasks.all().toCompletableFuture().join();
  }

  @Test
  void whoHasEndedTakesNoTask() {
    TaskEntries tasks = new InMemoryDefinitions().tasks();
    Maintenance ended = caring(tasks);
    ended.close();

    ended.start(); // Simulates a check that was under way.

    assertThat(all(tasks)).isEmpty();
  }

  @Test
  void whoEndsGivesItsTasksUp() {
    TaskEntries tasks = new InMemoryDefinitions().tasks();
    Maintenance ends = caring(tasks);
    ends.start();
    assertThat(all(tasks)).hasSize(1);

    ends.close();

    assertThat(all(tasks)).isEmpty();
  }

  @Test
  void aTaskAcquiredAfterTheEndIsReleased() {
    DelayedTaskEntries tasks = new DelayedTaskEntries();
    Maintenance ended = caring(tasks.held());
    ended.start();
    ended.close();

    tasks.letGo();

    assertThat(tasks.created()).isOne();
    assertThat(all(tasks.now())).isEmpty();
  }

  @Test
  void aSiteThatDoesNotAnswerHasLostNothing() throws Exception {
    enter();
    one.createCache(CacheDefinition.of("s", Mode.MWMR).sites("a", "b", "c").build());
    await("notes of three sites")
        .pollInterval(Duration.ofMillis(20))
        .atMost(Duration.ofMinutes(2))
        .until(() -> one.membership().notes().size() == 3);
    Map<String, String> lives = stored().incarnations();

    sites.get(1).fails = Reason.UNREACHABLE;
    sites.get(1).stores.clear();
    await("comparisons")
        .pollInterval(Duration.ofMillis(20))
        .atMost(Duration.ofMinutes(2))
        .until(() -> comparisons.get() >= 2);
    one.stop(); // The other process takes its tasks over.
    await("notes of three sites")
        .pollInterval(Duration.ofMillis(20))
        .atMost(Duration.ofMinutes(2))
        .until(() -> two.membership().notes().size() == 3);

    assertThat(two.stored("s").orElseThrow().incarnations()).isEqualTo(lives);
    assertThat(refills).hasValue(0);
  }
}
