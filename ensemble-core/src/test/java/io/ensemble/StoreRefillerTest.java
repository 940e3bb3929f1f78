package io.ensemble;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.ensemble.cache.CacheEngine;
import io.ensemble.cache.EngineContext;
import io.ensemble.cache.RecoverableEngine;
import io.ensemble.cache.adapter.InMemoryEngine;
import io.ensemble.catalog.StubSite;
import io.ensemble.catalog.definition.InMemoryDefinitions;
import io.ensemble.catalog.definition.StoredDefinition;
import io.ensemble.catalog.task.TaskEntry;
import io.ensemble.schedule.ThreadScheduler;
import io.ensemble.site.SiteException.Reason;
import java.lang.reflect.Proxy;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;

/** Stores that nodes have lost, and the processes that refill them. */
@Execution(ExecutionMode.CONCURRENT)
@Timeout(120)
class StoreRefillerTest {

  private static final Duration BEAT = Duration.ofMillis(50);
  private static final String ONE = "00000001";
  private static final String TWO = "00000002";

  private final ThreadScheduler scheduler = new ThreadScheduler(2);
  private final InMemoryDefinitions definitions = new InMemoryDefinitions();
  private final StubSite a = new StubSite("a");
  private final StubSite b = new StubSite("b");
  private final StubSite c = new StubSite("c");
  private final AtomicInteger refills = new AtomicInteger();
  private volatile Duration copying = Duration.ZERO;
  private final List<EnsembleCacheManager> managers = new ArrayList<>();

  private interface Refilled extends CacheEngine, RecoverableEngine {}

  private CacheEngine engine(EngineContext cache) {
    InMemoryEngine inner = new InMemoryEngine(scheduler, scheduler::epochMicros);
    return (Refilled)
        Proxy.newProxyInstance(
            Refilled.class.getClassLoader(),
            new Class<?>[] {Refilled.class},
            (proxy, method, arguments) -> {
              if (!method.getName().equals("refill")) {
                return method.invoke(inner, arguments);
              }
              refills.incrementAndGet();
              CompletableFuture<Long> keys = new CompletableFuture<>();
              scheduler.after(copying.toNanos(), () -> keys.complete(7L));
              return keys;
            });
  }

  private EnsembleCacheManager manager(boolean refilling) {
    EnsembleCacheManager manager =
        EnsembleCacheManager.builder()
            .scheduler(scheduler)
            .definitions(definitions)
            .refilling(refilling)
            .beat(BEAT)
            .engine(Mode.MWMR, this::engine)
            .site(a)
            .site(b)
            .site(c)
            .build();
    managers.add(manager);
    return manager;
  }

  @AfterEach
  void stop() {
    managers.forEach(EnsembleCacheManager::stop);
    scheduler.close();
  }

  private static StoredDefinition created(EnsembleCacheManager manager, String cache) {
    manager.createCache(CacheDefinition.of(cache, Mode.MWMR).sites("a", "b", "c").build());
    return manager.stored(cache).orElseThrow();
  }

  private static void awaitAnother(EnsembleCacheManager manager, StoredDefinition than) {
    String cache = than.definition().name();
    await("another store")
        .pollInterval(Duration.ofMillis(20))
        .atMost(Duration.ofMinutes(1))
        .until(() -> !manager.stored(cache).orElseThrow().store("a").equals(than.store("a")));
  }

  @Test
  void whoHasTheCacheOpenRefillsAStoreThatIsLost() {
    EnsembleCacheManager manager = manager(true);
    StoredDefinition before = created(manager, "s");

    a.stores.clear();

    awaitAnother(manager, before);
    assertThat(a.stores)
        .containsOnlyKeys(manager.stored("s").orElseThrow().store("a").orElseThrow());
    assertThat(refills).hasPositiveValue();
  }

  /** One process publishes its store; the store of the other one is removed. */
  @Test
  void twoThatRefillAtOnceLeaveOneStore() {
    EnsembleCacheManager one = manager(true);
    StoredDefinition before = created(one, "s");
    EnsembleCacheManager two = manager(true);
    two.getCache("s");

    a.stores.clear();

    awaitAnother(one, before);
    await("one store")
        .atMost(Duration.ofMinutes(1))
        .untilAsserted(
            () ->
                assertThat(a.stores)
                    .containsOnlyKeys(one.stored("s").orElseThrow().store("a").orElseThrow()));
  }

