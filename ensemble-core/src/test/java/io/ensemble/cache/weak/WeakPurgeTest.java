package io.ensemble.cache.weak;

import static io.ensemble.cache.weak.WeakCacheFixture.bytes;
import static io.ensemble.cache.weak.WeakCacheFixture.key;
import static org.assertj.core.api.Assertions.assertThat;

import io.ensemble.cache.Payload;
import io.ensemble.cache.weak.WeakCacheFixture.Client;
import io.ensemble.cache.weak.replica.AntiEntropyReport;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Test;

class WeakPurgeTest {

  private static final long PAST = WeakManualScheduler.EPOCH_MICROS - 1_000_000;
  private static final long LONG_AGO =
      WeakManualScheduler.EPOCH_MICROS - Duration.ofHours(2).toMillis() * 1000;

  @Test
  void aTombstoneIsPurgedWhenAllHaveItAndTheGraceIsOver() {
    WeakCacheFixture fixture = new WeakCacheFixture(3);
    Client client = fixture.client(0, 1);
    for (int site = 0; site < 3; site++) {
      fixture.put(site, "old", LONG_AGO, 1, null);
      fixture.put(site, "young", PAST, 1, null);
    }
    fixture.put(1, "alone", LONG_AGO, 1, null);

    AntiEntropyReport report = client.reconcile();

    assertThat(report.purged()).isEqualTo(2);
    assertThat(fixture.values("old")).containsExactly(null, null, null);
    assertThat(fixture.values("alone")).containsExactly(null, null, null);
    assertThat(fixture.values("young")).containsExactly("-", "-", "-");
  }

  @Test
  void aTombstoneStaysWhileOneSiteHoldsSomethingOlder() {
    WeakCacheFixture fixture = new WeakCacheFixture(3);
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
    for (FakeSiteMemory.Mode mode : List.of(FakeSiteMemory.Mode.GONE, FakeSiteMemory.Mode.SILENT)) {
      WeakCacheFixture fixture = new WeakCacheFixture(3);
      Client client = fixture.client(0, 1);
      fixture.put(0, "k", LONG_AGO, 1, null);
      fixture.put(1, "k", LONG_AGO, 1, null);
      fixture.put(2, "k", LONG_AGO - 1, 1, "old");
      fixture.sites.get(2).mode = mode;

      AntiEntropyReport report = client.reconcile();

      assertThat(report.unreachable()).containsOnlyKeys("s2");
      assertThat(fixture.values("k")).startsWith("-", "-");
      fixture.sites.get(2).mode = FakeSiteMemory.Mode.UP;
      client.reconcile();
      assertThat(fixture.values("k")).containsExactly("-", "-", "-");
    }
  }

  @Test
  void anExpiredValueIsPurgedAGraceAfterItsEnd() {
    WeakCacheFixture fixture = new WeakCacheFixture(2);
    Client client = fixture.client(0, 1);
    long end = WeakManualScheduler.EPOCH_MICROS + 1_000_000;
    fixture.scheduler.get(
        client.engine.write(
            key("k"), new Payload(bytes("a"), end), fixture.deadline(WeakCacheFixture.TIMEOUT)));
    fixture.settle();
    assertThat(client.reconcile().purged()).isZero();

    fixture.scheduler.run(Duration.ofMinutes(61));

    assertThat(client.reconcile().purged()).isEqualTo(1);
    assertThat(fixture.sites).allMatch(site -> site.entries.isEmpty());
  }

  @Test
  void oneSiteAlonePurgesItsTombstones() {
    WeakCacheFixture fixture = new WeakCacheFixture(1);
    Client client = fixture.client(0, 1);
    fixture.put(0, "k", LONG_AGO, 1, null);

    assertThat(client.reconcile().purged()).isEqualTo(1);
    assertThat(fixture.sites.get(0).entries).isEmpty();
  }

  @Test
  void aTombstoneThatOnlyOneSiteHasIsCopiedNotPurgedWhileAnotherCannotBeReached() {
    WeakCacheFixture fixture = new WeakCacheFixture(3);
    Client client = fixture.client(0, 1);
    fixture.put(0, "k", LONG_AGO, 1, null);
    fixture.put(2, "k", LONG_AGO - 1, 1, "old");
    fixture.sites.get(2).mode = FakeSiteMemory.Mode.GONE;

    client.reconcile();

    assertThat(fixture.values("k")).containsExactly("-", "-", "old");
    fixture.sites.get(2).mode = FakeSiteMemory.Mode.UP;
    client.reconcile();
    assertThat(fixture.values("k")).containsExactly("-", "-", "-");
  }
}
