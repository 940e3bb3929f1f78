package io.ensemble.objects;

import static io.ensemble.objects.FactoryFixture.VISITS;
import static java.util.concurrent.TimeUnit.MILLISECONDS;
import static java.util.concurrent.TimeUnit.SECONDS;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;
import static org.junit.jupiter.api.Assertions.assertTimeoutPreemptively;

import io.ensemble.objects.protocol.ProtocolSettings;
import io.ensemble.objects.record.RootCodec;
import io.ensemble.objects.runtime.BlockingWait;
import io.ensemble.objects.store.MemoryStore;
import io.ensemble.objects.store.ObjectStore;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.NoSuchElementException;
import java.util.Optional;
import java.util.Queue;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ForkJoinPool;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Consumer;
import java.util.function.Function;
import org.infinispan.commons.util.CloseableIterator;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

class AtomicObjectFactoryTest {

  private final FactoryFixture factoryFixture = new FactoryFixture();
  private final MemoryStore store = factoryFixture.store;

  @AfterEach
  void close() {
    factoryFixture.close();
  }

  @Test
  void anObjectOfAnyClassIsShared() {
    Visits here = factoryFixture.one().create("visits", VISITS);
    Visits there = factoryFixture.one().open("visits", VISITS);

    assertThat(here.visit("a")).isEqualTo(1);
    assertThat(there.visit("b")).isEqualTo(2);
    assertThat(here.count()).isEqualTo(2);
    assertThat(here.log()).containsExactly("a", "b");
  }

  @Test
  void theStateOutlivesAllThatHadItOpen() {
    AtomicObjectFactory first = factoryFixture.one();
    first.create("visits", VISITS).visit("a");
    first.close();

    assertThat(factoryFixture.one().open("visits", VISITS).log()).containsExactly("a");
  }

  @Test
  void whatIsReadMayBeLongerThanWhatACallReturns() {
    Visits visits = factoryFixture.one().create("visits", VISITS);
    for (int i = 0; i < 4; i++) {
      visits.fill(100_000);
    }

    assertThat(visits.log()).hasSize(4);
    assertThat(soon(factoryFixture.one().glance("visits", VISITS, Visits::log))).hasSize(4);
  }

  /** A Hot Rod client can hang like this on a node that has died. */
  @Test
  void aStoreThatDoesNotEndItsEventsHoldsNobodyUp() {
    CountDownLatch never = new CountDownLatch(1);
    ObjectStore hanging =
        new UnresponsiveStore(store) {
          @Override
          public Optional<AutoCloseable> watch(Consumer<Change> listener) {
            return Optional.of(never::await);
          }
        };
    AtomicObjectFactory factory =
        AtomicObjectFactory.builder(hanging).requestTimeout(Duration.ofMillis(200)).build();
    factory.create("visits", VISITS).visit("a");

    assertTimeoutPreemptively(Duration.ofSeconds(30), () -> factory.close());

    never.countDown();
    assertThat(factoryFixture.one().open("visits", VISITS).log()).containsExactly("a");
  }

  @Test
  void objectsOfAStoreAreListedWithoutThoseThatWereDisposedOf() {
    AtomicObjectFactory factory = factoryFixture.one();
    factory.create("visits/a", VISITS);
    factory.create("visits/b", VISITS);
    factory.create("gone", VISITS);
    factory.dispose("gone");
    factory.create("counter", Counter.TYPE);

    List<ListedObject> all = new ArrayList<>();
    try (CloseableIterator<ListedObject> objects = factory.list("")) {
      objects.forEachRemaining(all::add);
      assertThatThrownBy(objects::next).isInstanceOf(NoSuchElementException.class);
    }

    assertThat(all)
        .extracting(ListedObject::name)
        .containsExactlyInAnyOrder("visits/a", "visits/b", "counter");
    assertThat(all).extracting(ListedObject::type).doesNotContainNull();
    try (CloseableIterator<ListedObject> objects = factory.list("visits/")) {
      assertThat(objects).toIterable().hasSize(2);
    }
  }

  @Test
  void anObjectIsLookedAtWithoutBeingOpened() {
    AtomicObjectFactory writer = factoryFixture.one();
    Visits visits = writer.create("visits", VISITS);
    AtomicObjectFactory reader = factoryFixture.one();

    visits.visit("a");

    assertThat(soon(reader.glance("visits", VISITS, Visits::log))).containsExactly("a");
    factoryFixture.awaitWatchers(1);
    assertThatThrownBy(() -> soon(reader.glance("none", VISITS, Visits::log)))
        .isInstanceOf(AtomicObjectException.NoSuchObject.class);
    assertThatThrownBy(() -> soon(reader.glance("visits", Counter.TYPE, Counter::get)))
        .isInstanceOf(AtomicObjectException.OtherType.class);
  }

