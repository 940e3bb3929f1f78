package io.ensemble.cache.weak;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.ensemble.QuorumUnavailableException;
import io.ensemble.cache.CacheEngine.EntryScan;
import io.ensemble.cache.weak.WeakCacheFixture.Client;
import io.ensemble.cache.weak.entry.EntryFingerprint;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.SplittableRandom;
import java.util.TreeSet;
import org.junit.jupiter.api.Test;

class WeakScanTest {

  private static final long PAST = WeakManualScheduler.EPOCH_MICROS - 1_000_000;

  private static List<String> rest(WeakCacheFixture fixture, EntryScan scan) {
    List<String> keys = new ArrayList<>();
    while (true) {
      var entries = fixture.scheduler.get(scan.next(fixture.deadline(WeakCacheFixture.TIMEOUT)));
      if (entries.isEmpty()) {
        return keys;
      }
      entries.forEach(entry -> keys.add(WeakCacheFixture.text(entry.key())));
    }
  }

  private static WeakCacheFixture filled() {
    WeakCacheFixture fixture = new WeakCacheFixture(2);
    for (int i = 0; i < 95; i++) {
      fixture.put(0, "k" + i, PAST, 1, "v");
      fixture.put(1, "k" + i, PAST, 1, "v");
    }
    return fixture;
  }

  @Test
  void liveEntriesAreMetOnce() {
    WeakCacheFixture fixture = filled();
    Client client = fixture.client(0, 1);
    for (int i = 0; i < 40; i++) {
      fixture.put(0, "gone" + i, PAST, 1, null);
    }

    List<String> keys = rest(fixture, client.engine.scan(10));

    assertThat(keys).hasSize(95).doesNotHaveDuplicates().allMatch(key -> key.startsWith("k"));
    assertThat(client.ways.get(1).requests).isEmpty();
  }

  @Test
  void anotherSiteGoesOnWithoutRepeating() {
    WeakCacheFixture fixture = filled();
    Client client = fixture.client(0, 1);
    EntryScan scan = client.engine.scan(10);
    List<String> keys = new ArrayList<>();
    for (int i = 0; i < 4; i++) {
      fixture
          .scheduler
          .get(scan.next(fixture.deadline(WeakCacheFixture.TIMEOUT)))
          .forEach(entry -> keys.add(WeakCacheFixture.text(entry.key())));
    }
    fixture.sites.get(0).mode = FakeSiteMemory.Mode.GONE;

    keys.addAll(rest(fixture, scan));

    assertThat(keys).hasSize(95).doesNotHaveDuplicates();
    assertThat(client.ways.get(1).requests).isNotEmpty();
  }

  @Test
  void aFailedCallMayBeRepeated() {
    WeakCacheFixture fixture = filled();
    Client client = fixture.client(0, 1);
    EntryScan scan = client.engine.scan(10);
    fixture.sites.forEach(site -> site.mode = FakeSiteMemory.Mode.GONE);
    assertThatThrownBy(
            () -> fixture.scheduler.get(scan.next(fixture.deadline(Duration.ofSeconds(1)))))
        .isInstanceOf(QuorumUnavailableException.class);

    fixture.sites.forEach(site -> site.mode = FakeSiteMemory.Mode.UP);

    assertThat(rest(fixture, scan)).hasSize(95);
  }

  @Test
  void anEmptyCacheEndsAtOnceAndAClosedWalkHasEnded() {
    WeakCacheFixture fixture = new WeakCacheFixture(2);
    Client client = fixture.client(0, 1);
    assertThat(rest(fixture, client.engine.scan(10))).isEmpty();
    fixture.put(0, "k", PAST, 1, "v");
    EntryScan scan = client.engine.scan(10);

    scan.close();

    assertThat(rest(fixture, scan)).isEmpty();
  }

  @Test
  void fingerprintsAreASet() {
    FingerprintSet ours = new FingerprintSet();
    HashSet<Long> reference = new HashSet<>();
    SplittableRandom random = new SplittableRandom(5);
    for (int i = 0; i < 100_000; i++) {
      long value = random.nextInt(3) == 0 ? random.nextInt(1000) : random.nextLong(200_000) << 40;

      assertThat(ours.add(value)).isEqualTo(reference.add(value));
    }
  }

  @Test
  void fingerprintsOfSmallKeysDiffer() {
    TreeSet<Long> met = new TreeSet<>();
    int keys = 0;
    for (int length = 0; length <= 2; length++) {
      for (int number = 0; number < Math.pow(256, length); number++) {
        byte[] key = new byte[length];
        for (int i = 0; i < length; i++) {
          key[i] = (byte) (number >>> (8 * i));
        }
        met.add(EntryFingerprint.of(io.ensemble.site.Bytes.of(key), 3));
        keys++;
      }
    }

    assertThat(met).hasSize(keys);
  }
}
