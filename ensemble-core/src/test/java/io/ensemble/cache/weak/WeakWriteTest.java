package io.ensemble.cache.weak;

import static io.ensemble.cache.weak.WeakCacheFixture.key;
import static io.ensemble.cache.weak.WeakCacheFixture.payload;
import static org.assertj.core.api.Assertions.assertThat;

import io.ensemble.WriteOutcome;
import io.ensemble.WriteOutcome.Applied;
import io.ensemble.WriteOutcome.Refused;
import io.ensemble.WriteOutcome.Superseded;
import io.ensemble.WriteOutcome.Unknown;
import io.ensemble.cache.weak.WeakCacheFixture.Client;
import io.ensemble.cache.weak.replica.SiteLag;
import io.ensemble.cache.weak.replica.WeakOptions;
import io.ensemble.stamp.Stamp;
import io.ensemble.stamp.WriterId;
import java.time.Duration;
import org.junit.jupiter.api.Test;

class WeakWriteTest {

  @Test
  void oneSiteCostsOnePlainPut() {
    WeakCacheFixture fixture = new WeakCacheFixture(1);
    Client client = fixture.client(0, 1);

    assertThat(client.write("k", "a")).isInstanceOf(Applied.class);

    assertThat(client.ways.get(0).requests).containsExactly("put");
    assertThat(fixture.values("k")).containsExactly("a");
  }

  @Test
  void severalSitesCostOneRequestEachAndOneIsWaitedFor() {
    WeakCacheFixture fixture = new WeakCacheFixture(3);
    Client client = fixture.client(1, 1);
    client.ways.get(2).delay = Duration.ofSeconds(1);

    assertThat(client.write("k", "a")).isInstanceOf(Applied.class);
    assertThat(fixture.scheduler.nanos()).isEqualTo(Duration.ofMillis(1).toNanos());
    assertThat(fixture.values("k")).containsExactly(null, "a", null);

    fixture.settle();
    assertThat(fixture.values("k")).containsExactly("a", "a", "a");
    client.ways.forEach(way -> assertThat(way.requests).containsExactly("getAndPut"));
    assertThat(client.putBacks).isZero();
  }

  @Test
  void aMajorityIsWaitedForWhenAsked() {
    WeakCacheFixture fixture = new WeakCacheFixture(3);
    fixture.options = fixture.options.withAck(WeakOptions.Ack.MAJORITY);
    Client client = fixture.client(0, 1);
    client.ways.get(1).delay = Duration.ofMillis(7);
    client.ways.get(2).delay = Duration.ofMillis(900);

    assertThat(client.write("k", "a")).isInstanceOf(Applied.class);

    assertThat(fixture.scheduler.nanos()).isEqualTo(Duration.ofMillis(7).toNanos());
    assertThat(fixture.values("k")).startsWith("a", "a");
    fixture.settle();
    assertThat(fixture.values("k")).containsExactly("a", "a", "a");
    client.ways.forEach(way -> assertThat(way.requests).hasSize(1));
  }

  @Test
  void aMajorityThatCannotBeHadIsAnUnknownOutcomeWhenOneSiteHasTheWrite() {
    WeakCacheFixture fixture = new WeakCacheFixture(3);
    fixture.options = fixture.options.withAck(WeakOptions.Ack.MAJORITY);
    Client client = fixture.client(0, 1);
    fixture.sites.get(1).mode = FakeSiteMemory.Mode.GONE;
    fixture.sites.get(2).mode = FakeSiteMemory.Mode.SILENT;

    WriteOutcome<Void> outcome = client.write("k", "a");

    assertThat(outcome).isInstanceOf(Unknown.class);
    var why = ((Unknown<Void>) outcome).why();
    assertThat(why.needed()).isEqualTo(2);
    assertThat(why.heard()).containsExactly("s0");
    assertThat(why.silent()).containsEntry("s1", "UNREACHABLE").containsEntry("s2", "TIMED_OUT");
  }

  @Test
  void twoWritersArrivingInOppositeOrdersConvergeWithoutAComparison() {
    WeakCacheFixture fixture = new WeakCacheFixture(2);
    Client low = fixture.client(0, 1);
    Client high = fixture.client(1, 2);
    low.ways.get(1).delay = Duration.ofMillis(40);
    high.ways.get(0).delay = Duration.ofMillis(40);

    var lower = low.writing("k", "low");
    var higher = high.writing("k", "high");
    fixture.settle();

    assertThat(fixture.scheduler.get(lower)).isInstanceOf(Applied.class);
    assertThat(fixture.scheduler.get(higher)).isInstanceOf(Applied.class);
    assertThat(fixture.values("k")).containsExactly("high", "high");
    assertThat(low.putBacks).isEqualTo(1);
    assertThat(low.reports).isEmpty();
    assertThat(high.reports).isEmpty();
  }