  @Test
  void anObjectIsLookedAtWhereItsStateIsStoredByItself() {
    ProtocolSettings apart = ProtocolSettings.DEFAULT.inlineBytes(50).tailBytes(200);
    Visits visits = factoryFixture.one(apart).create("visits", VISITS);
    visits.fill(100);
    visits.visit("a");

    AtomicObjectFactory reader = factoryFixture.one(apart);

    assertThat(soon(reader.glance("visits", VISITS, Visits::log))).hasSize(2).endsWith("a");
    assertThat(soon(reader.glance("visits", VISITS, Visits::count))).isEqualTo(1);
  }

  @Test
  void anObjectMayBeginWithAStateOfItsOwn() {
    Visits before = new Visits();
    before.visit("before");
    AtomicObjectFactory factory = factoryFixture.one();

    Visits visits = soon(factory.createAsync("visits", VISITS, before));
    before.visit("not seen");

    assertThat(visits.visit("a")).isEqualTo(2);
    assertThat(visits.log()).containsExactly("before", "a");
    assertThatThrownBy(() -> soon(factory.createAsync("visits", VISITS, before)))
        .isInstanceOf(AtomicObjectException.ObjectExists.class);
    soon(factory.closeAsync(visits));
    assertThatThrownBy(visits::count).isInstanceOf(AtomicObjectException.CallRefused.class);
  }

  private static <T> T soon(CompletionStage<T> stage) {
    return BlockingWait.toItsEnd(stage);
  }

  @Test
  void everyCallIsAppliedOnceWhateverIsLost() {
    everyCallOnce(ProtocolSettings.DEFAULT);
  }

  @Test
  void everyCallIsAppliedOnceAlsoWhereTheStateIsStoredByItself() {
    everyCallOnce(ProtocolSettings.DEFAULT.inlineBytes(50).tailBytes(200));
  }

  private void everyCallOnce(ProtocolSettings protocolSettings) {
    store.faults(10);
    factoryFixture.one(protocolSettings).openOrCreate("visits", VISITS);
    List<CompletionStage<Integer>> calls = new ArrayList<>();
    for (int f = 0; f < 3; f++) {
      AtomicObjectFactory factory = factoryFixture.one(protocolSettings);
      Visits visits = factory.open("visits", VISITS);
      for (int i = 0; i < 200; i++) {
        String who = f + ":" + i;
        calls.add(factory.async(visits, v -> v.visit(who)));
      }
    }

    List<Integer> results =
        calls.stream().map(c -> c.toCompletableFuture().join()).sorted().toList();

    store.faults(0);
    assertThat(new HashSet<>(results)).hasSize(600);
    assertThat(results.get(599)).isEqualTo(600);
    assertThat(factoryFixture.one().open("visits", VISITS).log())
        .hasSize(600)
        .doesNotHaveDuplicates();
  }

  @Test
  void whatAMethodThrowsReachesItsCaller() {
    Visits here = factoryFixture.one().create("visits", VISITS);
    Visits there = factoryFixture.one().open("visits", VISITS);

    assertThatThrownBy(here::failing)
        .isInstanceOf(IllegalStateException.class)
        .hasMessage("no more than 100");

    assertThat(here.count()).isEqualTo(100);
    assertThat(there.count()).isEqualTo(100);
  }

  @Test
  void anObjectThatIsDisposedOfIsGoneForAll() {
    AtomicObjectFactory factory = factoryFixture.one();
    Visits here = factory.create("visits", VISITS);
    here.visit("a");

    assertThat(factoryFixture.one().dispose("visits")).isTrue();

    assertThatThrownBy(() -> here.visit("b"))
        .isInstanceOf(AtomicObjectException.NoSuchObject.class);
    assertThat(factory.exists("visits")).isFalse();
    assertThat(factory.dispose("visits")).isFalse();
    assertThat(factory.create("visits", VISITS).visit("c")).isEqualTo(1);
  }

  @Test
  void whatNobodyHasOpenCostsNoListener() {
    AtomicObjectFactory factory = factoryFixture.one();
    Visits visits = factory.create("visits", VISITS);
    visits.visit("a");
    factoryFixture.awaitWatchers(1);

    factory.close(visits);

    factoryFixture.awaitWatchers(0);
  }

