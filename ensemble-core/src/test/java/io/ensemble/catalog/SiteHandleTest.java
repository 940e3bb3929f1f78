package io.ensemble.catalog;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.ensemble.CacheDefinition;
import io.ensemble.CacheDeletedException;
import io.ensemble.Mode;
import io.ensemble.cache.CacheMetrics;
import io.ensemble.catalog.definition.InMemoryDefinitions;
import io.ensemble.catalog.definition.StoredDefinition;
import io.ensemble.schedule.Deadline;
import io.ensemble.schedule.ThreadScheduler;
import io.ensemble.site.Bytes;
import io.ensemble.site.SiteException;
import io.ensemble.site.SiteException.Reason;
import io.ensemble.site.SiteStore;
import io.ensemble.site.StoreKind;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import java.time.Duration;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

class SiteHandleTest {

  private static final String BIRTH = "0000000000ca0000000000b1";
  private static final String STORE = "c.1." + BIRTH + ".00000001";
  private static final Bytes KEY = Bytes.of((byte) 1);

  private final VirtualTimeScheduler scheduler = new VirtualTimeScheduler();
  private final InMemoryDefinitions definitions = new InMemoryDefinitions();
  private final StubSite site = new StubSite("a");
  private final SimpleMeterRegistry registry = new SimpleMeterRegistry();
  private final CacheDefinition definition =
      CacheDefinition.of("c", Mode.MWMR).sites("a", "b").build();
  private final StoredDefinition stored =
      StoredDefinition.first(definition, BIRTH, Map.of("a", "00000001", "b", "00000002"));
  private final DefinitionWatch watch = new DefinitionWatch(stored, definitions, scheduler);
  private final SiteHandle handle =
      new SiteHandle(site, watch, scheduler, CacheMetrics.of(registry, "c", Mode.MWMR));

  @BeforeEach
  void define() {
    definitions.create(stored);
    site.stores.put(STORE, StoreKind.REPLICA);
  }

  @Test
  void itOpensOnceForAllAndRemembers() {
    SiteStore first = opened();

    assertThat(opened()).isSameAs(first);
    assertThat(handle.current()).containsSame(first);
    assertThat(site.opens).hasValue(1);
    assertThat(scheduler.timers()).isZero();
  }

  @Test
  void withoutASchedulerItFailsAtOnceAndNobodyWaits() {
    ThreadScheduler ended = new ThreadScheduler(1);
    ended.close();
    SiteHandle late =
        new SiteHandle(
            site, new DefinitionWatch(stored, definitions, ended), ended, CacheMetrics.NONE);

    for (int i = 0; i < 2; i++) {
      assertThat(late.store(Deadline.after(Duration.ofSeconds(1), ended)))
          .isCompletedExceptionally();
    }
  }

  @Test
  void aSiteThatIsDownIsTriedAgainAtGrowingIntervals() {
    site.fails = Reason.UNREACHABLE;
    for (int i = 0; i < 100; i++) {
      assertThat(reason(store())).isEqualTo(Reason.UNREACHABLE);
    }
    assertThat(site.opens).hasValue(1);

    for (int millis = 0; millis < 60_000; millis += 10) {
      scheduler.advance(Duration.ofMillis(10));
      store();
    }
    assertThat(site.opens.get()).isBetween(15, 20);

    site.fails = null;
    scheduler.advance(SiteHandle.LONGEST_PAUSE);
    assertThat(opened()).isNotNull();
    assertThat(handle.current()).isPresent();
  }

  @Test
  void aPrioritizedRequestThatFindsTheStoreLostTellsTheHandle() {
    SiteStore prioritized = opened().prioritized();
    site.stores.clear();

    assertThat(reason(prioritized.read(KEY, soon()))).isEqualTo(Reason.STORE_LOST);

    assertThat(handle.current()).isEmpty();
  }

