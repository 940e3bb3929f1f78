package io.ensemble.objects;

import static io.ensemble.objects.FactoryFixture.VISITS;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import io.ensemble.objects.AtomicObjectException.CallUnknown;
import io.ensemble.objects.AtomicObjectException.ObjectUnreadable;
import io.ensemble.objects.AtomicObjectException.StoreUnavailable;
import io.ensemble.objects.protocol.ForgedRoots;
import io.ensemble.objects.protocol.ProtocolSettings;
import io.ensemble.objects.record.ObjectRoot;
import io.ensemble.objects.record.RootCodec;
import io.ensemble.objects.runtime.ObjectKeys;
import io.ensemble.objects.store.MemoryStore;
import io.ensemble.objects.store.ObjectStore.Entry;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.BooleanSupplier;
import java.util.function.UnaryOperator;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.Timeout.ThreadMode;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Entries that are removed from the store, and a store that is full. */
@Timeout(value = 90, threadMode = ThreadMode.SEPARATE_THREAD)
class StoreDamageTest {

  private static final String MAILBOX = "mailbox/";
  private static final String SNAPSHOT = "snapshot/";
  private static final ProtocolSettings STORED =
      ProtocolSettings.DEFAULT.inlineBytes(10).tailBytes(10);
  private static final Duration SHORT = Duration.ofSeconds(2);

  private final FactoryFixture factoryFixture = new FactoryFixture();
  private final MemoryStore store = factoryFixture.store;

  @AfterEach
  void close() {
    store.full(key -> false);
    factoryFixture.close();
  }

  @Test
  void callsWhoseMailboxesSomebodyRemovesAreMadeOnce() {
    AtomicInteger removed = new AtomicInteger();
    store.watch(
        change -> {
          if (change.key().startsWith(MAILBOX)) {
            removed.incrementAndGet();
            store.remove(change.key());
          }
        });

    List<Integer> results = countTogether(() -> removed.get() > 0);

    assertThat(removed).hasPositiveValue();
    assertThat(results).containsExactlyInAnyOrderElementsOf(oneTo(results.size()));
  }

  @Test
  void whoCannotWriteItsMailboxDoesWithoutACombiner() {
    Visits visits = factoryFixture.one().create("visits", VISITS);
    visits.visit("a");
    combinedByNobody("visits");

    store.full(key -> key.startsWith(MAILBOX));

    assertThat(visits.visit("b")).isEqualTo(2);
  }

  /** Makes an unknown session the combiner, as if the combiner had died. */
  private void combinedByNobody(String name) {
    rewritten(name, root -> ForgedRoots.withCombiner(root, UUID.randomUUID()));
  }

  private void rewritten(String name, UnaryOperator<ObjectRoot> change) {
    String key = ObjectKeys.root(name);
    ObjectRoot root = RootCodec.root(store.entries().get(key).value());
    store.put(key, RootCodec.write(change.apply(root))).toCompletableFuture().join();
  }

  /**
   * @param seen whether the session has read that root before the next call
   */
  @ParameterizedTest
  @ValueSource(booleans = {false, true})
  void whoseInvariantIsBrokenRefusesCallsUntilTheObjectIsOpenedAgain(boolean seen) {
    AtomicObjectFactory factory = factoryFixture.one();
    Visits visits = factory.create("visits", VISITS);
    visits.visit("a");
    rewritten("visits", ForgedRoots::withFutureBatches);
    if (seen) {
      assertThat(visits.count()).isEqualTo(1);
    }

    assertThatThrownBy(() -> visits.visit("b")).isInstanceOf(CallUnknown.class);
    assertThatThrownBy(() -> visits.visit("c"))
        .isInstanceOf(AtomicObjectException.CallRefused.class)
        .hasMessageContaining("internal error");

    assertThat(factory.open("visits", VISITS).log()).containsExactly("a");
  }

  @Test
  void anObjectWhoseSnapshotSomebodyRemovesSaysSoAndOthersGoOn() {
    AtomicObjectFactory factory = factoryFixture.one(STORED);
    Visits fine = factory.create("fine", VISITS);
    Visits here = factory.create("visits", VISITS);
    IntStream.range(0, 20).forEach(i -> here.visit("someone"));
    store.quiet();
    Map<String, Entry> removed = snapshotsRemoved();
    AtomicObjectFactory other = factoryFixture.one(STORED);
    Visits there = other.open("visits", VISITS);

    assertThat(removed).isNotEmpty();
    assertThatThrownBy(() -> there.visit("b"))
        .isInstanceOf(ObjectUnreadable.class)
        .hasMessageContaining("snapshot");
    assertThatThrownBy(there::count).isInstanceOf(ObjectUnreadable.class);
    assertThat(fine.visit("a")).isEqualTo(1);
    assertThat(other.create("more", VISITS).visit("a")).isEqualTo(1);

    removed.forEach((key, entry) -> store.put(key, entry.value()));
    assertThat(other.open("visits", VISITS).visit("c")).isEqualTo(21);
  }

