package io.ensemble.testkit.site;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.catchThrowable;

import io.ensemble.schedule.Deadline;
import io.ensemble.schedule.Scheduler;
import io.ensemble.site.Bytes;
import io.ensemble.site.Site;
import io.ensemble.site.SiteException;
import io.ensemble.site.SiteException.Reason;
import io.ensemble.site.SiteStore;
import io.ensemble.site.StoreKind;
import io.ensemble.site.StoredEntry;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletionStage;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

/** The contract of all sites and stores. */
public abstract class SiteStoreContract {

  private static final Class<?> WRONG = IllegalArgumentException.class;
  private static int stores;

  /** A site that answers and stores entries. */
  protected abstract Site site();

  /** The scheduler on which the site completes calls. */
  protected abstract Scheduler scheduler();

  /** Waits for a stage, on the clock of the test, and returns its value or throws its failure. */
  protected abstract <T> T await(CompletionStage<T> stage);

  /** A deadline far in the future. */
  protected final Deadline later() {
    return Deadline.after(Duration.ofSeconds(20), scheduler());
  }

  /** A store name that no other test uses. */
  protected static synchronized String unique() {
    return "contract/" + ++stores + ":é";
  }

  protected static Bytes bytes(String text) {
    return Bytes.of(text.getBytes(UTF_8));
  }

  /** The reason of a stage's failure. */
  protected final Reason reason(CompletionStage<?> stage) {
    Throwable failure = catchThrowable(() -> await(stage));
    assertThat(failure).isInstanceOf(SiteException.class).hasMessageContaining(site().name());
    return ((SiteException) failure).reason();
  }

  protected final SiteStore create(StoreKind kind) {
    return await(site().create(unique(), kind, later()));
  }

  protected final StoredEntry entry(SiteStore store, Bytes key) {
    return await(store.read(key, later())).orElseThrow();
  }

  @ParameterizedTest
  @EnumSource
  void anAbsentKeyReadsEmptyAndNothingComparesEqualToIt(StoreKind kind) {
    SiteStore store = create(kind);

    assertThat(store.site()).isEqualTo(site().name());
    assertThat(await(store.read(bytes("k"), later()))).isEmpty();
    assertThat(await(store.replace(bytes("k"), 1, bytes("v"), later()))).isFalse();
    assertThat(await(store.remove(bytes("k"), 1, later()))).isFalse();
    assertThat(await(store.read(bytes("k"), later()))).isEmpty();
  }

  @ParameterizedTest
  @EnumSource
  void onlyTheFirstPutIfAbsentStores(StoreKind kind) {
    SiteStore store = create(kind);

    assertThat(await(store.putIfAbsent(bytes("k"), bytes("first"), later()))).isTrue();
    assertThat(await(store.putIfAbsent(bytes("k"), bytes("second"), later()))).isFalse();
    assertThat(entry(store, bytes("k")).value()).isEqualTo(bytes("first"));
  }

  @ParameterizedTest
  @EnumSource
  void aVersionIsGoodForOneReplacement(StoreKind kind) {
    SiteStore store = create(kind);
    await(store.putIfAbsent(bytes("k"), bytes("1"), later()));
    long first = entry(store, bytes("k")).version();

    assertThat(await(store.replace(bytes("k"), first, bytes("2"), later()))).isTrue();
    assertThat(await(store.replace(bytes("k"), first, bytes("3"), later()))).isFalse();

    StoredEntry second = entry(store, bytes("k"));
    assertThat(second.value()).isEqualTo(bytes("2"));
    assertThat(second.version()).isNotEqualTo(first);
    assertThat(await(store.replace(bytes("k"), second.version(), bytes("2"), later()))).isTrue();
    assertThat(entry(store, bytes("k")).version())
        .as("an equal value is a new entry")
        .isNotEqualTo(second.version());
  }

  @ParameterizedTest
  @EnumSource
  void removalWantsTheVersionToo(StoreKind kind) {
    SiteStore store = create(kind);
    await(store.putIfAbsent(bytes("k"), bytes("1"), later()));
    long first = entry(store, bytes("k")).version();
    await(store.replace(bytes("k"), first, bytes("2"), later()));
    long second = entry(store, bytes("k")).version();

    assertThat(await(store.remove(bytes("k"), first, later()))).isFalse();
    assertThat(await(store.remove(bytes("k"), second, later()))).isTrue();
    assertThat(await(store.remove(bytes("k"), second, later()))).isFalse();
    assertThat(await(store.read(bytes("k"), later()))).isEmpty();
    assertThat(await(store.putIfAbsent(bytes("k"), bytes("3"), later()))).isTrue();
    assertThat(entry(store, bytes("k")).version()).isNotIn(first, second);
  }

