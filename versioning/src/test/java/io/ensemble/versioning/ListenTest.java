package io.ensemble.versioning;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.ensemble.objects.MuteStore;
import io.ensemble.objects.store.ObjectStore;
import io.ensemble.versioning.listen.Listening;
import io.ensemble.versioning.listen.Position;
import io.ensemble.versioning.listen.Subscription;
import io.ensemble.versioning.order.HybridTime;
import io.ensemble.versioning.order.HybridTimes;
import io.ensemble.versioning.order.Timestamps;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.BooleanSupplier;
import java.util.function.Consumer;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.Timeout.ThreadMode;

/** What those hear who listen for new versions. */
@Timeout(value = 90, threadMode = ThreadMode.SEPARATE_THREAD)
class ListenTest {

  private static final Duration OFTEN = Duration.ofMillis(50);
  private static final Duration NEVER = Duration.ofHours(1);

  private final Caches caches = new Caches(1);
  private final CountDownLatch never = new CountDownLatch(1);
  private final Ears ears = new Ears();

  @AfterEach
  void close() {
    caches.close();
  }

  private VersionedCache<String, String, Long> process() {
    return caches.process(new Timestamps(() -> 0), Caches.small(Index.SHARDED));
  }

  /** One whose store tells nothing. */
  private VersionedCache<String, String, Long> deaf() {
    caches.view =
        store ->
            new MuteStore(store) {
              @Override
              public Optional<AutoCloseable> watch(Consumer<Change> listener) {
                return Optional.empty();
              }
            };
    VersionedCache<String, String, Long> process = process();
    caches.view = store -> store;
    return process;
  }

  private static Listening<String, String, Long> byEvents(
      VersionedCache<String, String, Long> cache) {
    return cache.listen().every(NEVER).keysEvery(NEVER);
  }

  private static Listening<String, String, Long> byClock(
      VersionedCache<String, String, Long> cache) {
    return cache.listen().every(OFTEN).keysEvery(OFTEN);
  }

  private void until(BooleanSupplier reached) throws InterruptedException {
    while (!reached.getAsBoolean()) {
      assertThat(never.await(10, TimeUnit.MILLISECONDS)).isFalse();
    }
  }

  @Test
  void whatIsAddedFromNowOnIsToldByEvents() {
    VersionedCache<String, String, Long> writer = process();
    writer.add("a", "before");
    byEvents(process()).key("a").start(ears);

    writer.add("a", "one");
    writer.add("b", "to another key");
    writer.add("a", "two");

    assertThat(ears.next(2)).containsExactly("a 2=one", "a 3=two");
    assertThat(ears.rest()).isEmpty();
  }

  @Test
  void whereNoEventComesTheClockFindsIt() {
    VersionedCache<String, String, Long> writer = process();
    byClock(deaf()).keys(List.of("a", "b")).start(ears);

    for (int i = 1; i <= 20; i++) {
      String key = i % 2 == 0 ? "a" : "b";
      writer.add(key, "v" + i);
      assertThat(ears.next()).isEqualTo(key + " " + (i + 1) / 2 + "=v" + i);
    }
  }

  @Test
  void whatComesLateBelowOthersIsToldInTheOrderOfAdding() {
    VersionedCache<String, String, Long> cache = process();
    List<String> due = new ArrayList<>();
    for (int i = 0; i < 60; i++) {
      long version = (i * 37) % 61 + 1;
      cache.put("a", "at " + version, version);
      due.add("a " + (i + 1) + "=at " + version);
    }
    cache.settle("a");

    byEvents(cache).key("a").from(Position.BEGINNING).page(7).start(ears);

    assertThat(ears.next(60)).isEqualTo(due);
  }

  @Test
  void removalsAreTold() {
    VersionedCache<String, String, Long> cache = process();
    cache.add("a", "one");
    cache.remove("a");

    byEvents(cache).key("a").from(Position.BEGINNING).start(ears);

    assertThat(ears.next(2)).containsExactly("a 1=one", "a 2=-");
  }

