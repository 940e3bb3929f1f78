package io.ensemble.cache.weak;

import static io.ensemble.cache.weak.WeakCacheFixture.key;
import static io.ensemble.cache.weak.WeakCacheFixture.payload;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.ensemble.WriteOutcome;
import io.ensemble.cache.Payload;
import io.ensemble.cache.weak.WeakCacheFixture.Client;
import io.ensemble.cache.weak.entry.SiblingCodec;
import io.ensemble.cache.weak.entry.StampedEntry;
import io.ensemble.cache.weak.replica.AntiEntropyReport;
import io.ensemble.sibling.ActorVersionVector;
import io.ensemble.sibling.SiblingUpdate.Decision;
import io.ensemble.sibling.Siblings;
import io.ensemble.sibling.StoredSiblings;
import io.ensemble.stamp.Stamp;
import io.ensemble.stamp.WriterId;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Test;

class WeakSiblingsTest {

  private static final Duration AGE = Duration.ofHours(2);

  private final WeakCacheFixture fixture = siblings(3, 4);

  static WeakCacheFixture siblings(int sites, int most) {
    WeakCacheFixture fixture = new WeakCacheFixture(sites);
    fixture.options = fixture.options.withSiblings(most);
    return fixture;
  }

  @Test
  void whatWasWrittenAtSitesThatWereCutFromEachOtherIsThereAtAllOfThemAfterwards() {
    Client lyon = fixture.client(0, 1);
    Client oslo = fixture.client(1, 2);
    cut(lyon, 1, 2);
    cut(oslo, 0, 2);
    lyon.write("k", "a");
    oslo.write("k", "b");
    fixture.scheduler.run(Duration.ofSeconds(20));
    assertThat(lyon.read("k")).isEqualTo("a");
    heal(lyon, oslo);

    assertThat(lyon.reconcile().isComplete()).isTrue();

    for (int site = 0; site < 3; site++) {
      assertThat(at(site, "k")).containsExactly("b", "a");
    }
    assertThat(lyon.read("k")).as("the last writer's").isEqualTo("b");
    assertThat(oslo.reconcile().compared()).as("the sites agree").isZero();
  }

  @Test
  void aWriteTakesThePlaceOfAllThatItsSiteShowsAndItsCopiesTellTheOthers() {
    Client client = concurrent("a", "b");

    WriteOutcome<Void> outcome = client.write("k", "c");
    fixture.settle();

    assertThat(outcome).isInstanceOf(WriteOutcome.Applied.class);
    for (int site = 0; site < 3; site++) {
      assertThat(at(site, "k")).containsExactly("c");
    }
  }

  @Test
  void aWriteWithAContextLeavesWhatThatHasNotSeen() {
    Client lyon = fixture.client(0, 1);
    Client oslo = fixture.client(1, 2);
    lyon.write("k", "a");
    fixture.settle();
    ActorVersionVector seen = siblings(oslo, "k").seen();
    lyon.write("k", "b");
    fixture.settle();

    oslo.engine.amend(
        key("k"), found -> Decision.write(seen, payload("c"), null), fixture.deadline());
    fixture.settle();

    for (int site = 0; site < 3; site++) {
      assertThat(at(site, "k")).containsExactly("c", "b");
    }
  }

  @Test
  void aRemovalLeavesAValueThatItHasNotSeenAndIsPurgedAfterTheGrace() {
    Client lyon = fixture.client(0, 1);
    Client oslo = fixture.client(1, 2);
    lyon.write("k", "a");
    lyon.write("gone", "a");
    fixture.settle();
    cut(lyon, 1, 2);
    lyon.write("k", null);
    lyon.write("gone", null);
    oslo.write("k", "b");
    fixture.scheduler.run(Duration.ofSeconds(20));
    heal(lyon, oslo);
    lyon.reconcile();
    assertThat(at(2, "k")).containsExactly("b");
    assertThat(at(2, "gone")).isEmpty();
    assertThat(fixture.sites.get(2).entries).containsKey(key("gone"));

    fixture.scheduler.run(AGE);
    assertThat(lyon.reconcile().purged()).isEqualTo(1);

    fixture.sites.forEach(
        site -> {
          assertThat(site.entries).doesNotContainKey(key("gone"));
          assertThat(site.entries).containsKey(key("k"));
        });
  }

