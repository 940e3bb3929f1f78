package io.ensemble;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.awaitility.Awaitility.await;

import io.ensemble.cache.adapter.InMemoryEngine;
import io.ensemble.catalog.StubSite;
import io.ensemble.catalog.definition.Definitions;
import io.ensemble.catalog.definition.InMemoryDefinitions;
import io.ensemble.catalog.definition.StoredDefinition;
import io.ensemble.catalog.record.CatalogException;
import io.ensemble.change.ChangePhase;
import io.ensemble.change.ConfigurationChange;
import io.ensemble.change.ObsoleteStore;
import io.ensemble.detect.SuspicionLevel;
import io.ensemble.schedule.ThreadScheduler;
import io.ensemble.site.BoundedSite;
import io.ensemble.site.Site;
import io.ensemble.site.SiteException.Reason;
import io.ensemble.site.SiteLimits;
import io.ensemble.site.StoreKind;
import java.lang.reflect.Proxy;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.TreeSet;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;

/** When a process rebuilds a cache because a node does not answer, and when it does not rebuild. */
@Execution(ExecutionMode.CONCURRENT)
@Timeout(120)
class AutomaticRebuildTest {

  private static final Duration BEAT = Duration.ofMillis(50);
  private static final Duration SILENCE = Duration.ofSeconds(1);

  /** A rebuild that makes no progress for this long is cancelled. */
  private static final Duration LONGER_SILENCE = Duration.ofSeconds(10);

  private static final String ONE = "00000001";
  private static final String TWO = "00000002";

  private final ThreadScheduler scheduler = new ThreadScheduler(2);
  private final InMemoryDefinitions definitions = new InMemoryDefinitions();
  private final StubSite a = new StubSite("a");
  private final StubSite b = new StubSite("b");
  private final StubSite c = new StubSite("c");
  private final List<EnsembleCacheManager> managers = new ArrayList<>();

  private EnsembleCacheManager manager(boolean refilling, Duration silence) {
    return manager(definitions, a, refilling, silence);
  }