  @Test
  void whoGoesOnElsewhereHearsExactlyTheOthers() {
    VersionedCache<String, String, Long> writer = process();
    for (int i = 1; i <= 30; i++) {
      writer.add("a", "v" + i);
    }
    CompletableFuture<Subscription> own = new CompletableFuture<>();
    Ears first =
        new Ears(
            version -> {
              if (version.sequence() == 11) {
                own.join().close();
              }
            });
    own.complete(byEvents(process()).key("a").from(Position.BEGINNING).start(first));
    own.join().ended().toCompletableFuture().join();
    byte[] kept = own.join().position().bytes();
    writer.add("a", "v31");

    byEvents(process()).key("a").from(Position.of(kept)).start(ears);

    assertThat(first.next(11)).endsWith("a 11=v11");
    assertThat(first.rest()).isEmpty();
    assertThat(ears.next(20)).startsWith("a 12=v12").endsWith("a 31=v31");
    assertThat(ears.rest()).isEmpty();
  }

  @Test
  void thePositionIsBehindAVersionWhoseCallHasNotReturned() throws InterruptedException {
    VersionedCache<String, String, Long> cache = process();
    cache.add("a", "one");
    cache.add("a", "two");
    CountDownLatch under = new CountDownLatch(1);
    CountDownLatch on = new CountDownLatch(1);
    Ears slow =
        new Ears(
            version -> {
              if (version.sequence() == 2) {
                under.countDown();
                awaited(on);
              }
            });
    Subscription subscription = byEvents(cache).key("a").from(Position.BEGINNING).start(slow);
    under.await();

    Position position = subscription.position();
    on.countDown();

    byEvents(cache).key("a").from(position).start(ears);
    assertThat(ears.next()).isEqualTo("a 2=two");
    slow.next(2);
    subscription.close();
    assertThat(subscription.position()).isNotEqualTo(position);
  }

  @Test
  void whatWasCompactedBeforeItWasToldIsSaid() {
    VersionedCache<String, String, Long> cache = process();
    for (int i = 1; i <= 30; i++) {
      cache.add("a", "v" + i);
    }
    cache.compact("a", 28L);

    byEvents(cache).key("a").from(Position.BEGINNING).page(2).start(ears);

    assertThat(ears.next(4)).containsExactly("a 1-27 gone", "a 28=v28", "a 29=v29", "a 30=v30");
  }

  @Test
  void whatWasPurgedIsSaidAndWhatComesAfterIsTold() {
    VersionedCache<String, String, Long> cache = process();
    Subscription before = byEvents(cache).key("a").start(ears);
    cache.add("a", "one");
    assertThat(ears.next()).isEqualTo("a 1=one");
    before.close();
    cache.add("a", "two");
    cache.add("a", "three");
    cache.purge("a");

    byEvents(cache).key("a").from(before.position()).start(ears);
    assertThat(ears.next()).isEqualTo("a 2-3 gone");
    cache.add("a", "again");

    assertThat(ears.next()).isEqualTo("a 4=again");
    assertThat(ears.rest()).isEmpty();
  }

  @Test
  void aPurgeOfWhatWasToldIsNoGap() {
    VersionedCache<String, String, Long> cache = process();
    byEvents(cache).key("a").start(ears);
    cache.add("a", "one");
    assertThat(ears.next()).isEqualTo("a 1=one");

    cache.purge("a");
    cache.add("a", "two");

    assertThat(ears.next()).isEqualTo("a 2=two");
  }

  @Test
  void anotherHistoryIsSaidAndToldFromItsBeginning() {
    VersionedCache<String, String, Long> writer = process();
    Subscription before = byEvents(writer).key("a").start(ears);
    writer.add("a", "one");
    writer.add("a", "two");
    ears.next(2);
    before.close();
    caches.kill(0);
    String root = caches.store.entries().keySet().stream().filter(this::isRoot).findAny().get();
    caches.store.remove(root).toCompletableFuture().join();
    process().add("a", "new");

    byEvents(process()).key("a").from(before.position()).start(ears);

    assertThat(ears.next(2)).containsExactly("a another history", "a 1=new");
    assertThat(ears.rest()).isEmpty();
  }

  private boolean isRoot(String key) {
    return key.startsWith("object/versions/");
  }

  @Test
  void aListenerThatWaitsHoldsUpNobodyElse() throws InterruptedException {
    VersionedCache<String, String, Long> cache = process();
    CountDownLatch under = new CountDownLatch(1);
    CountDownLatch on = new CountDownLatch(1);
    for (int i = 0; i < 10; i++) {
      byEvents(cache)
          .key("a")
          .start(
              version -> {
                under.countDown();
                awaited(on);
              });
    }
    byEvents(cache).key("a").start(ears);

    cache.add("a", "one");
    under.await();
    cache.add("a", "two");

    assertThat(ears.next(2)).containsExactly("a 1=one", "a 2=two");
    on.countDown();
  }