  @Test
  void aLostStoreIsLookedForUnderItsNewName() {
    SiteStore old = opened();
    site.stores.clear();
    assertThat(reason(old.read(KEY, soon()))).isEqualTo(Reason.STORE_LOST);
    assertThat(handle.current()).isEmpty();
    assertThat(reason(store())).isEqualTo(Reason.STORE_LOST);

    site.stores.put("c.1." + BIRTH + ".0000000f", StoreKind.REPLICA);
    definitions.replace(stored.withIncarnation("a", "0000000f"));
    scheduler.advance(SiteHandle.FIRST_PAUSE);

    assertThat(contents(opened())).isEqualTo("c.1." + BIRTH + ".0000000f");
    assertThat(reason(old.read(KEY, soon()))).isEqualTo(Reason.STORE_LOST);
    assertThat(handle.current()).as("a late failure of the old one").isPresent();
  }

  @Test
  void aStoreIsLeftWhenTheCatalogNamesAnother() {
    StoredDefinition elsewhere = stored.withIncarnation("b", "0000000e");
    StoredDefinition here = elsewhere.withIncarnation("a", "0000000f");
    site.stores.put("c.1." + BIRTH + ".0000000f", StoreKind.REPLICA);
    SiteStore old = opened();

    handle.follow(elsewhere);
    assertThat(handle.current()).as("its own is the same").containsSame(old);
    handle.follow(here);
    assertThat(contents(opened())).isEqualTo("c.1." + BIRTH + ".0000000f");
    handle.follow(elsewhere);
    assertThat(contents(opened())).as("an old value").isEqualTo("c.1." + BIRTH + ".0000000f");
  }

  /** If a node has died, requests to the former store and attempts to open it hang. */
  @Test
  void anAttemptToOpenAFormerStoreDoesNotDelayTheNextOne() {
    String next = "c.1." + BIRTH + ".0000000f";
    site.fails = Reason.UNREACHABLE;
    for (int i = 0; i < 10; i++) { // The pauses between attempts have grown.
      store();
      scheduler.advance(SiteHandle.LONGEST_PAUSE);
    }
    site.fails = null;
    site.hanging.add(STORE);
    assertThat(store().toCompletableFuture()).isNotDone();
    site.stores.put(next, StoreKind.REPLICA);

    handle.renew(stored.withIncarnation("a", "0000000f"));

    assertThat(contents(opened())).isEqualTo(next);
    scheduler.advance(SiteHandle.ATTEMPT);
    assertThat(contents(opened())).as("when the former attempt has ended").isEqualTo(next);
    assertThat(site.opens.get()).isEqualTo(12);
  }

  @Test
  void anotherFailureLeavesTheStoreOpen() {
    SiteStore store = opened();
    site.fails = Reason.UNREACHABLE;

    assertThat(reason(store.read(KEY, soon()))).isEqualTo(Reason.UNREACHABLE);

    assertThat(handle.current()).containsSame(store);
    assertThat(
            registry
                .get("ensemble.site.request")
                .tags("site", "a", "request", "read", "outcome", "unreachable")
                .timer()
                .count())
        .isEqualTo(1);
  }

  @Test
  void aSiteWithoutAnIncarnationWaitsForItsRecovery() {
    SiteHandle without =
        new SiteHandle(
            site,
            new DefinitionWatch(
                StoredDefinition.first(definition, BIRTH, Map.of()), definitions, scheduler),
            scheduler,
            CacheMetrics.NONE);

    assertThatThrownBy(() -> without.store(soon()).toCompletableFuture().join())
        .hasMessageContaining("until the site is recovered");
    without.renew(stored);
    assertThat(without.store(soon())).isCompleted();
  }

  @Test
  void theHandlesOfADeletedCacheCloseTogether() {
    SiteHandle other = new SiteHandle(new StubSite("b"), watch, scheduler, CacheMetrics.NONE);
    SiteStore old = opened();
    AtomicInteger told = new AtomicInteger();
    watch.whenDeleted(told::incrementAndGet);
    definitions.delete(stored);
    site.stores.clear();

    assertThat(reason(old.read(KEY, soon()))).isEqualTo(Reason.STORE_LOST);

    assertThat(told).hasValue(1);
    assertThat(handle.current()).isEmpty();
    assertThat(reason(store())).isEqualTo(Reason.DELETED);
    assertThat(reason(other.store(soon()))).isEqualTo(Reason.DELETED);
    assertThat(failure(store()).getCause()).isInstanceOf(CacheDeletedException.class);
    watch.whenDeleted(told::incrementAndGet);
    assertThat(told).as("who asks late is told at once").hasValue(2);
  }

