package io.ensemble.versioning;

import static org.assertj.core.api.Assertions.assertThat;

import io.ensemble.objects.UnresponsiveStore;
import io.ensemble.versioning.drive.VersionFeed.Addition;
import io.ensemble.versioning.drive.VersionFeed.Page;
import io.ensemble.versioning.history.HistoryLimits;
import io.ensemble.versioning.listen.SubscriptionPosition;
import io.ensemble.versioning.order.Timestamps;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import java.util.Random;
import java.util.Set;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Consumer;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;

/** How many reads deliveries cost. */
@Timeout(180)
@Execution(ExecutionMode.CONCURRENT)
class SubscriptionReadsTest {

  private static final boolean DEEP = Boolean.getBoolean("ensemble.deep");
  private static final int MANY = DEEP ? 100_000 : 10_000;
  private static final Duration NEVER = Duration.ofHours(1);

  private final VersionedCacheFixture versionedCacheFixture = new VersionedCacheFixture(1);
  private final AtomicInteger parts = new AtomicInteger();
  private final BlockingQueue<String> roots = new LinkedBlockingQueue<>();

  @AfterEach
  void close() {
    versionedCacheFixture.close();
  }

  private VersionedCache<String, String, Long> process(HistoryLimits limits) {
    return versionedCacheFixture.process(new Timestamps(() -> 0), limits);
  }

  private VersionedCache<String, String, Long> counting(HistoryLimits limits) {
    versionedCacheFixture.view =
        store ->
            new UnresponsiveStore(store) {
              @Override
              public CompletionStage<Optional<Entry>> read(String key) {
                if (key.startsWith("part/")) {
                  parts.incrementAndGet();
                } else {
                  roots.add(key);
                }
                return super.read(key);
              }

              @Override
              public Optional<AutoCloseable> watch(Consumer<Change> listener) {
                return Optional.empty();
              }
            };
    return process(limits);
  }

  @Test
  void aLongHistoryIsReadAPageAtATime() {
    HistoryLimits limits = HistoryLimits.of(IndexType.AUTO, 1_000);
    VersionedCache<String, String, Long> writer = process(limits);
    List<Versioned<Long, String>> all = new ArrayList<>();
    for (long i = 1; i <= MANY; i++) {
      all.add(new Versioned<>(i, Optional.of("v" + i)));
    }
    writer.addAll("a", all);
    writer.settle("a");
    AtomicInteger atFirst = new AtomicInteger();
    AtomicLong told = new AtomicLong();
    CompletableFuture<Void> end = new CompletableFuture<>();

    counting(limits)
        .listen()
        .every(NEVER)
        .key("a")
        .from(SubscriptionPosition.BEGINNING)
        .start(
            version -> {
              if (version.sequence() == 1) {
                atFirst.set(parts.get());
              }
              told.addAndGet(version.sequence() == told.get() + 1 ? 1 : MANY);
              if (version.sequence() == MANY) {
                end.complete(null);
              }
            });
    end.join();

    assertThat(told).hasValue(MANY);
    assertThat(atFirst.get()).as("a shard and the packs of its first versions").isBetween(2, 4);
  }

  @Test
  void aCheckOfWhatHasNotChangedIsOneRead() throws InterruptedException {
    VersionedCache<String, String, Long> writer =
        process(VersionedCacheFixture.small(IndexType.SHARDED));
    List<String> keys = new ArrayList<>();
    for (int i = 0; i < 40; i++) {
      keys.add("key" + i);
      writer.add("key" + i, "before");
    }
    RecordingListener ears = new RecordingListener();
    counting(VersionedCacheFixture.small(IndexType.SHARDED))
        .listen()
        .keys(keys)
        .every(Duration.ofMillis(20))
        .start(ears);

    assertThat(eachOnceInTenRounds(40)).as("but for looks at the first stamps").isTrue();

    writer.add("key7", "now");
    assertThat(ears.next()).isEqualTo("key7 2=now");
    assertThat(parts).as("nothing but entries").hasValue(0);
  }