  @Test
  void aWriterWhoseClockIsBehindIsToldThatItLost() {
    WeakCacheFixture fixture = new WeakCacheFixture(2);
    Client ahead = fixture.client(0, 1);
    Client behind = fixture.client(0, 2);
    behind.skewMicros = -60_000_000;
    Applied<Void> won = (Applied<Void>) ahead.write("k", "a");
    fixture.settle();

    WriteOutcome<Void> outcome = behind.write("k", "b");

    assertThat(outcome).isEqualTo(new Superseded<Void>(won.stamp()));
    fixture.settle();
    assertThat(fixture.values("k")).containsExactly("a", "a");
    // The client has seen the winner's stamp, so its next write wins.
    assertThat(behind.write("k", "c")).isInstanceOf(Applied.class);
    fixture.settle();
    assertThat(fixture.values("k")).containsExactly("c", "c");
  }

  @Test
  void aReaderWhoseClockIsBehindWritesAboveWhatItRead() {
    WeakCacheFixture fixture = new WeakCacheFixture(2);
    Client behind = fixture.client(0, 2);
    behind.skewMicros = -1_000_000;
    fixture.put(0, "k", WeakManualScheduler.EPOCH_MICROS + 5_000_000, 1, "a");
    assertThat(behind.read("k")).isEqualTo("a");

    assertThat(behind.write("k", "b")).isInstanceOf(Applied.class);

    assertThat(fixture.values("k").get(0)).isEqualTo("b");
  }

  @Test
  void aClockThatJumpsBackDoesNotTakeStampsBack() {
    WeakCacheFixture fixture = new WeakCacheFixture(2);
    Client client = fixture.client(0, 1);
    client.write("k", "a");
    client.skewMicros = -Duration.ofDays(1).toMillis() * 1000;

    assertThat(client.write("k", "b")).isInstanceOf(Applied.class);

    assertThat(client.read("k")).isEqualTo("b");
  }

  @Test
  void aRemovalOfAnAbsentKeyBeatsAnOlderPutElsewhere() {
    WeakCacheFixture fixture = new WeakCacheFixture(2);
    Client client = fixture.client(0, 1);
    fixture.put(1, "k", WeakManualScheduler.EPOCH_MICROS - 5, 9, "old");

    assertThat(client.write("k", null)).isInstanceOf(Applied.class);
    fixture.settle();

    assertThat(fixture.values("k")).containsExactly("-", "-");
    assertThat(client.read("k")).isNull();
  }

  @Test
  void anOldCopyDoesNotBringARemovedKeyBack() {
    WeakCacheFixture fixture = new WeakCacheFixture(2);
    Client slow = fixture.client(0, 1);
    slow.ways.get(1).delay = Duration.ofSeconds(3);
    Client remover = fixture.client(1, 2);
    slow.write("k", "old");

    remover.write("k", null);
    assertThat(fixture.values("k").get(1)).isEqualTo("-");
    fixture.settle();

    assertThat(fixture.values("k")).containsExactly("-", "-");
  }

  @Test
  void theNextSiteStandsInForOneThatIsDown() {
    WeakCacheFixture fixture = new WeakCacheFixture(3);
    Client client = fixture.client(0, 1);
    fixture.sites.get(0).mode = FakeSiteMemory.Mode.GONE;

    assertThat(client.write("k", "a")).isInstanceOf(Applied.class);
    assertThat(client.read("k")).isEqualTo("a");

    fixture.scheduler.run(Duration.ofMillis(20));
    assertThat(fixture.values("k")).containsExactly(null, "a", "a");
    int before = client.ways.get(0).requests.size();
    client.write("k", "b");
    client.read("k");
    assertThat(client.ways.get(0).requests).hasSize(before);
    assertThat(client.engine.lag().get(0).down()).isTrue();
    assertThat(client.engine.lag().get(0).dirty()).isTrue();
  }

  @Test
  void aSilentSiteDelaysAWriteByTheHedgeOnly() {
    WeakCacheFixture fixture = new WeakCacheFixture(2);
    Client client = fixture.client(0, 1);
    fixture.sites.get(0).mode = FakeSiteMemory.Mode.SILENT;

    assertThat(client.write("k", "a")).isInstanceOf(Applied.class);

    assertThat(fixture.scheduler.nanos()).isEqualTo(Duration.ofMillis(51).toNanos());
  }

  @Test
  void aLateReplyAfterTheHedgeIsHarmless() {
    WeakCacheFixture fixture = new WeakCacheFixture(2);
    Client client = fixture.client(0, 1);
    client.ways.get(0).delay = Duration.ofMillis(400);

    assertThat(client.write("k", "a")).isInstanceOf(Applied.class);
    fixture.settle();

    assertThat(fixture.values("k")).containsExactly("a", "a");
    assertThat(client.engine.lag()).noneMatch(SiteLag::dirty);
  }

