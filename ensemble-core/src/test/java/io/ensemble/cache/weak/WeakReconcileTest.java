package io.ensemble.cache.weak;

import static io.ensemble.cache.weak.WeakCacheFixture.bytes;
import static io.ensemble.cache.weak.WeakCacheFixture.key;
import static org.assertj.core.api.Assertions.assertThat;

import io.ensemble.cache.weak.WeakCacheFixture.Client;
import io.ensemble.cache.weak.entry.StampedEntry;
import io.ensemble.cache.weak.replica.AntiEntropyReport;
import io.ensemble.cache.weak.replica.CasMerge;
import io.ensemble.cache.weak.replica.SiteLag;
import io.ensemble.cache.weak.replica.WeakContext;
import io.ensemble.cache.weak.replica.WeakOptions;
import io.ensemble.schedule.Deadline;
import io.ensemble.site.StoredEntry;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.function.Supplier;
import org.junit.jupiter.api.Test;

class WeakReconcileTest {

  private static final long PAST = WeakManualScheduler.EPOCH_MICROS - 1_000_000;

  @Test
  void equalSitesAreWalkedOnceAndNoKeyIsComparedAlone() {
    WeakCacheFixture fixture = new WeakCacheFixture(3);
    Client client = fixture.client(0, 1);
    for (int i = 0; i < 100; i++) {
      for (int site = 0; site < 3; site++) {
        fixture.put(site, "k" + i, PAST + i, 1, "v" + i);
      }
    }

    AntiEntropyReport report = client.reconcile();

    assertThat(report.scanned()).isEqualTo(300);
    assertThat(report.compared()).isZero();
    assertThat(report.copied()).isZero();
    assertThat(report.isComplete()).isTrue();
    assertThat(client.engine.lag()).allMatch(lag -> lag.comparedMicros() > 0);
    client.ways.forEach(way -> assertThat(way.requests).containsOnly("scan").hasSize(11));
  }

  @Test
  void aSiteThatComparisonsMissIsKnownUntilOneReachesIt() {
    WeakCacheFixture fixture = new WeakCacheFixture(3);
    Client client = fixture.client(0, 1);
    fixture.sites.get(2).mode = FakeSiteMemory.Mode.SILENT;
    client.reconcile();
    assertThat(client.engine.failing()).containsExactly("s2");
    fixture.sites.get(2).mode = FakeSiteMemory.Mode.UP;

    client.reconcile();

    assertThat(client.engine.failing()).isEmpty();
  }

  @Test
  void differencesOfEveryKindAreMadeGood() {
    WeakCacheFixture fixture = new WeakCacheFixture(3);
    Client client = fixture.client(0, 1);
    fixture.put(0, "older", PAST, 1, "old");
    fixture.put(1, "older", PAST + 1, 1, "new");
    fixture.put(2, "older", PAST, 1, "old");
    fixture.put(2, "missing", PAST, 1, "a");
    fixture.put(0, "removed", PAST, 1, "a");
    fixture.put(1, "removed", PAST + 1, 1, null);
    fixture.put(0, "tie", PAST, 1, "low");
    fixture.put(2, "tie", PAST, 2, "high");
    fixture.sites.get(1).store(key("foreign"), bytes("?"));
    fixture.put(2, "foreign", PAST, 1, "ours");

    AntiEntropyReport report = client.reconcile();

    assertThat(fixture.values("older")).containsExactly("new", "new", "new");
    assertThat(fixture.values("missing")).containsExactly("a", "a", "a");
    assertThat(fixture.values("removed")).containsExactly("-", "-", "-");
    assertThat(fixture.values("tie")).containsExactly("high", "high", "high");
    assertThat(fixture.values("foreign")).containsExactly("ours", "ours", "ours");
    assertThat(report.copied()).isEqualTo(2 + 2 + 2 + 2 + 2);
    assertThat(client.reconcile().compared()).isZero();
  }