  @Test
  void aListenerMayUseTheCache() {
    VersionedCache<String, String, Long> cache = process();
    byEvents(cache).key("a").start(version -> cache.add("b", "copy of " + version.value().get()));
    byEvents(cache).key("b").start(ears);

    cache.add("a", "one");
    cache.add("a", "two");

    assertThat(ears.next(2)).containsExactly("b 1=copy of one", "b 2=copy of two");
  }

  @Test
  void whoHasBeenToldWritesAboveIt() {
    VersionedCache<String, String, HybridTime> ahead =
        caches.process(new HybridTimes(() -> 5_000_000), Caches.small(Index.SHARDED));
    VersionedCache<String, String, HybridTime> behind =
        caches.process(new HybridTimes(() -> 1_000), Caches.small(Index.SHARDED));
    CompletableFuture<HybridTime> answer = new CompletableFuture<>();
    behind.listen().key("a").start(v -> answer.complete(behind.add("b", "answer")));

    HybridTime asked = ahead.add("a", "question");

    assertThat(answer.join()).isGreaterThan(asked);
  }

  @Test
  void aListenerThatThrowsTooOftenEndsWhereItStands() {
    VersionedCache<String, String, Long> cache = process();
    AtomicInteger calls = new AtomicInteger();
    Ears failing =
        new Ears(
            version -> {
              if (version.sequence() == 2) {
                calls.incrementAndGet();
                throw new IllegalStateException("not this one");
              }
            });
    Subscription subscription = byEvents(cache).key("a").repeats(2).start(failing);
    cache.add("a", "one");
    cache.add("a", "two");
    cache.add("a", "three");

    assertThatThrownBy(() -> subscription.ended().toCompletableFuture().join())
        .isInstanceOf(CompletionException.class)
        .hasRootCauseMessage("not this one");

    assertThat(calls).hasValue(3);
    assertThat(failing.rest()).containsExactly("a 1=one");
    byEvents(cache).key("a").from(subscription.position()).start(ears);
    assertThat(ears.next(2)).containsExactly("a 2=two", "a 3=three");
  }

  @Test
  void whatCannotBeReadAsAValueIsAFailureOfTheListener() {
    VersionedCache<String, String, Long> cache = process();
    cache.add("a", "one");
    Form<String> unreadable =
        new Form<>(
            Form.TEXT.write(),
            bytes -> {
              throw new IllegalArgumentException("no such value");
            });
    VersionedCache<String, String, Long> other = caches.process(unreadable);

    Subscription subscription =
        byEvents(other).key("a").from(Position.BEGINNING).repeats(0).start(ears);

    assertThatThrownBy(() -> subscription.ended().toCompletableFuture().join())
        .hasRootCauseMessage("no such value");
  }

  @Test
  void aStoreThatIsAwayIsAskedUntilItIsBack() throws InterruptedException {
    caches.patience = Duration.ofMillis(300);
    VersionedCache<String, String, Long> writer = process();
    writer.add("a", "one");
    MuteStoreSwitch away = new MuteStoreSwitch();
    caches.view = away::over;
    VersionedCache<String, String, Long> listening = process();
    Subscription subscription = byClock(listening).key("a").from(Position.BEGINNING).start(ears);
    assertThat(ears.next()).isEqualTo("a 1=one");

    away.isAway = true;
    writer.add("a", "two");
    until(() -> subscription.failing().isPresent());
    assertThat(ears.rest()).isEmpty();
    away.isAway = false;

    assertThat(ears.next()).isEqualTo("a 2=two");
    until(() -> subscription.failing().isEmpty());
  }

  /** Fails all reads while it is away. */
  private static final class MuteStoreSwitch {
    volatile boolean isAway;

    ObjectStore over(ObjectStore store) {
      return new MuteStore(store) {
        @Override
        public java.util.concurrent.CompletionStage<Optional<Entry>> read(String key) {
          return isAway
              ? CompletableFuture.failedFuture(new java.io.IOException("away"))
              : super.read(key);
        }
      };
    }
  }