  @Test
  void whoHasASnapshotThatSomebodyRemovedGoesOnAndWritesAnother() {
    Visits here = factoryFixture.one(STORED).create("visits", VISITS);
    IntStream.range(0, 20).forEach(i -> here.visit("someone"));
    store.quiet();

    assertThat(snapshotsRemoved()).isNotEmpty();
    for (int i = 0; i < 20; i++) {
      assertThat(here.visit("someone")).isEqualTo(21 + i);
    }

    assertThat(factoryFixture.one(STORED).open("visits", VISITS).log()).hasSize(40);
  }

  @Test
  void anObjectWithoutItsSnapshotCanBeDisposedOf() {
    AtomicObjectFactory first = factoryFixture.one(STORED);
    Visits here = first.create("visits", VISITS);
    IntStream.range(0, 20).forEach(i -> here.visit("someone"));
    first.close();
    assertThat(snapshotsRemoved()).isNotEmpty();
    AtomicObjectFactory factory = factoryFixture.one(STORED);

    assertThat(factory.dispose("visits")).isTrue();

    assertThat(factory.create("visits", VISITS).visit("a")).isEqualTo(1);
  }

  private Map<String, Entry> snapshotsRemoved() {
    Map<String, Entry> all = store.entries();
    all.keySet().removeIf(key -> !key.startsWith(SNAPSHOT));
    all.keySet().forEach(key -> store.remove(key).toCompletableFuture().join());
    return all;
  }

  @ParameterizedTest
  @ValueSource(booleans = {false, true})
  void whatAFullStoreRefusesIsMadeOnceOrNeverAndItRecovers(boolean stored) {
    ProtocolSettings layout = stored ? STORED : ProtocolSettings.DEFAULT;
    AtomicObjectFactory patient = factoryFixture.one(layout);
    patient.create("visits", VISITS).visit("a");
    AtomicObjectFactory factory = factoryFixture.one(layout, SHORT, Duration.ofMillis(100));
    Visits visits = factory.open("visits", VISITS);
    store.full(key -> true);

    assertThatThrownBy(() -> visits.visit("unknown")).isInstanceOf(CallUnknown.class);
    assertThatThrownBy(() -> visits.visit("refused"))
        .isInstanceOf(AtomicObjectException.CallRefused.class);
    Visits others = patient.open("visits", VISITS);
    assertThat(others.log()).containsExactly("a");
    assertThatThrownBy(() -> factory.create("more", VISITS)).isInstanceOf(StoreUnavailable.class);
    assertThatThrownBy(() -> factory.dispose("visits")).isInstanceOf(StoreUnavailable.class);
    store.full(key -> false);

    assertThat(others.visit("b")).isBetween(2, 3);
    assertThat(others.log())
        .doesNotHaveDuplicates()
        .contains("a", "b")
        .isSubsetOf("a", "unknown", "b");
    await("the session that was refused is of use again")
        .ignoreExceptions()
        .until(() -> visits.log().equals(others.log()));
    assertThat(patient.create("more", VISITS).visit("a")).isEqualTo(1);
  }

  @Test
  void aStateThatCannotBeStoredApartStaysWhereItIs() {
    Visits visits = factoryFixture.one(STORED).create("visits", VISITS);
    store.full(key -> key.startsWith(SNAPSHOT));

    for (int i = 1; i <= 200; i++) {
      assertThat(visits.visit("someone")).isEqualTo(i);
    }
    store.full(key -> false);
    for (int i = 201; i <= 400; i++) {
      assertThat(visits.visit("someone")).isEqualTo(i);
    }

    assertThat(store.entries().keySet()).anyMatch(key -> key.startsWith(SNAPSHOT));
    assertThat(factoryFixture.one(STORED).open("visits", VISITS).log()).hasSize(400);
  }

  /**
   * The results of three processes that count concurrently: 30 times each, and then until {@code
   * haveMet} is true, at most 1,000 times.
   */
  private List<Integer> countTogether(BooleanSupplier haveMet) {
    List<CompletableFuture<List<Integer>>> all = new ArrayList<>();
    for (int i = 0; i < 3; i++) {
      Visits visits = factoryFixture.one().openOrCreate("visits", VISITS);
      all.add(
          CompletableFuture.supplyAsync(
              () -> {
                List<Integer> told = new ArrayList<>();
                while (told.size() < 30 || told.size() < 1_000 && !haveMet.getAsBoolean()) {
                  told.add(visits.visit("someone"));
                }
                return told;
              },
              task -> new Thread(task).start()));
    }
    return all.stream().flatMap(told -> told.join().stream()).toList();
  }

  private static List<Integer> oneTo(int last) {
    return IntStream.rangeClosed(1, last).boxed().toList();
  }
}
