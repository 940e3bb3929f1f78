package io.ensemble.cache.weak;

import static org.assertj.core.api.Assertions.assertThat;

import io.ensemble.WriteOutcome;
import io.ensemble.WriteOutcome.Applied;
import io.ensemble.cache.weak.WeakCacheFixture.Client;
import io.ensemble.cache.weak.replica.AntiEntropyReport;
import io.ensemble.cache.weak.replica.WeakOptions;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.concurrent.CompletionStage;
import org.junit.jupiter.api.Test;

class WeakCopiesTest {

  private static WeakOptions bounds(
      WeakCacheFixture fixture, int window, int pending, long bytes, Duration patience) {
    return fixture.options.withCopies(
        new WeakOptions.CopyLimits(window, pending, bytes, patience, Duration.ofSeconds(5)));
  }

  @Test
  void copiesOfOneKeyCoalesceToTheNewest() {
    WeakCacheFixture fixture = new WeakCacheFixture(2);
    Client client = fixture.client(0, 1);
    client.ways.get(1).delay = Duration.ofMillis(500);

    for (int i = 0; i < 50; i++) {
      client.write("k", "v" + i);
    }
    assertThat(client.engine.lag().get(1).pendingCopies()).isEqualTo(2);
    fixture.settle();

    assertThat(fixture.values("k")).containsExactly("v49", "v49");
    assertThat(client.ways.get(1).requests).hasSize(2);
    assertThat(client.putBacks).isZero();
  }

  @Test
  void noMoreThanTheWindowIsUnderWay() {
    WeakCacheFixture fixture = new WeakCacheFixture(2);
    fixture.options = bounds(fixture, 3, 100, 1 << 20, Duration.ofSeconds(1));
    Client client = fixture.client(0, 1);
    client.ways.get(1).delay = Duration.ofMillis(500);

    for (int i = 0; i < 20; i++) {
      client.write("k" + i, "v");
    }

    assertThat(client.ways.get(1).requests).hasSize(3);
    assertThat(client.engine.lag().get(1).pendingCopies()).isEqualTo(20);
    assertThat(client.engine.lag().get(1).oldestUnsent()).isPositive();
    fixture.settle();
    assertThat(fixture.values("k19")).containsExactly("v", "v");
    assertThat(client.engine.lag().get(1).pendingCopies()).isZero();
    assertThat(client.engine.lag().get(1).oldestUnsent()).isZero();
  }

  @Test
  void aWriteWaitsForRoomBeforeItsAnswer() {
    WeakCacheFixture fixture = new WeakCacheFixture(2);
    fixture.options = bounds(fixture, 1, 1, 1 << 20, Duration.ofSeconds(1));
    Client client = fixture.client(0, 1);
    client.ways.get(1).delay = Duration.ofMillis(200);
    client.write("a", "v");
    client.write("b", "v");
    long before = fixture.scheduler.nanos();

    assertThat(client.write("c", "v")).isInstanceOf(Applied.class);

    assertThat(Duration.ofNanos(fixture.scheduler.nanos() - before))
        .isGreaterThan(Duration.ofMillis(150));
    assertThat(client.engine.lag().get(1).dirty()).isFalse();
    fixture.settle();
    assertThat(fixture.values("c")).containsExactly("v", "v");
  }

  @Test
  void aSiteThatKeepsWritersWaitingIsLeftToAComparisonAndHoldsThemUpOnce() {
    WeakCacheFixture fixture = new WeakCacheFixture(2);
    fixture.options = bounds(fixture, 1, 2, 1 << 20, Duration.ofMillis(100));
    Client client = fixture.client(0, 1);
    client.ways.get(1).delay = Duration.ofSeconds(4);

    for (int i = 0; i < 100; i++) {
      assertThat(client.write("k" + i, "v")).isInstanceOf(Applied.class);
      assertThat(client.engine.lag().get(1).pendingCopies()).isLessThanOrEqualTo(4);
    }

    assertThat(Duration.ofNanos(fixture.scheduler.nanos())).isLessThan(Duration.ofMillis(300));
    assertThat(client.engine.lag().get(1).dirty()).isTrue();
    client.ways.get(1).delay = Duration.ofMillis(1);
    fixture.settle();
    assertThat(client.reconcile().copied()).isPositive();
    assertThat(client.engine.lag().get(1).dirty()).isFalse();
    for (int i = 0; i < 100; i++) {
      assertThat(fixture.values("k" + i)).containsExactly("v", "v");
    }
  }

