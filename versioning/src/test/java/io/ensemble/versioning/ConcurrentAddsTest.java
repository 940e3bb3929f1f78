package io.ensemble.versioning;

import static org.assertj.core.api.Assertions.assertThat;

import io.ensemble.versioning.order.Timestamps;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.concurrent.Callable;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

@Execution(ExecutionMode.CONCURRENT)
class ConcurrentAddsTest {

  private static final int WRITERS = 6;
  private static final int EACH = 25;

  /** Shards are split off and read meanwhile. */
  @ParameterizedTest
  @EnumSource
  void whatSeveralAddAtOnceIsAllThere(IndexType indexType) throws Exception {
    Set<Long> added = ConcurrentHashMap.newKeySet();
    try (VersionedCacheFixture versionedCacheFixture = new VersionedCacheFixture(7)) {
      ExecutorService threads = Executors.newFixedThreadPool(WRITERS + 1);
      List<Future<?>> all = new ArrayList<>();
      for (int w = 0; w < WRITERS; w++) {
        VersionedCache<String, String, Long> cache =
            versionedCacheFixture.process(
                new Timestamps(() -> 0), VersionedCacheFixture.small(indexType));
        int writer = w;
        all.add(
            threads.submit(
                (Callable<Void>)
                    () -> {
                      for (int i = 0; i < EACH; i++) {
                        assertThat(added.add(cache.add("key", writer + "/" + i))).isTrue();
                      }
                      return null;
                    }));
      }
      VersionedCache<String, String, Long> reader =
          versionedCacheFixture.process(
              new Timestamps(() -> 0), VersionedCacheFixture.small(indexType));
      all.add(threads.submit((Callable<Void>) () -> watch(reader, added)));
      for (Future<?> each : all) {
        each.get();
      }
      threads.shutdown();

      List<Versioned<Long, String>> range = reader.getRange("key", 0L, Long.MAX_VALUE);

      assertThat(range).extracting(Versioned::version).isSorted().hasSize(WRITERS * EACH);
      assertThat(range).extracting(Versioned::version).containsAll(added);
      assertThat(range).extracting(v -> v.value().orElseThrow()).doesNotHaveDuplicates();
    }
  }

  /** A read has all versions acknowledged before it began, and no fewer than the former read. */
  private static Void watch(VersionedCache<String, String, Long> reader, Set<Long> added) {
    int before = 0;
    while (before < WRITERS * EACH) {
      List<Long> due = List.copyOf(added);
      List<Long> seen = reader.versions("key", null, null, Integer.MAX_VALUE, false);
      assertThat(seen).containsAll(due).hasSizeGreaterThanOrEqualTo(before);
      before = seen.size();
    }
    return null;
  }
}
