package io.ensemble.cache.weak;

import static io.ensemble.cache.weak.Fixture.bytes;
import static io.ensemble.cache.weak.Fixture.key;
import static org.assertj.core.api.Assertions.assertThat;

import io.ensemble.cache.Payload;
import io.ensemble.cache.weak.Fixture.Client;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Test;

class WeakPurgeTest {

  private static final long PAST = ManualScheduler.EPOCH_MICROS - 1_000_000;
  private static final long LONG_AGO =
      ManualScheduler.EPOCH_MICROS - Duration.ofHours(2).toMillis() * 1000;

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
  void aTombstoneThatOnlyOneSiteHasIsCopiedNotPurgedWhileAnotherCannotBeReached() {
    Fixture fixture = new Fixture(3);
    Client client = fixture.client(0, 1);
    fixture.put(0, "k", LONG_AGO, 1, null);
    fixture.put(2, "k", LONG_AGO - 1, 1, "old");
    fixture.sites.get(2).mode = FakeSite.Mode.GONE;

    client.reconcile();

    assertThat(fixture.values("k")).containsExactly("-", "-", "old");
    fixture.sites.get(2).mode = FakeSite.Mode.UP;
    client.reconcile();
    assertThat(fixture.values("k")).containsExactly("-", "-", "-");
  }
}
