package io.ensemble.cache.weak;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.ensemble.cache.weak.WeakCacheFixture.Client;
import io.ensemble.cache.weak.replica.AntiEntropyReport;
import io.ensemble.cache.weak.replica.SiteLag;
import io.ensemble.cache.weak.replica.WeakOptions;
import java.time.Duration;
import org.junit.jupiter.api.Test;

class WeakRefillTest {

  private static final long PAST = WeakManualScheduler.EPOCH_MICROS - 1_000_000;

  @Test
  void aNewIncarnationIsRefilledAndGetsNewWritesMeanwhile() {
    WeakCacheFixture fixture = new WeakCacheFixture(3);
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
    AntiEntropyReport report = fixture.scheduler.get(refill);

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
    WeakCacheFixture fixture = new WeakCacheFixture(2);
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
  void anAbandonedRefillDoesNotKeepTheSiteFromComingBack() {
    WeakCacheFixture fixture = new WeakCacheFixture(2);
    Client client = fixture.client(1, 1);
    fixture.put(0, "k", PAST, 1, "v");
    client.given.set(1, null);
    FakeStore fresh = new FakeStore(fixture.sites.get(1), fixture.scheduler);
    fixture.scheduler.get(client.engine.refill("s1", fresh));
    assertThat(client.engine.isFilling("s1")).isTrue();

    client.engine.abandonRefill("s1", client.ways.get(0));
    assertThat(client.engine.isFilling("s1")).as("another store's refill").isTrue();
    client.engine.abandonRefill("s1", fresh);

    assertThat(client.engine.isFilling("s1")).isFalse();
  }

  @Test
  void whatIsNoSiteOfTheCacheCannotBeFilled() {
    WeakCacheFixture fixture = new WeakCacheFixture(2);
    Client client = fixture.client(0, 1);

    assertThatThrownBy(() -> client.engine.refill("s9", client.ways.get(0)))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("s9");
  }

  @Test
  void aRefillThatFailsIsKnownUntilOneSucceeds() {
    WeakCacheFixture fixture = new WeakCacheFixture(3);
    Client client = fixture.client(0, 1);
    FakeStore fresh = new FakeStore(new FakeSiteMemory("s2"), fixture.scheduler);
    client.given.set(2, null);
    fixture.sites.get(1).mode = FakeSiteMemory.Mode.SILENT;
    fixture.scheduler.get(client.engine.refill("s2", fresh));
    assertThat(client.engine.failing()).contains("s2");
    fixture.sites.get(1).mode = FakeSiteMemory.Mode.UP;

    fixture.scheduler.get(client.engine.refill("s2", fresh));

    assertThat(client.engine.failing()).doesNotContain("s2");
  }
}
