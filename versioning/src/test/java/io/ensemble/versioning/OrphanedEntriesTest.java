package io.ensemble.versioning;

import static org.assertj.core.api.Assertions.assertThat;

import io.ensemble.objects.AtomicObjectFactory;
import io.ensemble.versioning.drive.ReferencedParts;
import io.ensemble.versioning.history.HistoryLimits;
import io.ensemble.versioning.history.ReferencedEntries;
import io.ensemble.versioning.order.Timestamps;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Several processes move parts of one key concurrently, while plans are abandoned. */
class OrphanedEntriesTest {

  private static final int PROCESSES = 5;
  private static final int EACH = 80;

  @Test
  void anEntryWrittenAfterItsPlanWasAbandonedIsRemoved() throws Exception {
    writeAndSettle(0, 2);
  }

  @Test
  @Tag("nightly")
  void anEntryWrittenAfterItsPlanWasAbandonedIsRemovedWithMoreSeeds() throws Exception {
    writeAndSettle(2, 8);
  }

  private static void writeAndSettle(long from, long end) throws Exception {
    for (long seed = from; seed < end; seed++) {
      HistoryLimits limits = VersionedCacheFixture.small(IndexType.SHARDED, seed);
      try (VersionedCacheFixture versionedCacheFixture = new VersionedCacheFixture(seed)) {
        ExecutorService threads = Executors.newFixedThreadPool(PROCESSES);
        List<VersionedCache<String, String, Long>> processes = new ArrayList<>();
        List<Future<?>> all = new ArrayList<>();
        for (int p = 0; p < PROCESSES; p++) {
          VersionedCache<String, String, Long> cache =
              versionedCacheFixture.process(new Timestamps(() -> 0), limits);
          Random random = new Random(PROCESSES * seed + p);
          processes.add(cache);
          all.add(threads.submit((Callable<Void>) () -> write(cache, random)));
        }
        for (Future<?> each : all) {
          each.get();
        }
        threads.shutdown();
        for (VersionedCache<String, String, Long> each : processes) {
          each.settle("key");
        }

        assertNothingIsLeft(versionedCacheFixture, limits, "seed " + seed);
      }
    }
  }

  /** A shard around the horizon may be replaced by two shards, one of them below the horizon. */
  @ParameterizedTest
  @ValueSource(longs = {0, 1})
  void aShardThatIsCompactedWholeDoesNotStay(long seed) {
    HistoryLimits limits = VersionedCacheFixture.small(IndexType.SHARDED, seed);
    try (VersionedCacheFixture versionedCacheFixture = new VersionedCacheFixture(0)) {
      VersionedCache<String, String, Long> cache =
          versionedCacheFixture.process(new Timestamps(() -> 0), limits);
      for (long version = 10; version <= 300; version += 10) {
        cache.put("key", "value " + version, version);
      }
      for (long horizon = 40; horizon <= 200; horizon += 10) {
        cache.compact("key", horizon);
        for (long late = horizon + 1; late < horizon + 4; late++) {
          cache.put("key", "late", late);
        }
        cache.settle("key");

        assertNothingIsLeft(versionedCacheFixture, limits, "compacted at " + horizon);
      }
    }
  }

  private static void assertNothingIsLeft(
      VersionedCacheFixture versionedCacheFixture, HistoryLimits limits, String when) {
    Set<String> parts = new TreeSet<>(versionedCacheFixture.store.entries().keySet());
    parts.removeIf(k -> !k.startsWith(ReferencedParts.PREFIX));
    assertThat(parts)
        .as(when)
        .isEqualTo(
            ReferencedEntries.referred(
                new Timestamps(), limits, versionedCacheFixture.store.entries()));
    try (AtomicObjectFactory factory = AtomicObjectFactory.on(versionedCacheFixture.store)) {
      assertThat(
              new ReferencedParts<>(factory, new Timestamps(), Duration.ofSeconds(10))
                  .of(new HistoryNames<>(VersionedCacheFixture.NAME, BinaryCodec.TEXT).of("key"))
                  .toCompletableFuture()
                  .join())
          .as(when)
          .isEqualTo(parts);
    }
  }

  private static Void write(VersionedCache<String, String, Long> cache, Random random) {
    for (int i = 0; i < EACH; i++) {
      int kind = random.nextInt(20);
      try {
        if (kind == 0) {
          cache.compact("key", 1L + random.nextInt(EACH));
        } else if (kind < 10) {
          cache.put("key", "late " + i, 1L + random.nextInt(PROCESSES * EACH));
        } else {
          cache.add("key", "value " + i);
        }
      } catch (VersioningException.VersionExists | VersioningException.VersionCompacted e) {
        continue; // expected
      }
    }
    return null;
  }
}