  @Test
  void aListenerGoesHoweverLateItsTurnComes() {
    Queue<Runnable> late = new ConcurrentLinkedQueue<>();
    AtomicBoolean isBusy = new AtomicBoolean();
    AtomicObjectFactory factory =
        AtomicObjectFactory.builder(store)
            .timeout(Duration.ofSeconds(3))
            .requestTimeout(Duration.ofMillis(100))
            .executor(
                task ->
                    ForkJoinPool.commonPool().execute(isBusy.get() ? () -> late.add(task) : task))
            .build();
    Visits visits = factory.create("visits", VISITS);
    factoryFixture.awaitWatchers(1);

    isBusy.set(true);
    factory.close(visits);
    isBusy.set(false);
    late.forEach(Runnable::run);

    factoryFixture.awaitWatchers(0);
    factory.close();
  }

  @Test
  void aStoreThatDoesNotAnswerMakesCallsUnknownOrRefused() {
    AtomicObjectFactory factory =
        factoryFixture.one(ProtocolSettings.DEFAULT, Duration.ofSeconds(4), Duration.ofMillis(100));
    Visits visits = factory.create("visits", VISITS);
    visits.visit("a");

    store.down(true);
    CompletableFuture<Integer> under = called(factory, visits, v -> v.visit("b"));
    assertThatThrownBy(under::join).hasCauseInstanceOf(AtomicObjectException.CallUnknown.class);
    CompletableFuture<Integer> write = called(factory, visits, v -> v.visit("c"));
    CompletableFuture<Integer> read = called(factory, visits, Visits::count);

    assertThatThrownBy(write::join).hasCauseInstanceOf(AtomicObjectException.CallRefused.class);
    assertThatThrownBy(read::join).hasCauseInstanceOf(AtomicObjectException.CallRefused.class);
    store.down(false);
    assertThat(factoryFixture.one().open("visits", VISITS).visit("d")).isBetween(2, 3);
  }

  private static CompletableFuture<Integer> called(
      AtomicObjectFactory factory, Visits visits, Function<Visits, Integer> call) {
    return factory.async(visits, call).toCompletableFuture();
  }

  /** Holds another object. */
  public static class Holder {
    private Visits visits;

    public void hold(Visits held) {
      visits = held;
    }

    public void nested() {
      visits.visit("from inside");
    }

    @ReadOnly
    public Visits held() {
      return visits;
    }
  }

  @Test
  void aFieldThatHoldsAnObjectRefersToIt() {
    AtomicObjectFactory factory = factoryFixture.one();
    Visits visits = factory.create("visits", VISITS);
    Holder holder = factory.create("holder", ObjectType.of(Holder.class));
    holder.hold(visits);
    visits.visit("a");

    Visits held = factoryFixture.one().open("holder", ObjectType.of(Holder.class)).held();

    assertThat(held.visit("b")).isEqualTo(2);
    assertThat(visits.log()).containsExactly("a", "b");
    assertThat(holder.held()).isEqualTo(visits);
    assertThatThrownBy(holder::nested).isInstanceOf(NestedCallException.class);
  }

  @Test
  void sequentialReadsAskTheStoreNothing() {
    AtomicObjectFactory factory =
        factoryFixture.one(ProtocolSettings.DEFAULT.freshness(Duration.ofHours(1)));
    factory.create("visits", VISITS);
    Visits visits = factory.openSequential("visits", VISITS);
    visits.visit("a");
    store.quiet();
    visits.count(); // the event of its own call has come
    store.down(true);

    assertThat(visits.count()).isEqualTo(1);

    store.down(false);
  }

  @Test
  void nothingIsLeftBesideAnObjectThatIsDisposedOf() {
    AtomicObjectFactory factory =
        factoryFixture.one(ProtocolSettings.DEFAULT.inlineBytes(10).tailBytes(10));
    Visits visits = factory.create("visits", VISITS);
    for (int i = 0; i < 50; i++) {
      visits.visit("someone");
    }
    assertThat(store.entries().keySet()).anyMatch(k -> k.startsWith("snapshot/"));
    assertThat(store.entries()).hasSizeLessThan(4);
    UUID birth = RootCodec.root(store.entries().get("object/visits").value()).birth();
    store.put("mailbox/" + birth + "/" + birth, new byte[0]); // The shared one.

    factory.dispose("visits");

    await("what the object left is removed")
        .pollInterval(10, MILLISECONDS)
        .atMost(60, SECONDS)
        .untilAsserted(() -> assertThat(store.entries()).hasSize(1));
  }
}