  @Test
  void aCrashBetweenTheSwapAndThePutBackIsMadeGoodBySomebodyElse() {
    WeakCacheFixture fixture = new WeakCacheFixture(2);
    Client winner = fixture.client(0, 1);
    Client crashes = fixture.client(0, 2);
    crashes.skewMicros = -60_000_000;
    winner.write("k", "newer");
    fixture.settle();

    crashes.writing("k", "older");
    fixture.scheduler.run(Duration.ofNanos(600_000)); // Performed, and not answered yet.
    crashes.crash();
    fixture.settle();
    assertThat(fixture.values("k")).containsExactly("older", "newer");

    winner.reconcile();

    assertThat(fixture.values("k")).containsExactly("newer", "newer");
  }

  @Test
  void aCrashBeforeTheCopiesIsMadeGoodBySomebodyElse() {
    WeakCacheFixture fixture = new WeakCacheFixture(3);
    Client crashes = fixture.client(0, 1);
    Client other = fixture.client(1, 2);
    crashes.write("k", "v");
    crashes.crash();
    fixture.sites.get(1).entries.clear();
    fixture.sites.get(2).entries.clear();

    other.reconcile();

    assertThat(fixture.values("k")).containsExactly("v", "v", "v");
  }

  @Test
  void aWriteDuringTheComparisonIsNotOverwritten() {
    WeakCacheFixture fixture = new WeakCacheFixture(2);
    Client slow = fixture.client(0, 1);
    Client writer = fixture.client(1, 2);
    fixture.put(0, "k", PAST, 9, "old");
    slow.ways.get(1).delay = Duration.ofMillis(300);

    var report = slow.engine.reconcile();
    // The comparison has read both sites and found that the second one lacks the key.
    fixture.scheduler.run(Duration.ofMillis(300 * 3 + 200));
    writer.write("k", "new");
    fixture.scheduler.get(report);
    fixture.settle();

    assertThat(fixture.values("k")).containsExactly("new", "new");
  }

  @Test
  void theSitesThatCanBeReachedAreMadeEqualAndStayDirtyUntilAllAre() {
    WeakCacheFixture fixture = new WeakCacheFixture(3);
    Client client = fixture.client(0, 1);
    fixture.put(0, "k", PAST, 1, "v");
    fixture.sites.get(2).mode = FakeSiteMemory.Mode.GONE;
    client.write("other", "w");
    fixture.scheduler.run(Duration.ofMillis(10));

    AntiEntropyReport report = client.reconcile();

    assertThat(report.unreachable()).containsOnlyKeys("s2");
    assertThat(fixture.values("k")).containsExactly("v", "v", null);
    assertThat(client.engine.lag().get(2).dirty()).isTrue();
    assertThat(client.engine.lag().get(2).comparedMicros()).isZero();
  }

  @Test
  void losingSomeAnswersDoesNotSpoilAComparison() {
    WeakCacheFixture fixture = new WeakCacheFixture(2);
    Client client = fixture.client(0, 1);
    for (int i = 0; i < 30; i++) {
      fixture.put(0, "k" + i, PAST, 1, "v");
    }
    for (int i = 0; i < 40; i++) {
      boolean lost = i % 7 == 3;
      client.ways.get(1).next.add(lost ? FakeSiteMemory.Mode.MUTE : FakeSiteMemory.Mode.UP);
    }

    AntiEntropyReport report = client.reconcile();

    assertThat(report.isComplete()).isTrue();
    assertThat(fixture.sites.get(1).entries.keySet())
        .isEqualTo(fixture.sites.get(0).entries.keySet());
  }

  @Test
  void callsDuringAComparisonShareTheNext() {
    WeakCacheFixture fixture = new WeakCacheFixture(2);
    Client client = fixture.client(0, 1);

    var first = client.engine.reconcile();
    var second = client.engine.reconcile();
    var third = client.engine.reconcile();
    fixture.put(0, "k", PAST, 1, "v");
    fixture.scheduler.get(third);

    assertThat(first).isNotSameAs(second);
    assertThat(second.toCompletableFuture()).isCompleted();
    assertThat(client.reports).hasSize(2);
    assertThat(fixture.values("k")).containsExactly("v", "v");
  }

