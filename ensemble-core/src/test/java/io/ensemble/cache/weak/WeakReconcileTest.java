package io.ensemble.cache.weak;

import static io.ensemble.cache.weak.Fixture.bytes;
import static io.ensemble.cache.weak.Fixture.key;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.ensemble.cache.Payload;
import io.ensemble.cache.weak.Fixture.Client;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Test;

class WeakReconcileTest {

  private static final long PAST = ManualScheduler.EPOCH_MICROS - 1_000_000;
  private static final long LONG_AGO =
      ManualScheduler.EPOCH_MICROS - Duration.ofHours(2).toMillis() * 1000;

  @Test
  void equalSitesAreWalkedOnceAndNoKeyIsComparedAlone() {
    Fixture fixture = new Fixture(3);
    Client client = fixture.client(0, 1);
    for (int i = 0; i < 100; i++) {
      for (int site = 0; site < 3; site++) {
        fixture.put(site, "k" + i, PAST + i, 1, "v" + i);
      }
    }

    ReconcileReport report = client.reconcile();

    assertThat(report.scanned()).isEqualTo(300);
    assertThat(report.compared()).isZero();
    assertThat(report.copied()).isZero();
    assertThat(report.isComplete()).isTrue();
    assertThat(client.engine.lag()).allMatch(lag -> lag.comparedMicros() > 0);
    client.ways.forEach(way -> assertThat(way.requests).containsOnly("scan").hasSize(11));
  }

  @Test
  void differencesOfEveryKindAreMadeGood() {
    Fixture fixture = new Fixture(3);
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

    ReconcileReport report = client.reconcile();

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
    Fixture fixture = new Fixture(2);
    Client winner = fixture.client(0, 1);
    Client crashes = fixture.client(0, 2);
    crashes.skewMicros = -60_000_000;
    winner.write("k", "newer");
    fixture.settle();

    crashes.writing("k", "older");
    fixture.scheduler.run(Duration.ofNanos(600_000)); // Performed; the answer is on its way.
    crashes.crash();
    fixture.settle();
    assertThat(fixture.values("k")).containsExactly("older", "newer");

    winner.reconcile();

    assertThat(fixture.values("k")).containsExactly("newer", "newer");
  }

  @Test
  void aCrashBeforeTheCopiesIsMadeGoodBySomebodyElse() {
    Fixture fixture = new Fixture(3);
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
    Fixture fixture = new Fixture(2);
    Client slow = fixture.client(0, 1);
    Client writer = fixture.client(1, 2);
    fixture.put(0, "k", PAST, 9, "old");
    slow.ways.get(1).delay = Duration.ofMillis(300);

    var report = slow.engine.reconcile();
    // Past the comparison's reads: it has seen that the second site lacks the key.
    fixture.scheduler.run(Duration.ofMillis(300 * 3 + 200));
    writer.write("k", "new");
    fixture.scheduler.get(report);
    fixture.settle();

    assertThat(fixture.values("k")).containsExactly("new", "new");
  }

  @Test
  void aTombstoneIsPurgedWhenAllHaveItAndTheGraceIsOver() {
    Fixture fixture = new Fixture(3);
    Client client = fixture.client(0, 1);
    for (int site = 0; site < 3; site++) {
      fixture.put(site, "old", LONG_AGO, 1, null);
      fixture.put(site, "young", PAST, 1, null);
    }
    fixture.put(1, "alone", LONG_AGO, 1, null);

    ReconcileReport report = client.reconcile();

    assertThat(report.purged()).isEqualTo(2);
    assertThat(fixture.values("old")).containsExactly(null, null, null);
    assertThat(fixture.values("alone")).containsExactly(null, null, null);
    assertThat(fixture.values("young")).containsExactly("-", "-", "-");
  }

  @Test
  void aTombstoneStaysWhileOneSiteHoldsSomethingOlder() {
    Fixture fixture = new Fixture(3);
    Client client = fixture.client(0, 1);
    fixture.put(0, "k", LONG_AGO, 1, null);
    fixture.put(1, "k", LONG_AGO, 1, null);
    fixture.put(2, "k", LONG_AGO - 1, 1, "old");

    assertThat(client.reconcile().purged()).isZero();
    assertThat(fixture.values("k")).containsExactly("-", "-", "-");
    assertThat(client.reconcile().purged()).isEqualTo(1);
    assertThat(fixture.values("k")).containsExactly(null, null, null);
  }

  @Test
  void nothingIsPurgedWhileASiteCannotBeReached() {
    for (FakeSite.Mode mode : List.of(FakeSite.Mode.GONE, FakeSite.Mode.SILENT)) {
      Fixture fixture = new Fixture(3);
      Client client = fixture.client(0, 1);
      fixture.put(0, "k", LONG_AGO, 1, null);
      fixture.put(1, "k", LONG_AGO, 1, null);
      fixture.put(2, "k", LONG_AGO - 1, 1, "old");
      fixture.sites.get(2).mode = mode;

      ReconcileReport report = client.reconcile();

      assertThat(report.unreachable()).containsOnlyKeys("s2");
      assertThat(fixture.values("k")).startsWith("-", "-");
      fixture.sites.get(2).mode = FakeSite.Mode.UP;
      client.reconcile();
      assertThat(fixture.values("k")).containsExactly("-", "-", "-");
    }
  }

  @Test
  void anExpiredValueIsPurgedAGraceAfterItsEnd() {
    Fixture fixture = new Fixture(2);
    Client client = fixture.client(0, 1);
    long end = ManualScheduler.EPOCH_MICROS + 1_000_000;
    fixture.scheduler.get(
        client.engine.write(
            key("k"), new Payload(bytes("a"), end), fixture.deadline(Fixture.TIMEOUT)));
    fixture.settle();
    assertThat(client.reconcile().purged()).isZero();

    fixture.scheduler.run(Duration.ofMinutes(61));

    assertThat(client.reconcile().purged()).isEqualTo(1);
    assertThat(fixture.sites).allMatch(site -> site.entries.isEmpty());
  }