  @Test
  void aKeyThatCannotBeReadHoldsUpNoOther() {
    VersionedCache<String, String, Long> writer = process();
    writer.add("a", "one");
    writer.add("b", "one");
    String root =
        caches.store.entries().keySet().stream().filter(this::isRoot).sorted().findFirst().get();
    caches.store.put(root, new byte[] {1, 2, 3}).toCompletableFuture().join();

    Subscription subscription =
        byClock(process()).keys(List.of("a", "b")).from(Position.BEGINNING).start(ears);

    assertThat(ears.next()).isEqualTo("b 1=one");
    writer.add("b", "two");
    assertThat(ears.next()).isEqualTo("b 2=two");
    assertThat(subscription.failing()).isPresent();
  }

  @Test
  void allOfTheCacheIsToldFromNowOn() {
    VersionedCache<String, String, Long> writer = process();
    for (int i = 0; i < 50; i++) {
      writer.add("key" + i, "before");
    }
    byEvents(process()).start(ears);

    writer.add("key7", "now");
    writer.add("new", "first");

    assertThat(ears.next(2)).containsExactlyInAnyOrder("key7 2=now", "new 1=first");
    assertThat(ears.rest()).isEmpty();
  }

  @Test
  void newKeysOfWhichNoEventComesAreFoundByTheClock() {
    VersionedCache<String, String, Long> writer = process();
    writer.add("a", "before");
    byClock(deaf()).start(ears);

    writer.add("b", "first");

    assertThat(ears.next()).isEqualTo("b 1=first");
    writer.add("a", "now");
    assertThat(ears.next()).isEqualTo("a 2=now");
  }

  @Test
  void whoGoesOnWithAllOfTheCacheHearsOfKeysThatAreNew() {
    VersionedCache<String, String, Long> writer = process();
    writer.add("a", "before");
    Subscription before = byEvents(process()).start(ears);
    before.close();
    writer.add("a", "two");
    writer.add("b", "first");

    byEvents(process()).from(Position.of(before.position().bytes())).start(ears);

    assertThat(ears.next(2)).containsExactlyInAnyOrder("a 2=two", "b 1=first");
    assertThat(ears.rest()).isEmpty();
  }

  @Test
  void otherCachesAndWhatElseIsInTheStoreIsNotTold() {
    VersionedCache<String, String, Long> cache = process();
    byEvents(cache).from(Position.BEGINNING).start(ears);
    caches.store.put("object/versions/pages2/YQ", new byte[] {1}).toCompletableFuture().join();
    caches.store.put("object/counter", new byte[] {1}).toCompletableFuture().join();

    cache.add("a", "one");

    assertThat(ears.next()).isEqualTo("a 1=one");
  }

  @Test
  void subscriptionsEndWithTheCache() {
    VersionedCache<String, String, Long> cache = process();
    Subscription subscription = byEvents(cache).key("a").start(ears);

    cache.close();

    subscription.ended().toCompletableFuture().join();
    process().add("a", "one");
    caches.store.quiet();
    assertThat(ears.rest()).isEmpty();
  }

  @Test
  void theStoreTellsNothingMoreOnceNobodyListens() throws InterruptedException {
    VersionedCache<String, String, Long> cache = process();
    Subscription one = byEvents(cache).key("a").start(ears);
    Subscription two = byEvents(cache).key("b").start(ears);
    until(() -> caches.store.watchers() == 1);

    one.close();
    two.close();

    until(() -> caches.store.watchers() == 0);
  }

  @Test
  void whatCannotBeListenedToIsRefused() {
    VersionedCache<String, String, Long> cache = process();
    Position other = Position.of(new byte[] {1, 0, 5, 'c', 'a', 'r', 't', 's', 0, 0, 0, 0});

    assertThatThrownBy(() -> cache.listen().keys(List.of()))
        .isInstanceOf(IllegalArgumentException.class);
    assertThatThrownBy(() -> cache.listen().key("x".repeat(601)))
        .isInstanceOf(IllegalArgumentException.class);
    assertThatThrownBy(() -> cache.listen().from(other))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("pages");
    assertThatThrownBy(() -> cache.listen().every(Duration.ZERO))
        .isInstanceOf(IllegalArgumentException.class);
    assertThatThrownBy(() -> cache.listen().repeats(-1))
        .isInstanceOf(IllegalArgumentException.class);
    assertThatThrownBy(() -> cache.listen().page(0)).isInstanceOf(IllegalArgumentException.class);
  }

  private static void awaited(CountDownLatch latch) {
    try {
      latch.await();
    } catch (InterruptedException e) {
      throw new AssertionError(e);
    }
  }
}