  /** The copying takes far longer than the random delays of the other processes. */
  @Test
  void ofManyProcessesOneCopies() {
    EnsembleCacheManager one = manager(true);
    StoredDefinition before = created(one, "s");
    for (int i = 0; i < 5; i++) {
      manager(true).getCache("s");
    }
    copying = BEAT.multipliedBy(20);

    a.stores.clear();

    awaitAnother(one, before);
    assertThat(refills).hasValue(1);
  }

  /** The dead process holds the task and never carries it out. */
  @Test
  void aProcessThatDiedWhileItCopiedIsFollowed() {
    EnsembleCacheManager one = manager(true);
    StoredDefinition before = created(one, "s");
    String suffix = before.store("a").orElseThrow().substring("s".length());
    assertThat(
            definitions
                .tasks()
                .create(TaskEntry.first("refill " + suffix, "0".repeat(32), Map.of()))
                .toCompletableFuture()
                .join())
        .isTrue();

    a.stores.clear();

    awaitAnother(one, before);
  }

  @Test
  void aManagerThatIsToldNotToDoesNothing() {
    EnsembleCacheManager idle = manager(false);
    StoredDefinition before = created(idle, "s");
    StoredDefinition other = created(manager(true), "t");

    a.stores.clear();

    awaitAnother(idle, other); // Its own store would have been refilled too.
    assertThat(idle.stored("s").orElseThrow().store("a")).isEqualTo(before.store("a"));
  }

  /** The store of a silent node may be intact and stays; the lost store of another is refilled. */
  @Test
  void aSilentNodeHoldsUpNoOther() {
    a.nextNodes.addAll(List.of(ONE, TWO, TWO));
    EnsembleCacheManager manager = manager(true);
    StoredDefinition silent = created(manager, "s");
    StoredDefinition lost = created(manager, "t");
    assertThat(silent.store("a").orElseThrow()).endsWith(ONE);

    a.silentNodes.add(ONE);
    a.stores.remove(lost.store("a").orElseThrow());

    awaitAnother(manager, lost);
    assertThat(manager.stored("s").orElseThrow().store("a")).isEqualTo(silent.store("a"));
  }

  @Test
  void nothingIsRefilledFromAMinority() {
    EnsembleCacheManager manager = manager(true);
    StoredDefinition before = created(manager, "s");

    b.fails = Reason.UNREACHABLE;
    a.stores.clear();
    int opens = a.opens.get();
    await("some looks").atMost(Duration.ofMinutes(1)).until(() -> a.opens.get() >= opens + 8);

    assertThat(manager.stored("s").orElseThrow().store("a")).isEqualTo(before.store("a"));
    b.fails = null;
    awaitAnother(manager, before);
  }

  @Test
  void aCacheIsCreatedAtAnotherNodeWhereTheFirstIsSilent() {
    a.nextNodes.addAll(List.of(ONE, TWO));
    a.silentNodes.add(ONE);

    StoredDefinition made = created(manager(true), "s");

    assertThat(made.store("a").orElseThrow()).endsWith(TWO);
    assertThat(a.stores).containsOnlyKeys(made.store("a").orElseThrow());
  }

  @Test
  void aStoreIsRefilledAtAnotherNodeWhereTheFirstIsSilent() {
    a.nextNodes.addAll(List.of(ONE, ONE, TWO, TWO));
    EnsembleCacheManager manager = manager(false);
    StoredDefinition before = created(manager, "s");

    a.silentNodes.add(ONE);
    long keys = manager.recoverSite("s", "a", Duration.ofMinutes(10), FormerStorePolicy.DISCARD);

    assertThat(keys).isEqualTo(7);
    assertThat(manager.stored("s").orElseThrow().store("a").orElseThrow()).endsWith(TWO);
    assertThat(a.stores).doesNotContainKey(before.store("a").orElseThrow());
  }
}