  @Test
  void aPlainStoreIsOverwrittenAndTellsWhatWasThereWhenAsked() {
    SiteStore store = create(StoreKind.PLAIN);

    assertThat(await(store.getAndPut(bytes("k"), bytes("1"), later()))).isEmpty();
    assertThat(await(store.getAndPut(bytes("k"), bytes("2"), later()))).contains(bytes("1"));
    assertThat(await(store.put(bytes("k"), bytes("3"), later()))).isNull();
    assertThat(entry(store, bytes("k")).value()).isEqualTo(bytes("3"));
  }

  @ParameterizedTest
  @EnumSource
  void keysAndValuesAreAnyBytes(StoreKind kind) {
    SiteStore store = create(kind);
    byte[] all = new byte[100_000];
    for (int i = 0; i < all.length; i++) {
      all[i] = (byte) i;
    }
    Bytes key = Bytes.of((byte) 0, (byte) -1, (byte) '\n');

    assertThat(await(store.putIfAbsent(key, Bytes.of(all), later()))).isTrue();

    assertThat(entry(store, key).value()).isEqualTo(Bytes.of(all));
    assertThat(await(store.putIfAbsent(Bytes.of(), bytes("x"), later()))).isTrue();
    assertThat(entry(store, Bytes.of()).value()).isEqualTo(bytes("x"));
  }

  @ParameterizedTest
  @EnumSource
  void anEmptyValueIsTheCallersMistake(StoreKind kind) {
    SiteStore store = create(kind);
    Bytes none = Bytes.of();

    assertThatThrownBy(() -> store.putIfAbsent(bytes("k"), none, later())).isInstanceOf(WRONG);
    assertThatThrownBy(() -> store.replace(bytes("k"), 1, none, later())).isInstanceOf(WRONG);
    assertThatThrownBy(() -> store.put(bytes("k"), none, later())).isInstanceOf(WRONG);
    assertThatThrownBy(() -> store.getAndPut(bytes("k"), none, later())).isInstanceOf(WRONG);
    assertThat(await(store.read(bytes("k"), later()))).isEmpty();
  }

  @ParameterizedTest
  @ValueSource(ints = {1, 7, 100, 1000})
  void aScanMeetsEveryEntryInBatches(int batchSize) {
    SiteStore store = create(StoreKind.ACCEPTOR);
    Set<Bytes> expected = new HashSet<>();
    for (int i = 0; i < 100; i++) {
      expected.add(bytes("k" + i));
      await(store.putIfAbsent(bytes("k" + i), bytes("v" + i), later()));
    }
    List<SiteStore.Scan.Item> met = new ArrayList<>();

    try (SiteStore.Scan scan = store.scan(batchSize)) {
      List<SiteStore.Scan.Item> batch;
      do {
        batch = await(scan.next(later()));
        assertThat(batch).hasSizeLessThanOrEqualTo(batchSize);
        met.addAll(batch);
      } while (!batch.isEmpty());
      assertThat(await(scan.next(later()))).as("the end stays the end").isEmpty();
    }

    assertThat(met).extracting(SiteStore.Scan.Item::key).containsAll(expected);
    assertThat(met)
        .allSatisfy(
            item ->
                assertThat(item.value())
                    .isEqualTo(bytes(new String(item.key().array(), UTF_8).replace('k', 'v'))));
  }

  @Test
  void anEmptyStoreIsScannedInOneEmptyBatchAndAScanMayEndEarly() {
    SiteStore store = create(StoreKind.PLAIN);
    try (SiteStore.Scan scan = store.scan(10)) {
      assertThat(await(scan.next(later()))).isEmpty();
    }
    await(store.put(bytes("a"), bytes("1"), later()));
    await(store.put(bytes("b"), bytes("1"), later()));
    try (SiteStore.Scan scan = store.scan(1)) {
      assertThat(await(scan.next(later()))).hasSize(1);
    }
    assertThat(await(store.read(bytes("a"), later()))).isPresent();
  }

  @ParameterizedTest
  @EnumSource
  void anOpenedStoreIsTheCreatedOne(StoreKind kind) {
    String name = unique();
    SiteStore created = await(site().create(name, kind, later()));
    await(created.putIfAbsent(bytes("k"), bytes("v"), later()));

    SiteStore opened = await(site().open(name, kind, later()));

    assertThat(entry(opened, bytes("k"))).isEqualTo(entry(created, bytes("k")));
  }

  @Test
  void storesAreApart() {
    SiteStore one = create(StoreKind.ACCEPTOR);
    SiteStore other = create(StoreKind.ACCEPTOR);

    await(one.putIfAbsent(bytes("k"), bytes("1"), later()));

    assertThat(await(other.read(bytes("k"), later()))).isEmpty();
  }

