package io.ensemble.objects.store;

import static org.assertj.core.api.Assertions.assertThat;

import io.ensemble.objects.store.ObjectStore.Change;
import io.ensemble.objects.store.ObjectStore.Entry;
import io.ensemble.objects.store.ObjectStore.Replaced;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.UUID;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicLong;
import java.util.stream.IntStream;
import org.infinispan.commons.util.CloseableIterator;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** The properties that the protocol requires of every store. */
@Timeout(60)
abstract class ObjectStoreContract {

  private final String key = "object/" + UUID.randomUUID();

  /** Stores on the same entries, each at another node or site if there are several. */
  abstract List<ObjectStore> stores();

  boolean hasEvents() {
    return true;
  }

  final ObjectStore store() {
    return stores().get(0);
  }

  @Test
  void severalEntriesAreWrittenByOneCall() {
    Map<String, byte[]> entries = new TreeMap<>();
    for (int i = 0; i < 50; i++) {
      entries.put("object/several-" + i, bytes(i));
    }
    done(store().put("object/several-7", bytes(100)));

    done(store().putAll(entries));

    for (ObjectStore each : stores()) {
      for (int i = 0; i < 50; i++) {
        assertThat(done(each.read("object/several-" + i)).orElseThrow().value())
            .isEqualTo(bytes(i));
      }
    }
    entries.keySet().forEach(key -> done(store().remove(key)));
    for (ObjectStore each : stores()) {
      assertThat(done(each.read("object/several-9"))).isEmpty();
    }
  }

  @Test
  void whatIsCreatedIsReadEverywhereAndNotCreatedAgain() {
    done(store().create(key, bytes(1)));

    done(store().create(key, bytes(2)));

    assertThat(stores())
        .allSatisfy(s -> assertThat(done(s.read(key)).orElseThrow().value()).isEqualTo(bytes(1)));
  }

  @Test
  void nothingIsReadUnderOtherKeys() {
    done(store().create(key, bytes(1)));

    assertThat(stores()).allSatisfy(s -> assertThat(done(s.read(key + "/"))).isEmpty());
  }

  @Test
  void theKeysThatBeginAlikeAreWalkedOver() {
    List<String> keys = IntStream.range(0, 1_200).mapToObj(i -> key + "/a/" + i).toList();
    keys.forEach(k -> done(store().create(k, bytes(1))));
    done(store().create(key + "/b", bytes(1)));
    done(store().remove(keys.get(0)));

    for (ObjectStore each : stores()) {
      List<String> met = new ArrayList<>();
      try (CloseableIterator<String> walk = each.keys(key + "/a/")) {
        walk.forEachRemaining(met::add);
      }

      assertThat(Set.copyOf(met)).isEqualTo(Set.copyOf(keys.subList(1, keys.size())));
    }
  }

  @Test
  void anEntryIsReplacedOnceForEachToken() {
    done(store().create(key, bytes(1)));
    Entry first = done(store().read(key)).orElseThrow();

    List<Boolean> done =
        stores().stream()
            .map(s -> done(s.replace(key, first.token(), bytes(2))))
            .map(Replaced::done)
            .toList();

    assertThat(done).containsOnlyOnce(true).startsWith(true);
    assertThat(stores())
        .allSatisfy(s -> assertThat(done(s.read(key)).orElseThrow().value()).isEqualTo(bytes(2)));
  }

  @Test
  void aTokenThatAReplacementTellsIsOfTheNewEntry() {
    done(store().create(key, bytes(1)));
    Entry first = done(store().read(key)).orElseThrow();
    Replaced replaced = done(store().replace(key, first.token(), bytes(2)));

    Object token = replaced.token().orElseGet(() -> done(store().read(key)).orElseThrow().token());

    assertThat(stores())
        .allSatisfy(
            s -> assertThat(done(s.replace(key, first.token(), bytes(3))).done()).isFalse());
    assertThat(done(stores().get(stores().size() - 1).replace(key, token, bytes(3))).done())
        .isTrue();
  }

  @Test
  void nothingIsReplacedWhereNothingIs() {
    done(store().create(key, bytes(1)));
    Entry entry = done(store().read(key)).orElseThrow();
    done(store().remove(key));

    assertThat(done(store().replace(key, entry.token(), bytes(2))).done()).isFalse();

    assertThat(stores()).allSatisfy(s -> assertThat(done(s.read(key))).isEmpty());
  }

  @Test
  void removingWhatIsNotThereDoesNothing() {
    done(store().remove(key));

    assertThat(done(store().read(key))).isEmpty();
  }

  @Test
  void puttingWritesWhateverWasThere() {
    done(store().put(key, bytes(1)));
    Entry entry = done(store().read(key)).orElseThrow();
    done(store().put(key, bytes(2)));

    assertThat(done(store().read(key)).orElseThrow().value()).isEqualTo(bytes(2));
    assertThat(done(store().replace(key, entry.token(), bytes(3))).done()).isFalse();
  }