  private EnsembleCacheManager manager(
      Definitions catalog, Site first, boolean refilling, Duration silence) {
    EnsembleCacheManager manager =
        EnsembleCacheManager.builder()
            .scheduler(scheduler)
            .definitions(catalog)
            .refilling(refilling)
            .rebuildAfter(silence)
            .beat(BEAT)
            .engine(Mode.MWMR, cache -> new InMemoryEngine(scheduler, scheduler::epochMicros))
            .site(first)
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

  /** Creates a cache whose replica at {@code a} is on a node that stops answering. */
  private StoredDefinition createdAndSilent(EnsembleCacheManager manager) {
    a.nodeKeys = List.of(ONE, TWO);
    manager.createCache(CacheDefinition.of("s", Mode.MWMR).sites("a", "b", "c").build());
    StoredDefinition before = manager.stored("s").orElseThrow();
    assertThat(before.store("a").orElseThrow()).endsWith(ONE);
    a.silentNodes.add(ONE);
    return before;
  }

  private Optional<ConfigurationChange> change() {
    return managers.get(0).stored("s").flatMap(StoredDefinition::change);
  }

  private void awaitChange() {
    await("a change is begun").atMost(Duration.ofMinutes(1)).until(() -> change().isPresent());
  }

  /** Waits for 60 more opens of stores; an unhindered rebuild begins after far fewer. */
  private void awaitManyChecks() {
    int opens = a.opens.get();
    await("checks").atMost(Duration.ofMinutes(1)).until(() -> a.opens.get() >= opens + 60);
  }

  @Test
  void aReplicaOnANodeThatStaysAwayComesToAnotherNode() {
    createdAndSilent(manager(true, SILENCE));

    awaitChange();

    ConfigurationChange begun = change().orElseThrow();
    assertThat(begun.to()).isEqualTo(managers.get(0).stored("s").orElseThrow().definition());
    assertThat(begun.incarnations().get("a")).endsWith(TWO);
  }

  @Test
  void ofManyProcessesOneBegins() {
    for (int i = 0; i < 4; i++) {
      manager(true, LONGER_SILENCE);
    }
    createdAndSilent(managers.get(0));
    managers.forEach(manager -> manager.getCache("s"));

    awaitChange();
    String owner = change().orElseThrow().owner();
    awaitManyChecks();

    assertThat(change().map(ConfigurationChange::owner)).contains(owner);
  }

  @Test
  void aNodeThatIsAwayForAShorterTimeStaysThePlaceOfItsReplica() {
    createdAndSilent(manager(true, Duration.ofMinutes(10)));

    awaitManyChecks();

    assertThat(change()).isEmpty();
  }

  @Test
  void aProcessThatDoesNotRefillDoesNotRebuild() {
    createdAndSilent(manager(false, SILENCE));

    awaitManyChecks();

    assertThat(change()).isEmpty();
  }

  @Test
  void aSiteWithoutAnotherNodeThatAnswersKeepsItsReplica() {
    createdAndSilent(manager(true, SILENCE));
    a.silentNodes.add(TWO);

    awaitManyChecks();

    assertThat(change()).isEmpty();
    a.silentNodes.remove(TWO);
    awaitChange();
  }

  @Test
  void whileASiteDoesNotAnswerNothingIsRebuilt() {
    createdAndSilent(manager(true, SILENCE));
    a.fails = Reason.UNREACHABLE;
    a.health = new SuspicionLevel(SuspicionLevel.State.DOWN, 99, 1);

    awaitManyChecks();

    assertThat(change()).isEmpty();
    a.fails = null;
    awaitChange();
  }

  @Test
  void withoutAMajorityNothingIsRebuilt() {
    createdAndSilent(manager(true, SILENCE));
    b.health = new SuspicionLevel(SuspicionLevel.State.DOWN, 99, 1);

    awaitManyChecks();

    assertThat(change()).isEmpty();
    b.health = SuspicionLevel.UNASKED;
    awaitChange();
  }

  /** A process that asks one node only suspects the site when that node stops answering. */
  @Test
  void aSiteThatSeemsToBeDownIsAsked() {
    Site guarded = new BoundedSite(a, SiteLimits.DEFAULT, scheduler);
    EnsembleCacheManager manager = manager(definitions, guarded, true, Duration.ofSeconds(3));
    createdAndSilent(manager);

    await("it seems to be down")
        .atMost(Duration.ofMinutes(1))
        .until(() -> guarded.health().state() != SuspicionLevel.State.REACHABLE);

    awaitChange();
  }

  /** A check that cannot read the cache's record does not restart the silence period. */
  @Test
  void aCatalogThatFailsNowAndThenDoesNotBeginTheTimeAnew() {
    AtomicBoolean fails = new AtomicBoolean();
    Definitions failing =
        (Definitions)
            Proxy.newProxyInstance(
                Definitions.class.getClassLoader(),
                new Class<?>[] {Definitions.class},
                (proxy, method, arguments) ->
                    method.getName().equals("get") && fails.getAndSet(false)
                        ? CompletableFuture.failedFuture(
                            new CatalogException(CatalogException.Reason.UNAVAILABLE, "told to"))
                        : method.invoke(definitions, arguments));
    EnsembleCacheManager manager = manager(failing, a, true, Duration.ofSeconds(12));
    createdAndSilent(manager);
    await("some time").pollDelay(Duration.ofSeconds(1)).until(() -> true);
    fails.set(true); // After a failure the record is not read for 10 s.

    await("a rebuild")
        .atMost(Duration.ofSeconds(20))
        .until(
            () ->
                definitions
                    .get("s")
                    .toCompletableFuture()
                    .join()
                    .flatMap(StoredDefinition::change)
                    .isPresent());
  }

  /** Otherwise a rebuild without progress would block all other changes of the cache. */
  @Test
  void aRebuildThatStandsStillIsCancelledAndTriedAgain() {
    createdAndSilent(manager(true, SILENCE));
    c.lostCreations.set(Integer.MAX_VALUE);

    awaitChange();
    String owner = change().orElseThrow().owner();

    await("it is cancelled")
        .atMost(Duration.ofMinutes(1))
        .until(
            () ->
                change()
                    .map(ConfigurationChange::step)
                    .filter(ChangePhase.ABORTING::equals)
                    .isPresent());
    await("another one")
        .atMost(Duration.ofMinutes(1))
        .until(
            () ->
                change()
                    .filter(next -> !next.isEnding() && !next.owner().equals(owner))
                    .isPresent());
  }

  /** An obsolete store stays in the record until it has been removed. */
  @Test
  void whatARebuildHasLeftToRemoveDoesNotKeepTheNextFromBeginning() {
    StoredDefinition before = createdAndSilent(manager(true, Duration.ofMinutes(10)));
    ConfigurationChange left =
        ConfigurationChange.begun(
                before.definition(), before.incarnations(), "another process", new TreeSet<>())
            .ending(ChangePhase.ABORTING, List.of(new ObsoleteStore("c", "s.left")));
    assertThat(definitions.replace(before.with(Optional.of(left))).toCompletableFuture().join())
        .isTrue();

    manager(true, SILENCE).getCache("s");

    await("a rebuild")
        .atMost(Duration.ofMinutes(1))
        .until(() -> change().filter(next -> !next.isEnding()).isPresent());
    assertThat(change().orElseThrow().remains()).contains(new ObsoleteStore("c", "s.left"));
  }

  @Test
  void whereTheProcessThatRebuildsIsStoppedAnotherGoesOn() {
    EnsembleCacheManager other = manager(true, Duration.ofMinutes(10));
    EnsembleCacheManager first = manager(true, LONGER_SILENCE);
    createdAndSilent(first);
    other.getCache("s");
    c.lostCreations.set(Integer.MAX_VALUE);

    awaitChange();
    ConfigurationChange begun = change().orElseThrow();
    first.stop();

    await("another owner")
        .atMost(Duration.ofMinutes(1))
        .until(
            () ->
                change()
                    .filter(now -> !now.isEnding())
                    .filter(now -> now.turn() > begun.turn())
                    .isPresent());
  }

  /** Each attempt would leave obsolete stores behind and lengthen the record. */
  @Test
  void aRebuildThatASiteRefusesIsTriedLessAndLessOften() {
    createdAndSilent(manager(true, SILENCE));
    int creations = c.creations.get();
    c.refusesCreations = true;

    await("some attempts").atMost(Duration.ofMinutes(1)).until(() -> c.refusals.get() >= 2);
    long second = System.nanoTime();
    await("another").atMost(Duration.ofMinutes(1)).until(() -> c.refusals.get() >= 3);

    assertThat(Duration.ofNanos(System.nanoTime() - second)).isGreaterThan(SILENCE.multipliedBy(3));
    assertThat(c.creations.get()).isEqualTo(creations);
  }

  /**
   * A check that follows a refused rebuild makes the wait longer. The result of an earlier check
   * must not begin another rebuild, however long the next check takes.
   */
  @Test
  void aRefusedRebuildIsNotBegunAgainWhileTheNextCheckTakesLong() throws Exception {
    CountDownLatch released = new CountDownLatch(1);
    AtomicInteger reads = new AtomicInteger();
    Definitions slow =
        (Definitions)
            Proxy.newProxyInstance(
                Definitions.class.getClassLoader(),
                new Class<?>[] {Definitions.class},
                (proxy, method, arguments) -> {
                  if (method.getName().equals("get")
                      && c.refusals.get() > 0
                      && Thread.currentThread().getName().equals("ensemble-store-checks")) {
                    if (reads.getAndIncrement() == 0) {
                      await("the refused rebuild ends")
                          .pollDelay(BEAT.multipliedBy(4))
                          .until(() -> change().isEmpty());
                    } else {
                      released.await();
                    }
                  }
                  return method.invoke(definitions, arguments);
                });
    createdAndSilent(manager(slow, a, true, SILENCE));
    c.refusesCreations = true;

    await("a refused rebuild").atMost(Duration.ofMinutes(1)).until(() -> c.refusals.get() > 0);
    await("the next check").atMost(Duration.ofMinutes(1)).until(() -> reads.get() > 1);
    await("no other rebuild")
        .during(SILENCE)
        .atMost(Duration.ofMinutes(1))
        .until(() -> c.refusals.get() == 1);

    released.countDown();
    await("another").atMost(Duration.ofMinutes(1)).until(() -> c.refusals.get() > 1);
  }

  /** Only the process that carries out a rebuild can tell whether it makes progress. */
  @Test
  void aRebuildThatAnotherProcessCarriesOutIsNotCancelled() {
    EnsembleCacheManager operator = manager(true, Duration.ofMinutes(10));
    createdAndSilent(operator);
    c.lostCreations.set(Integer.MAX_VALUE);
    operator.changes().rebuild("s", 0);
    ConfigurationChange begun = change().orElseThrow();

    manager(true, SILENCE).getCache("s");
    awaitManyChecks();

    assertThat(change().filter(now -> !now.isEnding()).map(ConfigurationChange::owner))
        .contains(begun.owner());
  }

  /** Otherwise processes that reach different nodes would move a cache back and forth. */
  @Test
  void afterARebuildTheNextTakesTwiceAsLong() {
    StoredDefinition before = createdAndSilent(manager(true, SILENCE));
    await("the cache was checked").until(() -> a.opens.get() > 3);
    ConfigurationChange done =
        ConfigurationChange.begun(
            before.definition(), before.incarnations(), "another process", new TreeSet<>());
    StoredDefinition begun = before.with(Optional.of(done));
    assertThat(definitions.replace(begun).toCompletableFuture().join()).isTrue();
    StoredDefinition switched = begun.switched();
    assertThat(definitions.replace(switched).toCompletableFuture().join()).isTrue();
    StoredDefinition rebuilt = switched.with(Optional.empty());
    b.stores.put(rebuilt.store("b").orElseThrow(), StoreKind.REPLICA);
    c.stores.put(rebuilt.store("c").orElseThrow(), StoreKind.REPLICA);
    assertThat(definitions.replace(rebuilt).toCompletableFuture().join()).isTrue();
    long at = System.nanoTime();

    awaitChange();

    assertThat(Duration.ofNanos(System.nanoTime() - at)).isGreaterThan(SILENCE.multipliedBy(2));
  }

  @Test
  void aSilenceOutOfRangeIsRefused() {
    for (Duration wrong : List.of(Duration.ZERO, Duration.ofMillis(999), Duration.ofDays(366))) {
      assertThatIllegalArgumentException()
          .isThrownBy(() -> EnsembleCacheManager.builder().rebuildAfter(wrong))
          .withMessageContaining("[1 s, 365 d]");
    }
  }
}
