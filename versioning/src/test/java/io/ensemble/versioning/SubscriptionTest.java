package io.ensemble.versioning;

import static org.assertj.core.api.Assertions.assertThat;

import io.ensemble.versioning.listen.Subscription;
import io.ensemble.versioning.listen.SubscriptionPosition;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.Timeout.ThreadMode;

/** Deliveries of new versions to listeners. */
@Timeout(value = 90, threadMode = ThreadMode.SEPARATE_THREAD)
class SubscriptionTest extends SubscriptionFixture {

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

    byEvents(cache).key("a").from(SubscriptionPosition.BEGINNING).page(7).start(ears);

    assertThat(ears.next(60)).isEqualTo(due);
  }

  @Test
  void removalsAreTold() {
    VersionedCache<String, String, Long> cache = process();
    cache.add("a", "one");
    cache.remove("a");

    byEvents(cache).key("a").from(SubscriptionPosition.BEGINNING).start(ears);

    assertThat(ears.next(2)).containsExactly("a 1=one", "a 2=-");
  }

  @Test
  void whoGoesOnElsewhereHearsExactlyTheOthers() {
    VersionedCache<String, String, Long> writer = process();
    for (int i = 1; i <= 30; i++) {
      writer.add("a", "v" + i);
    }
    CompletableFuture<Subscription> own = new CompletableFuture<>();
    RecordingListener first =
        new RecordingListener(
            version -> {
              if (version.sequence() == 11) {
                own.join().close();
              }
            });
    own.complete(byEvents(process()).key("a").from(SubscriptionPosition.BEGINNING).start(first));
    own.join().ended().toCompletableFuture().join();
    byte[] kept = own.join().position().bytes();
    writer.add("a", "v31");

    byEvents(process()).key("a").from(SubscriptionPosition.of(kept)).start(ears);

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
    RecordingListener slow =
        new RecordingListener(
            version -> {
              if (version.sequence() == 2) {
                under.countDown();
                awaited(on);
              }
            });
    Subscription subscription =
        byEvents(cache).key("a").from(SubscriptionPosition.BEGINNING).start(slow);
    under.await();

    SubscriptionPosition position = subscription.position();
    on.countDown();

    byEvents(cache).key("a").from(position).start(ears);
    assertThat(ears.next()).isEqualTo("a 2=two");
    slow.next(2);
    subscription.close();
    subscription.ended().toCompletableFuture().join(); // The position moves after delivery.
    assertThat(subscription.position()).isNotEqualTo(position);
  }

  @Test
  void whatWasCompactedBeforeItWasToldIsSaid() {
    VersionedCache<String, String, Long> cache = process();
    for (int i = 1; i <= 30; i++) {
      cache.add("a", "v" + i);
    }
    cache.compact("a", 28L);

    byEvents(cache).key("a").from(SubscriptionPosition.BEGINNING).page(2).start(ears);

    assertThat(ears.next(4)).containsExactly("a 1-27 gone", "a 28=v28", "a 29=v29", "a 30=v30");
  }

  @Test
  void whatWasPurgedIsSaidAndWhatComesAfterIsTold() {
    VersionedCache<String, String, Long> cache = process();
    Subscription before = byEvents(cache).key("a").start(ears);
    cache.add("a", "one");
    assertThat(ears.next()).isEqualTo("a 1=one");
    before.close();
    before.ended().toCompletableFuture().join(); // The position moves after delivery.
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
    String root =
        caches.store.entries().keySet().stream()
            .filter(SubscriptionFixture::isRoot)
            .findAny()
            .get();
    caches.store.remove(root).toCompletableFuture().join();
    process().add("a", "new");

    byEvents(process()).key("a").from(before.position()).start(ears);

    assertThat(ears.next(2)).containsExactly("a another history", "a 1=new");
    assertThat(ears.rest()).isEmpty();
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

    byEvents(process()).from(SubscriptionPosition.of(before.position().bytes())).start(ears);

    assertThat(ears.next(2)).containsExactlyInAnyOrder("a 2=two", "b 1=first");
    assertThat(ears.rest()).isEmpty();
  }

  @Test
  void otherCachesAndWhatElseIsInTheStoreIsNotTold() {
    VersionedCache<String, String, Long> cache = process();
    byEvents(cache).from(SubscriptionPosition.BEGINNING).start(ears);
    caches.store.put("object/versions/pages2/YQ", new byte[] {1}).toCompletableFuture().join();
    caches.store.put("object/counter", new byte[] {1}).toCompletableFuture().join();

    cache.add("a", "one");

    assertThat(ears.next()).isEqualTo("a 1=one");
  }
}