  @Test
  void removingWhatIsNotThereWritesNothing() {
    Client client = fixture.client(0, 1);

    WriteOutcome<Void> outcome = client.write("k", null);

    assertThat(outcome).isInstanceOf(WriteOutcome.Applied.class);
    assertThat(client.ways.get(0).requests).containsExactly("read");
    assertThat(fixture.sites.get(0).entries).isEmpty();
  }

  @Test
  void entriesOfOneStampWithDifferentSiblingsAreFoundByAComparison() {
    Client client = fixture.client(0, 1);
    StoredSiblings<Payload> one = written(StoredSiblings.none(), 1_000, 9, "a");
    StoredSiblings<Payload> other = written(StoredSiblings.none(), 500, 8, "b");
    store(0, one);
    store(1, one.joined(other.siblings()));

    AntiEntropyReport report = client.reconcile();

    assertThat(report.compared()).isEqualTo(1);
    assertThat(siblings(0)).isEqualTo(siblings(1)).isEqualTo(siblings(2));
    assertThat(at(2, "k")).containsExactly("a", "b");
    assertThat(client.reconcile().compared()).isZero();
  }

  @Test
  void valuesFromBeforeSiblingsWereKeptAreOneWriterAfterTheOther() {
    Client client = fixture.client(0, 1);
    fixture.put(0, "k", 1_000, 1, "old");
    fixture.put(1, "k", 2_000, 1, "newer");

    client.reconcile();

    for (int site = 0; site < 3; site++) {
      assertThat(at(site, "k")).containsExactly("newer");
    }
    client.reconcile();
    assertThat(client.reconcile().copied()).isZero();
  }

  @Test
  void siblingsBeyondTheBoundAreDroppedEverywhereTheOldestFirstAndCounted() {
    Client client = fixture.client(0, 1);
    for (int i = 0; i < 6; i++) {
      String value = "v" + i;
      fixture.scheduler.get(
          client.engine.amend(
              key("k"),
              found -> Decision.write(ActorVersionVector.NONE, payload(value), null),
              fixture.deadline()));
    }
    fixture.settle();
    client.reconcile();

    for (int site = 0; site < 3; site++) {
      assertThat(at(site, "k")).containsExactly("v5", "v4", "v3", "v2");
    }
    assertThat(client.siblingsDropped).isGreaterThanOrEqualTo(2);
  }

  @Test
  void noCopyTakesAwayWhatItsSiteAloneHas() {
    Client lyon = fixture.client(0, 1);
    Client oslo = fixture.client(1, 2);
    lyon.ways.get(1).delay = Duration.ofSeconds(1);
    lyon.write("k", "a");
    oslo.write("k", "b");
    fixture.scheduler.run(Duration.ofMillis(1_400)); // The copy is under way.
    lyon.crash();
    oslo.crash();
    fixture.settle();

    assertThat(at(1, "k")).contains("b");
    fixture.sites.forEach(
        site -> assertThat(site.entries.keySet()).as(site.name).isSubsetOf(List.of(key("k"))));
  }

  @Test
  void aSiteThatReturnedEmptyDoesNotCoverWhatItHadForgotten() {
    Client lyon = fixture.client(0, 1);
    Client oslo = fixture.client(1, 2);
    lyon.write("k", "a");
    fixture.settle();
    cut(lyon, 1, 2);
    cut(oslo, 0);
    fixture.sites.get(0).entries.clear();
    lyon.write("k", "b");
    fixture.scheduler.run(Duration.ofSeconds(20));
    heal(lyon, oslo);
    lyon.reconcile();

    for (int site = 0; site < 3; site++) {
      assertThat(at(site, "k")).containsExactly("b", "a");
    }
  }

  @Test
  void copiesLeaveTheStoresOwnActorBehind() {
    Client lyon = fixture.client(0, 1);
    lyon.write("k", "a");
    fixture.settle();

    assertThat(resident(0).actor()).isNotNull();
    assertThat(resident(1).actor()).isNull();
    lyon.reconcile();
    FakeStore fresh = new FakeStore(new FakeSiteMemory("s2"), fixture.scheduler);
    fixture.scheduler.get(lyon.engine.refill("s2", fresh));
    StoredSiblings<Payload> filled =
        SiblingCodec.resident(
            io.ensemble.envelope.EnvelopeCodec.decode(fresh.site.entries.get(key("k")).value()));
    assertThat(filled.actor()).isNull();
    assertThat(filled.siblings()).isEqualTo(siblings(0));
  }