  @Test
  void keysAreAnyTextAndValuesOfAnySize() {
    List<String> keys = List.of(key + " ", key + "é漢😀", key + "\u0000", key + "x".repeat(2000));
    byte[] large = new byte[1 << 20];
    large[large.length - 1] = 1;

    for (String odd : keys) {
      for (byte[] value : List.of(new byte[0], large)) {
        done(store().put(odd, value));
        Entry entry = done(stores().get(stores().size() - 1).read(odd)).orElseThrow();
        assertThat(entry.value()).isEqualTo(value);
        assertThat(done(store().replace(odd, entry.token(), bytes(7))).done()).isTrue();
      }
    }

    assertThat(keys)
        .allSatisfy(
            k -> assertThat(done(store().read(k)).orElseThrow().value()).isEqualTo(bytes(7)));
  }

  @Test
  void noIncrementIsLost() throws Exception {
    int each = 40;
    done(store().create(key, bytes(0)));
    List<Callable<Void>> clients = new ArrayList<>();
    for (int i = 0; i < 6; i++) {
      ObjectStore store = stores().get(i % stores().size());
      clients.add(
          () -> {
            for (int n = 0; n < each; n++) {
              increment(store);
            }
            return null;
          });
    }

    together(clients);

    assertThat(number(done(store().read(key)).orElseThrow())).isEqualTo(6 * each);
  }

  private void increment(ObjectStore store) {
    boolean replaced = false;
    while (!replaced) {
      Entry entry = done(store.read(key)).orElseThrow();
      replaced = done(store.replace(key, entry.token(), bytes(number(entry) + 1))).done();
    }
  }

  @Test
  void whatHasBeenSeenIsSeenByAllWhoLookLater() throws Exception {
    int writes = 150;
    done(store().create(key, bytes(0)));
    AtomicLong seen = new AtomicLong();
    AtomicBoolean over = new AtomicBoolean();
    AtomicLong back = new AtomicLong();
    List<Callable<Void>> clients = new ArrayList<>();
    clients.add(
        () -> {
          for (int i = 0; i < writes; i++) {
            increment(store());
          }
          over.set(true);
          return null;
        });
    for (ObjectStore store : stores()) {
      clients.add(
          () -> {
            while (!over.get()) {
              long before = seen.get();
              long now = number(done(store.read(key)).orElseThrow());
              if (now < before) {
                back.incrementAndGet();
              }
              seen.accumulateAndGet(now, Math::max);
            }
            return null;
          });
    }

    together(clients);

    assertThat(back).hasValue(0);
  }

  @Test
  void eventsTellOfChangesUntilTheyAreStopped() throws Exception {
    BlockingQueue<Change> told = new LinkedBlockingQueue<>();
    Optional<AutoCloseable> watching = stores().get(stores().size() - 1).watch(told::add);
    assertThat(watching.isPresent()).isEqualTo(hasEvents());
    if (watching.isEmpty()) {
      return;
    }

    done(store().create(key, bytes(1)));
    assertThat(told.poll(20, TimeUnit.SECONDS).key()).isEqualTo(key);
    Entry entry = done(store().read(key)).orElseThrow();
    told.clear();
    done(store().replace(key, entry.token(), bytes(2)));
    Change change = told.poll(20, TimeUnit.SECONDS);
    while (Arrays.equals(change.entry().orElseThrow().value(), bytes(1))) { // A repeated event.
      change = told.poll(20, TimeUnit.SECONDS);
    }
    assertThat(change.key()).isEqualTo(key);
    assertThat(change.entry().orElseThrow().value()).isEqualTo(bytes(2));
    assertThat(done(store().replace(key, entry.token(), bytes(9))).done()).isFalse();
    assertThat(done(store().replace(key, change.entry().get().token(), bytes(3))).done()).isTrue();
    assertThat(done(store().read(key)).orElseThrow().value()).isEqualTo(bytes(3));

    while (told.poll(1, TimeUnit.SECONDS) != null) { // Events of earlier writes.
      assertThat(told).hasSizeLessThan(10);
    }
    watching.get().close();
    done(store().put(key, bytes(3)));
    told.clear();
    done(store().put(key, bytes(4)));
    assertThat(told.poll(300, TimeUnit.MILLISECONDS)).isNull();
  }

  static void together(List<Callable<Void>> clients) throws Exception {
    ExecutorService threads = Executors.newFixedThreadPool(clients.size());
    try {
      for (Future<Void> client : threads.invokeAll(clients)) {
        client.get();
      }
    } finally {
      threads.shutdownNow();
    }
  }

  static <T> T done(CompletionStage<T> stage) {
    return stage.toCompletableFuture().orTimeout(30, TimeUnit.SECONDS).join();
  }

  static byte[] bytes(long number) {
    return ByteBuffer.allocate(Long.BYTES).putLong(number).array();
  }

  static long number(Entry entry) {
    return ByteBuffer.wrap(entry.value()).getLong();
  }
}