  @Test
  void withAllSitesSilentTheOutcomeIsUnknownAtTheDeadline() {
    WeakCacheFixture fixture = new WeakCacheFixture(2);
    Client client = fixture.client(0, 1);
    fixture.sites.forEach(site -> site.mode = FakeSiteMemory.Mode.MUTE);

    WriteOutcome<Void> outcome = client.write("k", "a");

    assertThat(outcome).isInstanceOf(Unknown.class);
    assertThat(fixture.scheduler.nanos()).isEqualTo(WeakCacheFixture.TIMEOUT.toNanos());
    assertThat(fixture.values("k")).containsExactly("a", "a");
  }

  @Test
  void withNothingSentAWriteIsRefusedAndNeverHappens() {
    WeakCacheFixture fixture = new WeakCacheFixture(2);
    Client client = fixture.client(0, 1);
    client.given.set(0, null);
    fixture.sites.get(1).mode = FakeSiteMemory.Mode.BUSY;

    WriteOutcome<Void> outcome = client.write("k", "a");
    fixture.sites.get(1).mode = FakeSiteMemory.Mode.UP;
    fixture.settle();

    assertThat(outcome).isInstanceOf(Refused.class);
    assertThat(((Refused<Void>) outcome).why().silent())
        .containsEntry("s0", "STORE_LOST")
        .containsEntry("s1", "BUSY");
    assertThat(fixture.values("k")).containsExactly(null, null);
  }

  @Test
  void withAllSitesRefusingConnectionsAWriteIsRefused() {
    WeakCacheFixture fixture = new WeakCacheFixture(3);
    Client client = fixture.client(0, 1);
    fixture.sites.forEach(site -> site.mode = FakeSiteMemory.Mode.REFUSING);

    WriteOutcome<Void> outcome = client.write("k", "a");

    assertThat(outcome).isInstanceOf(Refused.class);
    assertThat(((Refused<Void>) outcome).why().silent()).hasSize(3).containsValue("UNREACHABLE");
    fixture.sites.forEach(site -> site.mode = FakeSiteMemory.Mode.UP);
    fixture.settle();
    assertThat(fixture.values("k")).containsOnlyNulls();
  }

  @Test
  void oneSiteThatMayHaveGotItMakesItUnknown() {
    WeakCacheFixture fixture = new WeakCacheFixture(3);
    Client client = fixture.client(0, 1);
    fixture.sites.forEach(site -> site.mode = FakeSiteMemory.Mode.REFUSING);
    fixture.sites.get(1).mode = FakeSiteMemory.Mode.GONE;

    assertThat(client.write("k", "a")).isInstanceOf(Unknown.class);
  }

  @Test
  void afterTheDeadlineNothingIsSent() {
    WeakCacheFixture fixture = new WeakCacheFixture(2);
    Client client = fixture.client(0, 1);

    var outcome =
        fixture.scheduler.get(
            client.engine.write(key("k"), payload("a"), fixture.deadline(Duration.ZERO)));

    assertThat(outcome).isInstanceOf(Refused.class);
    fixture.settle();
    assertThat(client.ways).allMatch(way -> way.requests.isEmpty());
  }

  @Test
  void aWriteThatCouldNotBePutBackIsSentEverywhere() {
    WeakCacheFixture fixture = new WeakCacheFixture(2);
    Client client = fixture.client(0, 1);
    client.skewMicros = -1_000_000;
    long micros = WeakManualScheduler.EPOCH_MICROS;
    fixture.put(0, "k", micros, 9, "newer");
    client.ways.get(0).next.add(FakeSiteMemory.Mode.UP);
    client.ways.get(0).next.add(FakeSiteMemory.Mode.SILENT);

    WriteOutcome<Void> outcome = client.write("k", "older");
    fixture.settle();

    assertThat(outcome).isEqualTo(new Superseded<Void>(new Stamp(micros, new WriterId(0, 9))));
    assertThat(fixture.values("k")).containsExactly("newer", "newer");
  }

  @Test
  void theFirstWriteWaitsForTheStoreToBeOpenedAndNoCopyIsDropped() {
    WeakCacheFixture fixture = new WeakCacheFixture(2);
    fixture.opening = Duration.ofMillis(30);
    Client client = fixture.client(0, 1);

    assertThat(client.write("k", "a")).isInstanceOf(Applied.class);
    fixture.scheduler.run(Duration.ofMillis(100));

    assertThat(fixture.values("k")).containsExactly("a", "a");
    assertThat(client.engine.lag()).noneMatch(SiteLag::dirty);
  }

  @Test
  void walksAndComparisonsOpenStoresToo() {
    WeakCacheFixture fixture = new WeakCacheFixture(2);
    fixture.opening = Duration.ofMillis(30);
    fixture.put(0, "k", WeakManualScheduler.EPOCH_MICROS - 5, 1, "a");
    Client walker = fixture.client(0, 1);
    Client comparer = fixture.client(0, 2);

    var scan = walker.engine.scan(10);

    assertThat(fixture.scheduler.get(scan.next(fixture.deadline(WeakCacheFixture.TIMEOUT))))
        .hasSize(1);
    assertThat(comparer.reconcile().isComplete()).isTrue();
    assertThat(fixture.values("k")).containsExactly("a", "a");
  }
}
