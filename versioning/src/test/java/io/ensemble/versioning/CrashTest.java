package io.ensemble.versioning;

import static org.assertj.core.api.Assertions.assertThat;

import io.ensemble.objects.AtomicObjectException;
import io.ensemble.testkit.linearizability.FailureArtifacts;
import io.ensemble.versioning.history.HistoryLimits;
import io.ensemble.versioning.history.ReferencedEntries;
import io.ensemble.versioning.order.Timestamps;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Random;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/**
 * Processes die while they add and move versions, on a store that loses responses and carries out
 * requests late. No acknowledged version is lost, and no unreferenced entry remains.
 */
@Execution(ExecutionMode.CONCURRENT)
class CrashTest {

  private static final int SEEDS = Boolean.getBoolean("ensemble.deep") ? 40 : 3;
  private static final int STEPS = 120;

  @ParameterizedTest
  @EnumSource(names = {"TREE", "SHARDED"})
  void nothingAcknowledgedIsLostAndNothingIsLeftBehind(IndexType indexType) {
    for (long seed = 0; seed < SEEDS; seed++) {
      try (VersionedCacheFixture versionedCacheFixture = new VersionedCacheFixture(seed)) {
        run(versionedCacheFixture, indexType, seed);
      }
    }
  }

  private static void run(
      VersionedCacheFixture versionedCacheFixture, IndexType indexType, long seed) {
    Random random = new Random(seed);
    HistoryLimits limits = VersionedCacheFixture.small(indexType, seed);
    List<VersionedCache<String, String, Long>> processes = new ArrayList<>();
    processes.add(versionedCacheFixture.process(new Timestamps(() -> 0), limits));
    Map<String, TreeMap<Long, String>> acknowledged = new HashMap<>();
    Map<String, Set<String>> perhaps = new HashMap<>();
    versionedCacheFixture.store.faults(3);
    for (int step = 0; step < STEPS; step++) {
      if (random.nextInt(12) == 0) {
        versionedCacheFixture.kill(processes.size() - 1);
        processes.add(versionedCacheFixture.process(new Timestamps(() -> 0), limits));
      }
      String key = "key" + random.nextInt(2);
      String value = "value " + step;
      try {
        VersionedCache<String, String, Long> cache = processes.get(processes.size() - 1);
        long version =
            random.nextInt(4) == 0 ? late(cache, key, value, random) : cache.add(key, value);
        acknowledged.computeIfAbsent(key, k -> new TreeMap<>()).put(version, value);
      } catch (AtomicObjectException | VersioningException.VersionExists e) {
        perhaps.computeIfAbsent(key, k -> new HashSet<>()).add(value);
      }
    }
    versionedCacheFixture.store.faults(0);
    versionedCacheFixture.kill(processes.size() - 1);
    versionedCacheFixture.store.quiet();

    VersionedCache<String, String, Long> last =
        versionedCacheFixture.process(new Timestamps(() -> 0), limits);
    FailureArtifacts.judge(
        () -> judge(versionedCacheFixture, last, limits, acknowledged, perhaps, seed),
        () ->
            "acknowledged: %s%nunknown or refused: %s%nentries of the store: %s%n"
                .formatted(
                    acknowledged,
                    perhaps,
                    new TreeSet<>(versionedCacheFixture.store.entries().keySet())),
        CrashTest.class,
        indexType + "-" + seed);
  }

  private static void judge(
      VersionedCacheFixture versionedCacheFixture,
      VersionedCache<String, String, Long> last,
      HistoryLimits limits,
      Map<String, TreeMap<Long, String>> acknowledged,
      Map<String, Set<String>> perhaps,
      long seed) {
    acknowledged.forEach(
        (key, due) -> {
          last.settle(key);
          Map<Long, String> found = new TreeMap<>();
          for (Versioned<Long, String> v : last.getRange(key, 0L, Long.MAX_VALUE)) {
            found.put(v.version(), v.value().orElseThrow());
          }
          assertThat(found).as("seed %s %s", seed, key).containsAllEntriesOf(due);
          found.keySet().removeAll(due.keySet());
          assertThat(perhaps.getOrDefault(key, Set.of())).containsAll(found.values());
        });
    versionedCacheFixture.store.quiet();
    Set<String> parts = new TreeSet<>(versionedCacheFixture.store.entries().keySet());
    parts.removeIf(k -> !k.startsWith("part/"));
    Set<String> referred =
        ReferencedEntries.referred(new Timestamps(), limits, versionedCacheFixture.store.entries());
    // A write that is performed after its entry was removed leaves an entry.
    Set<String> late = versionedCacheFixture.store.writtenLate();
    parts.removeIf(part -> late.contains(part) && !referred.contains(part));
    assertThat(parts).as("seed %s: entries beside the histories", seed).isEqualTo(referred);
  }

  /** Adds a random version, often below others; the first version of a key leaves room below it. */
  private static long late(
      VersionedCache<String, String, Long> cache, String key, String value, Random random) {
    Optional<Versioned<Long, String>> latest = cache.latest(key);
    long version = 1 + random.nextInt(60);
    if (latest.isEmpty()) {
      version += 60;
    }
    cache.put(key, value, version);
    return version;
  }
}