  @Test
  void comparisonsComeRegularlyWhenAsked() {
    WeakCacheFixture fixture = new WeakCacheFixture(2);
    fixture.options =
        fixture.options.withComparison(
            new WeakOptions.Comparison(
                Duration.ofHours(1), Duration.ofMinutes(10), Duration.ofSeconds(1), 4, 10));
    Client client = fixture.client(0, 1);
    fixture.put(0, "k", PAST, 1, "v");

    fixture.scheduler.run(Duration.ofHours(2));

    assertThat(client.reports.size()).isBetween(8, 24);
    assertThat(fixture.values("k")).containsExactly("v", "v");
  }

  @Test
  void aSiteThatStaysDownDoesNotKeepTheOthersComparing() {
    WeakCacheFixture fixture = new WeakCacheFixture(3);
    fixture.options =
        fixture.options.withComparison(
            new WeakOptions.Comparison(
                Duration.ofHours(1), Duration.ZERO, Duration.ofSeconds(1), 4, 10));
    Client client = fixture.client(0, 1);
    fixture.sites.get(2).mode = FakeSiteMemory.Mode.GONE;
    client.ways.get(1).next.add(FakeSiteMemory.Mode.MUTE); // One copy to s1 in doubt: s1 is dirty.
    client.write("k", "v");

    for (int i = 0; i < 200; i++) {
      client.write("k" + i, "v");
      fixture.scheduler.run(Duration.ofSeconds(1));
    }

    assertThat(client.reports.size()).as("until the doubt is over, then no more").isBetween(1, 8);
  }

  @Test
  void aCopyThatArrivesAfterEverybodyGaveItUpIsMadeGood() {
    WeakCacheFixture fixture = new WeakCacheFixture(2);
    fixture.options =
        fixture.options.withComparison(
            new WeakOptions.Comparison(
                Duration.ofHours(1), Duration.ZERO, Duration.ofSeconds(1), 4, 10));
    Client slow = fixture.client(0, 1);
    Client fast = fixture.client(1, 2);
    slow.ways.get(1).delay = Duration.ofSeconds(14); // Performed after 7 s, timed out after 5 s.
    slow.write("k", "old");
    slow.ways.get(1).delay = Duration.ofMillis(1);
    fixture.scheduler.run(Duration.ofSeconds(1));
    fast.write("k", "new");

    fixture.scheduler.run(Duration.ofMillis(5500));
    assertThat(slow.reports).isNotEmpty();
    assertThat(fixture.values("k")).containsExactly("new", "new");
    fixture.scheduler.run(Duration.ofMillis(500));
    assertThat(fixture.values("k")).containsExactly("new", "old");
    fixture.settle();

    assertThat(fixture.values("k")).containsExactly("new", "new");
    assertThat(slow.engine.lag()).noneMatch(SiteLag::dirty);
  }

  @Test
  void nothingNewerIsOverwrittenHoweverOutOfDateTheFirstLookWas() {
    WeakCacheFixture fixture = new WeakCacheFixture(1);
    FakeStore store = new FakeStore(fixture.sites.get(0), fixture.scheduler);
    fixture.put(0, "k", PAST, 1, "middle");
    StampedEntry middle = StampedEntry.of(store.site.entries.get(key("k")).value());
    fixture.put(0, "k", PAST - 1, 1, "old");
    Optional<StoredEntry> old = Optional.of(store.site.entries.get(key("k")));
    WeakContext context = fixture.context();
    Supplier<Deadline> deadline = () -> fixture.deadline(WeakCacheFixture.TIMEOUT);
    fixture.put(0, "k", PAST + 1, 1, "new");

    for (Optional<StoredEntry> found : List.of(old, Optional.<StoredEntry>empty())) {
      var raised = CasMerge.at(context, store, key("k"), middle, found, deadline);

      assertThat(fixture.scheduler.get(raised)).isFalse();
      assertThat(fixture.values("k")).containsExactly("new");
    }
    fixture.put(0, "k", PAST - 2, 1, "older");
    assertThat(fixture.scheduler.get(CasMerge.at(context, store, key("k"), middle, old, deadline)))
        .isTrue();
    assertThat(fixture.values("k")).containsExactly("middle");
  }
}