  @Test
  void waitingWritersAreBoundedToo() {
    WeakCacheFixture fixture = new WeakCacheFixture(2);
    fixture.options = bounds(fixture, 1, 10, 1 << 20, Duration.ofSeconds(1));
    Client client = fixture.client(0, 1);
    client.ways.get(1).delay = Duration.ofSeconds(4);
    List<CompletionStage<WriteOutcome<Void>>> writes = new ArrayList<>();

    for (int i = 0; i < 1000; i++) {
      writes.add(client.writing("k" + i, "v"));
    }
    fixture.scheduler.run(Duration.ofMillis(5));

    assertThat(client.engine.lag().get(1).pendingCopies()).isLessThanOrEqualTo(1 + 10 + 10);
    writes.forEach(write -> fixture.scheduler.get(write));
    assertThat(client.engine.lag().get(1).pendingCopies()).isLessThanOrEqualTo(1 + 10);
  }

  @Test
  void waitingBytesAreBounded() {
    WeakCacheFixture fixture = new WeakCacheFixture(2);
    fixture.options = bounds(fixture, 1, 1000, 10_000, Duration.ZERO);
    Client client = fixture.client(0, 1);
    client.ways.get(1).delay = Duration.ofSeconds(4);

    for (int i = 0; i < 100; i++) {
      client.write("k" + i, "v".repeat(900));
    }

    assertThat(client.engine.lag().get(1).pendingCopies()).isBetween(5, 12);
  }

  @Test
  void nothingIsKeptForASiteThatIsDownAndAComparisonMakesItGood() {
    WeakCacheFixture fixture = new WeakCacheFixture(3);
    fixture.options =
        fixture.options.withComparison(
            new WeakOptions.Comparison(
                Duration.ofHours(1), Duration.ZERO, Duration.ofSeconds(2), 4, 64));
    Client client = fixture.client(0, 1);
    fixture.sites.get(2).mode = FakeSiteMemory.Mode.GONE;

    int most = 0;
    for (int i = 0; i < 1000; i++) {
      assertThat(client.write("k" + i, "v" + i)).isInstanceOf(Applied.class);
      most = Math.max(most, client.engine.lag().get(2).pendingCopies());
    }
    assertThat(most).isLessThanOrEqualTo(1);
    int asked = client.ways.get(2).requests.size();
    assertThat(asked).isLessThan(20);
    fixture.settle();
    assertThat(fixture.sites.get(2).entries).isEmpty();
    assertThat(client.engine.lag().get(2).dirty()).isTrue();

    fixture.sites.get(2).mode = FakeSiteMemory.Mode.UP;
    fixture.settle();

    assertThat(client.reports).last().matches(AntiEntropyReport::isComplete);
    assertThat(client.engine.lag().get(2).dirty()).isFalse();
    for (int i = 0; i < 1000; i++) {
      assertThat(Collections.frequency(fixture.values("k" + i), "v" + i)).isEqualTo(3);
    }
  }

  @Test
  void aSilentSiteIsSoonTakenForDown() {
    WeakCacheFixture fixture = new WeakCacheFixture(2);
    Client client = fixture.client(0, 1);
    fixture.sites.get(1).mode = FakeSiteMemory.Mode.SILENT;

    for (int i = 0; i < 5; i++) {
      client.write("k" + i, "v");
    }
    fixture.scheduler.run(Duration.ofSeconds(6));
    int asked = client.ways.get(1).requests.size();
    client.write("k", "v");

    assertThat(client.engine.lag().get(1).down()).isTrue();
    assertThat(client.engine.lag().get(1).pendingCopies()).isZero();
    assertThat(client.ways.get(1).requests).hasSize(asked);
  }