  @Test
  void aStoreOfTheCacheThatHasTheNameNowIsNotOpened() {
    SiteStore old = opened();
    definitions.delete(stored);
    StoredDefinition again =
        StoredDefinition.first(definition, "0000000000ca0000000000b2", Map.of("a", "0000000a"));
    definitions.create(again);
    site.stores.clear();
    site.stores.put(again.store("a").orElseThrow(), StoreKind.REPLICA);
    int opens = site.opens.get();

    assertThat(reason(old.read(KEY, soon()))).isEqualTo(Reason.STORE_LOST);

    assertThat(reason(store())).isEqualTo(Reason.DELETED);
    assertThat(site.opens).hasValue(opens);
    assertThatThrownBy(() -> handle.renew(again)).isInstanceOf(IllegalArgumentException.class);
  }

  @Test
  void aClientThatReachesAStoreStillLearnsOfTheDeletionByLooking() {
    opened();
    watch.start();
    definitions.delete(stored);

    scheduler.advance(DefinitionWatch.INTERVAL.minusMillis(1));
    assertThat(handle.current()).isPresent();
    scheduler.advance(Duration.ofMillis(1));

    assertThat(handle.current()).isEmpty();
    assertThat(reason(store())).isEqualTo(Reason.DELETED);
    assertThat(scheduler.timers()).as("it looks no more").isZero();
  }

  @Test
  void lookingGoesOnWhileTheCacheIsThereAndEndsWhenItIsClosed() {
    watch.start();
    watch.start();
    scheduler.advance(DefinitionWatch.INTERVAL.multipliedBy(3));
    assertThat(scheduler.timers()).isEqualTo(1);
    assertThat(watch.isDeleted()).isFalse();

    watch.close();

    assertThat(scheduler.timers()).isZero();
  }

  @Test
  void aSiteThatNeverAnswersEndsAtTheDeadline() {
    SiteHandle slow = new SiteHandle(new SilentSite(), watch, scheduler, CacheMetrics.NONE);

    CompletionStage<SiteStore> hurried =
        slow.store(Deadline.after(Duration.ofMillis(50), scheduler));
    scheduler.advance(Duration.ofMillis(49));
    assertThat(hurried.toCompletableFuture()).isNotDone();
    scheduler.advance(Duration.ofMillis(1));
    assertThat(reason(hurried)).isEqualTo(Reason.TIMED_OUT);
    scheduler.advance(SiteHandle.ATTEMPT);
    assertThat(scheduler.timers()).isZero();
  }

  /** Accepts connections and never answers. */
  private static final class SilentSite implements io.ensemble.site.Site {

    @Override
    public String name() {
      return "a";
    }

    @Override
    public CompletionStage<SiteStore> create(String store, StoreKind kind, Deadline deadline) {
      return new CompletableFuture<>();
    }

    @Override
    public CompletionStage<SiteStore> open(String store, StoreKind kind, Deadline deadline) {
      return new CompletableFuture<>();
    }

    @Override
    public CompletionStage<Void> remove(String store, Deadline deadline) {
      return new CompletableFuture<>();
    }

    @Override
    public CompletionStage<Set<String>> stores(Deadline deadline) {
      return new CompletableFuture<>();
    }

    @Override
    public void close() {}
  }

  private Deadline soon() {
    return Deadline.after(Duration.ofSeconds(1), scheduler);
  }

  private CompletionStage<SiteStore> store() {
    return handle.store(soon());
  }

  private SiteStore opened() {
    CompletableFuture<SiteStore> future = store().toCompletableFuture();
    assertThat(future).isCompleted();
    return future.join();
  }

  private String contents(SiteStore store) {
    return new String(
        store.read(KEY, soon()).toCompletableFuture().join().orElseThrow().value().array());
  }

  private static Reason reason(CompletionStage<?> stage) {
    assertThat(stage.toCompletableFuture()).isCompletedExceptionally();
    return ((SiteException) io.ensemble.cache.CompletionCause.of(failure(stage))).reason();
  }

  private static Throwable failure(CompletionStage<?> stage) {
    return io.ensemble.cache.CompletionCause.of(
        stage.toCompletableFuture().handle((value, thrown) -> thrown).join());
  }
}