  /** Whether ten consecutive rounds read each key once, within 100 reads per key. */
  private boolean eachOnceInTenRounds(int keys) throws InterruptedException {
    List<String> read = new ArrayList<>();
    for (boolean once = false; !once; ) {
      if (read.size() == 100 * keys) {
        return false;
      }
      String key = roots.poll(30, TimeUnit.SECONDS);
      assertThat(key).as("the next read after %s", read).isNotNull();
      read.add(key);
      once = read.size() >= 10 * keys;
      for (int round = 1; once && round <= 10; round++) {
        int first = read.size() - round * keys;
        once = Set.copyOf(read.subList(first, first + keys)).size() == keys;
      }
    }
    return true;
  }

  @Test
  void pagesAreWhatWasAddedNext() {
    for (IndexType indexType : IndexType.values()) {
      for (int seed = 0; seed < (DEEP ? 6 : 2); seed++) {
        int shardSize = seed % 2 == 0 ? 4 : 2; // with 2, some shards have a single version
        HistoryLimits limits = new HistoryLimits(indexType, shardSize, shardSize + 1, 64, 2, 48, 3);
        compare(process(limits), new Random(seed), indexType + " seed " + seed);
      }
    }
  }

  /** Compares pages with all additions, in the order of addition. */
  private static void compare(
      VersionedCache<String, String, Long> cache, Random random, String what) {
    for (int i = 0; i < 80; i++) {
      try {
        cache.put(what, "v" + i, (i < 30 ? i : random.nextInt(120)) + 1L);
      } catch (VersioningException e) {
        continue; // It exists, or is compacted.
      }
      if (i == 60 && random.nextBoolean()) {
        cache.compact(what, (long) random.nextInt(40));
      }
    }
    List<Addition<Long>> all = new ArrayList<>(page(cache, what, 0, 1_000).items());
    assertThat(all.stream().map(Addition::version).sorted().toList())
        .isEqualTo(cache.versions(what, null, null, 1_000, false));
    assertThat(all).isSortedAccordingTo(Comparator.comparingLong(Addition::sequence));
    for (int after = 0; after <= 80; after += 1 + random.nextInt(6)) {
      long from = after;
      int limit = 1 + random.nextInt(9);
      assertThat(page(cache, what, after, limit).items().stream().map(Addition::sequence))
          .as("%s after %s, %s", what, after, limit)
          .isEqualTo(
              all.stream().map(Addition::sequence).filter(s -> s > from).limit(limit).toList());
    }
  }

  private static Page<Long> page(
      VersionedCache<String, String, Long> cache, String key, long after, int limit) {
    return cache
        .async()
        .historyStore
        .additions()
        .page(cache.async().names.of(key), after, limit)
        .toCompletableFuture()
        .join()
        .orElseThrow();
  }

  @Test
  void whoIsSlowIsToldAllOfIt() {
    VersionedCache<String, String, Long> cache =
        process(VersionedCacheFixture.small(IndexType.AUTO));
    CountDownLatch allAdded = new CountDownLatch(1);
    RecordingListener slow =
        new RecordingListener(version -> SubscriptionFixture.awaited(allAdded));
    cache.listen().every(NEVER).keys(List.of("a", "b")).start(slow);

    List<String> due = new ArrayList<>();
    for (int i = 1; i <= 200; i++) {
      cache.add(i % 2 == 0 ? "a" : "b", "v" + i);
      due.add((i % 2 == 0 ? "a" : "b") + " " + (i + 1) / 2 + "=v" + i);
    }

    allAdded.countDown();

    List<String> told = slow.next(200);
    assertThat(told).containsExactlyInAnyOrderElementsOf(due);
    assertThat(told.stream().filter(t -> t.startsWith("a")))
        .isEqualTo(due.stream().filter(t -> t.startsWith("a")).toList());
    assertThat(slow.rest()).isEmpty();
  }
}