  @ParameterizedTest
  @EnumSource
  void aTakenNameIsRefusedAndKeepsItsEntries(StoreKind kind) {
    String name = unique();
    SiteStore store = await(site().create(name, kind, later()));
    await(store.putIfAbsent(bytes("k"), bytes("v"), later()));

    assertThat(reason(site().create(name, kind, later()))).isEqualTo(Reason.FAILED);
    assertThat(await(store.read(bytes("k"), later()))).isPresent();
  }

  @ParameterizedTest
  @EnumSource
  void whatIsNotThereIsNotOpened(StoreKind kind) {
    String name = unique();

    assertThat(reason(site().open(name, kind, later()))).isEqualTo(Reason.STORE_LOST);
    assertThat(reason(site().open(name, kind, later()))).isEqualTo(Reason.STORE_LOST);
  }

  @Test
  void aSiteTellsWhichStoresItHas() {
    String name = unique();
    String odd = unique() + ".1 ü/🂡'%";
    await(site().create(name, StoreKind.PLAIN, later()));
    await(site().create(odd, StoreKind.ACCEPTOR, later()));

    assertThat(await(site().stores(later()))).contains(name, odd);
    await(site().remove(odd, later()));

    assertThat(await(site().stores(later()))).contains(name).doesNotContain(odd);
  }

  @ParameterizedTest
  @EnumSource
  void aRemovedStoreAnswersNothingAndItsNameIsFreeAgain(StoreKind kind) {
    String name = unique();
    SiteStore store = await(site().create(name, kind, later()));
    await(store.putIfAbsent(bytes("k"), bytes("v"), later()));

    await(site().remove(name, later()));

    assertThat(reason(store.read(bytes("k"), later()))).isEqualTo(Reason.STORE_LOST);
    assertThat(reason(store.putIfAbsent(bytes("k"), bytes("v"), later())))
        .isEqualTo(Reason.STORE_LOST);
    assertThat(reason(store.replace(bytes("k"), 1, bytes("v"), later())))
        .isEqualTo(Reason.STORE_LOST);
    assertThat(reason(store.remove(bytes("k"), 1, later()))).isEqualTo(Reason.STORE_LOST);
    assertThat(reason(store.scan(10).next(later()))).isEqualTo(Reason.STORE_LOST);
    assertThat(reason(site().open(name, kind, later()))).isEqualTo(Reason.STORE_LOST);
    await(site().remove(name, later()));
    SiteStore again = await(site().create(name, kind, later()));
    assertThat(await(again.read(bytes("k"), later()))).isEmpty();
  }

  @Test
  void nothingIsSentAfterTheDeadline() {
    SiteStore store = create(StoreKind.PLAIN);
    Deadline past = Deadline.after(Duration.ZERO, scheduler());

    assertThat(reason(store.put(bytes("k"), bytes("v"), past))).isEqualTo(Reason.TIMED_OUT);
    assertThat(reason(site().create(unique(), StoreKind.PLAIN, past))).isEqualTo(Reason.TIMED_OUT);
    assertThat(await(store.read(bytes("k"), later()))).isEmpty();
  }

  @ParameterizedTest
  @ValueSource(strings = {"", " ", "a\tb", "a\nb", "\u0000", "a\u2028b", "\ud800", "*", "what?"})
  void oddNamesAreTheCallersMistakeAndHurtNothing(String name) {
    assertThatThrownBy(() -> site().create(name, StoreKind.PLAIN, later()))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("store name must have");
    assertThatThrownBy(() -> site().open(name, StoreKind.PLAIN, later()))
        .isInstanceOf(IllegalArgumentException.class);
    assertThatThrownBy(() -> site().remove(name, later()))
        .isInstanceOf(IllegalArgumentException.class);
  }

  @Test
  void aNameHas255BytesAtMost() {
    String longest = "é".repeat(127) + "x";

    await(site().create(longest, StoreKind.PLAIN, later()));

    await(site().remove(longest, later()));
    assertThatThrownBy(() -> site().create(longest + "x", StoreKind.PLAIN, later()))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("256 bytes");
  }

  @ParameterizedTest
  @ValueSource(strings = {"a b", "a/b#c@d:e", "'quoted\"<&>", "日本 🙂", ".."})
  void unusualNamesWork(String name) {
    SiteStore store = await(site().create(name, StoreKind.ACCEPTOR, later()));

    assertThat(await(store.putIfAbsent(bytes("k"), bytes("v"), later()))).isTrue();
    assertThat(await(site().open(name, StoreKind.ACCEPTOR, later())).site())
        .isEqualTo(site().name());
    await(site().remove(name, later()));
  }
}