  @Test
  void oneSiteAlonePurgesItsTombstones() {
    Fixture fixture = new Fixture(1);
    Client client = fixture.client(0, 1);
    fixture.put(0, "k", LONG_AGO, 1, null);

    assertThat(client.reconcile().purged()).isEqualTo(1);
    assertThat(fixture.sites.get(0).entries).isEmpty();
  }

  @Test
  void theSitesThatCanBeReachedAreMadeEqualAndStayDirtyUntilAllAre() {
    Fixture fixture = new Fixture(3);
    Client client = fixture.client(0, 1);
    fixture.put(0, "k", PAST, 1, "v");
    fixture.sites.get(2).mode = FakeSite.Mode.GONE;
    client.write("other", "w");
    fixture.scheduler.run(Duration.ofMillis(10));

    ReconcileReport report = client.reconcile();

    assertThat(report.unreachable()).containsOnlyKeys("s2");
    assertThat(fixture.values("k")).containsExactly("v", "v", null);
    assertThat(client.engine.lag().get(2).dirty()).isTrue();
    assertThat(client.engine.lag().get(2).comparedMicros()).isZero();
  }

  @Test
  void losingSomeAnswersDoesNotSpoilAComparison() {
    Fixture fixture = new Fixture(2);
    Client client = fixture.client(0, 1);
    for (int i = 0; i < 30; i++) {
      fixture.put(0, "k" + i, PAST, 1, "v");
    }
    for (int i = 0; i < 40; i++) {
      boolean lost = i % 7 == 3;
      client.ways.get(1).next.add(lost ? FakeSite.Mode.MUTE : FakeSite.Mode.UP);
    }

    ReconcileReport report = client.reconcile();

    assertThat(report.isComplete()).isTrue();
    assertThat(fixture.sites.get(1).entries.keySet())
        .isEqualTo(fixture.sites.get(0).entries.keySet());
  }

  @Test
  void callsDuringAComparisonShareTheNext() {
    Fixture fixture = new Fixture(2);
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
    Fixture fixture = new Fixture(2);
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
    Fixture fixture = new Fixture(3);
    fixture.options =
        fixture.options.withComparison(
            new WeakOptions.Comparison(
                Duration.ofHours(1), Duration.ZERO, Duration.ofSeconds(1), 4, 10));
    Client client = fixture.client(0, 1);
    fixture.sites.get(2).mode = FakeSite.Mode.GONE;
    client.ways.get(1).next.add(FakeSite.Mode.MUTE); // One copy to s1 in doubt: s1 is dirty.
    client.write("k", "v");

    for (int i = 0; i < 200; i++) {
      client.write("k" + i, "v");
      fixture.scheduler.run(Duration.ofSeconds(1));
    }

    assertThat(client.reports.size()).isBetween(1, 3);
  }

  @Test
  void aNewIncarnationIsRefilledAndGetsNewWritesMeanwhile() {
    Fixture fixture = new Fixture(3);
    fixture.options =
        fixture.options.withComparison(
            new WeakOptions.Comparison(
                Duration.ofHours(1), Duration.ZERO, Duration.ofSeconds(1), 4, 10));
    Client client = fixture.client(0, 1);
    for (int i = 0; i < 40; i++) {
      client.write("k" + i, "v");
    }
    client.write("gone", null);
    fixture.put(1, "onlyThere", PAST, 1, "v");
    fixture.settle();
    client.given.set(2, null);
    fixture.sites.get(2).entries.clear();
    FakeStore fresh = new FakeStore(fixture.sites.get(2), fixture.scheduler);

    var refill = client.engine.refill("s2", fresh);
    fixture.scheduler.run(Duration.ofMillis(3));
    client.write("meanwhile", "v");
    ReconcileReport report = fixture.scheduler.get(refill);

    assertThat(report.isComplete()).isTrue();
    assertThat(report.copied()).isGreaterThanOrEqualTo(42);
    assertThat(fixture.values("k7")).containsExactly("v", "v", "v");
    assertThat(fixture.values("onlyThere").get(2)).isEqualTo("v");
    assertThat(fixture.values("gone")).containsExactly("-", "-", "-");
    assertThat(fixture.values("meanwhile")).containsExactly("v", "v", "v");

    client.given.set(2, fresh);
    client.write("after", "v");
    fixture.settle();
    assertThat(fixture.values("after")).containsExactly("v", "v", "v");
    assertThat(client.reports).hasSizeGreaterThan(1);
    assertThat(client.engine.lag()).noneMatch(SiteLag::dirty);
  }

  @Test
  void aStoreThatIsBeingFilledIsNotReadAndNotWrittenFirst() {
    Fixture fixture = new Fixture(2);
    Client client = fixture.client(1, 1);
    fixture.put(0, "k", PAST, 1, "v");
    client.given.set(1, null);
    FakeStore fresh = new FakeStore(fixture.sites.get(1), fixture.scheduler);
    fresh.delay = Duration.ofMillis(200);

    var refill = client.engine.refill("s1", fresh);

    assertThat(client.read("k")).isEqualTo("v");
    client.write("n", "v");
    fixture.scheduler.get(refill);
    fixture.settle();
    assertThat(fixture.values("n")).containsExactly("v", "v");
  }

  @Test
  void whatIsNoSiteOfTheCacheCannotBeFilled() {
    Fixture fixture = new Fixture(2);
    Client client = fixture.client(0, 1);

    assertThatThrownBy(() -> client.engine.refill("s9", client.ways.get(0)))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("s9");
  }
}