  @Test
  void aBusySiteGetsItsCopiesLater() {
    WeakCacheFixture fixture = new WeakCacheFixture(2);
    Client client = fixture.client(0, 1);
    fixture.sites.get(1).mode = FakeSiteMemory.Mode.BUSY;
    client.write("a", "v");
    client.write("b", "v");
    fixture.scheduler.run(Duration.ofMillis(500));
    assertThat(client.ways.get(1).requests.size()).isBetween(10, 200);

    fixture.sites.get(1).mode = FakeSiteMemory.Mode.UP;
    fixture.settle();

    assertThat(fixture.values("a")).containsExactly("v", "v");
    assertThat(fixture.values("b")).containsExactly("v", "v");
    assertThat(client.engine.lag().get(1).dirty()).isFalse();
  }

  @Test
  void aCopyToASiteInDoubtDisplacesNoNewerEntry() {
    WeakCacheFixture fixture = new WeakCacheFixture(2);
    Client behind = fixture.client(0, 1);
    Client ahead = fixture.client(1, 2);
    ahead.skewMicros = 60_000_000;
    ahead.ways.get(0).cut = true;
    assertThat(ahead.write("k", "newer")).isInstanceOf(Applied.class);
    fixture.sites.get(1).mode = FakeSiteMemory.Mode.MUTE;
    behind.write("x", "v");
    fixture.scheduler.run(Duration.ofSeconds(6));
    assertThat(behind.engine.lag().get(1).dirty()).isTrue();

    behind.write("k", "older");
    fixture.scheduler.run(Duration.ofSeconds(6));

    assertThat(fixture.values("k")).containsExactly("older", "newer");
    fixture.sites.get(1).mode = FakeSiteMemory.Mode.UP;
    fixture.settle();
    assertThat(behind.reconcile().isComplete()).isTrue();
    assertThat(fixture.values("k")).containsExactly("newer", "newer");
    int requests = behind.ways.get(1).requests.size();
    behind.write("k", "last");
    fixture.settle();
    assertThat(behind.ways.get(1).requests.subList(requests, requests + 1))
        .as("the site is in doubt no longer")
        .containsExactly("getAndPut");
  }

  @Test
  void drainingWaitsForTheCopies() {
    WeakCacheFixture fixture = new WeakCacheFixture(2);
    Client client = fixture.client(0, 1);
    client.ways.get(1).delay = Duration.ofMillis(500);
    client.write("k", "v");

    assertThat(fixture.scheduler.get(client.engine.drain(fixture.deadline(Duration.ofMillis(100)))))
        .isFalse();
    assertThat(
            fixture.scheduler.get(client.engine.drain(fixture.deadline(WeakCacheFixture.TIMEOUT))))
        .isTrue();
    assertThat(fixture.values("k")).containsExactly("v", "v");
  }

  @Test
  void closingEndsTimersAndLeavesNoStageOpen() {
    WeakCacheFixture fixture = new WeakCacheFixture(2);
    fixture.options =
        bounds(fixture, 1, 1, 1 << 20, Duration.ofSeconds(9))
            .withComparison(
                new WeakOptions.Comparison(
                    Duration.ofHours(1), Duration.ofMinutes(1), Duration.ofSeconds(1), 4, 64));
    Client client = fixture.client(0, 1);
    client.ways.get(1).delay = Duration.ofSeconds(3);
    List<CompletionStage<?>> stages = new ArrayList<>();
    for (int i = 0; i < 6; i++) {
      stages.add(client.writing("k" + i, "v"));
      stages.add(client.updating("u" + i, before -> "v"));
    }
    stages.add(client.engine.reconcile());
    stages.add(client.engine.reconcile());
    stages.add(client.engine.drain(fixture.deadline(WeakCacheFixture.TIMEOUT)));
    fixture.scheduler.run(Duration.ofMillis(20));

    client.engine.close();
    fixture.scheduler.run(Duration.ofSeconds(60));

    assertThat(stages).allMatch(stage -> stage.toCompletableFuture().isDone());
    assertThat(fixture.scheduler.waiting()).isZero();
  }
}