  @Test
  void aConditionalOperationSeesTheLastWriterAndTakesThePlaceOfAll() {
    Client client = concurrent("a", "b");

    WriteOutcome<String> outcome = client.update("k", found -> found + "!");
    fixture.settle();

    assertThat(outcome).extracting("result").isEqualTo("b");
    assertThat(at(1, "k")).containsExactly("b!");
  }

  @Test
  void aWriteGoesOnAtAnotherSiteWhenTheFirstCannotBeRead() {
    Client client = fixture.client(0, 1);
    fixture.sites.get(0).mode = FakeSiteMemory.Mode.SILENT;
    long before = fixture.scheduler.nanos();

    WriteOutcome<Void> outcome = client.write("k", "a");

    assertThat(outcome).isInstanceOf(WriteOutcome.Applied.class);
    assertThat(Duration.ofNanos(fixture.scheduler.nanos() - before))
        .isLessThan(Duration.ofSeconds(2));
    assertThat(at(1, "k")).containsExactly("a");
  }

  @Test
  void aWriteWhoseAnswerIsLostIsFoundAndNotDoneTwice() {
    Client client = fixture.client(0, 1);
    client.ways.get(0).next.addAll(List.of(FakeSiteMemory.Mode.UP, FakeSiteMemory.Mode.MUTE));

    WriteOutcome<Void> outcome = client.write("k", "a");
    fixture.settle();

    assertThat(outcome).isInstanceOf(WriteOutcome.Applied.class);
    assertThat(siblings(0).seen().latest()).hasSize(1);
    assertThat(at(0, "k")).containsExactly("a");
  }

  @Test
  void onlyCachesThatKeepSiblingsShowThem() {
    Client plain = new WeakCacheFixture(1).client(0, 1);

    assertThatThrownBy(() -> plain.engine.siblings(key("k"), fixture.deadline()))
        .isInstanceOf(UnsupportedOperationException.class)
        .hasMessageContaining("cache=c");
    assertThatThrownBy(
            () -> plain.engine.amend(key("k"), found -> Decision.keep(null), fixture.deadline()))
        .isInstanceOf(UnsupportedOperationException.class);
  }

  @Test
  void expiredSiblingsAreShownToNobodyAndPurgedWhenAllAre() {
    Client client = fixture.client(0, 1);
    long end = fixture.scheduler.epochMicros() + 1_000_000;
    fixture.scheduler.get(
        client.engine.write(
            key("k"), new Payload(WeakCacheFixture.bytes("short"), end), fixture.deadline()));
    fixture.settle();
    assertThat(client.read("k")).isNull();

    fixture.scheduler.run(AGE);
    client.reconcile();

    fixture.sites.forEach(site -> assertThat(site.entries).isEmpty());
  }

  /** Stores two concurrent values at all sites. */
  private Client concurrent(String first, String second) {
    Client client = fixture.client(0, 1);
    StoredSiblings<Payload> one = written(StoredSiblings.none(), 1_000, 7, first);
    StoredSiblings<Payload> other = written(StoredSiblings.none(), 2_000, 8, second);
    for (int site = 0; site < 3; site++) {
      store(site, new StoredSiblings<>(one.siblings().join(other.siblings()), null));
    }
    return client;
  }

  private static StoredSiblings<Payload> written(
      StoredSiblings<Payload> at, long micros, long writer, String value) {
    long time = Math.max(micros, at.siblings().last().micros() + 1);
    return at.written(
        new Stamp(time, new WriterId(0, writer)), at.siblings().seen(), payload(value));
  }

  private void store(int site, StoredSiblings<Payload> storedSiblings) {
    fixture
        .sites
        .get(site)
        .store(key("k"), StampedEntry.of(SiblingCodec.envelope(storedSiblings)).stored());
  }

  private Siblings<Payload> siblings(Client client, String key) {
    return fixture.scheduler.get(client.engine.siblings(key(key), fixture.deadline()));
  }

  private Siblings<Payload> siblings(int site) {
    return resident(site).siblings();
  }

  private StoredSiblings<Payload> resident(int site) {
    return SiblingCodec.resident(fixture.envelope(fixture.sites.get(site), "k"));
  }

  private List<String> at(int site, String key) {
    return SiblingCodec.siblings(fixture.envelope(fixture.sites.get(site), key)).values().stream()
        .map(WeakCacheFixture::text)
        .toList();
  }

  static void cut(Client client, int... sites) {
    for (int site : sites) {
      client.ways.get(site).cut = true;
    }
  }

  static void heal(Client... clients) {
    for (Client client : clients) {
      client.ways.forEach(way -> way.cut = false);
    }
  }
}
