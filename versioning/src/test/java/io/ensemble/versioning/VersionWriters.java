package io.ensemble.versioning;

import static java.util.concurrent.TimeUnit.MILLISECONDS;
import static java.util.concurrent.TimeUnit.SECONDS;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.ensemble.objects.AtomicObjectException;
import io.ensemble.objects.AtomicObjectFactory;
import io.ensemble.objects.store.ObjectStore;
import io.ensemble.versioning.order.Timestamps;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.concurrent.ConcurrentHashMap;

/** Processes that add versions to the same keys until they are stopped, one on each store. */
final class VersionWriters implements AutoCloseable {

  private static final int KEYS = 3;
  private static final int SHARD_SIZE = 20;

  private final List<AtomicObjectFactory> factories = new ArrayList<>();
  private final List<Thread> threads = new ArrayList<>();
  private final Map<String, Map<Long, String>> acknowledged = new ConcurrentHashMap<>();
  private volatile boolean stopped;
  private final Map<Integer, Throwable> failures = new ConcurrentHashMap<>();

  VersionWriters(List<ObjectStore> stores) {
    for (ObjectStore store : stores) {
      AtomicObjectFactory factory = factory(store);
      factories.add(factory);
      VersionedCache<String, String, Long> cache = cache(factory);
      int writer = threads.size();
      threads.add(new Thread(() -> write(cache, writer), "writer-" + writer));
    }
    threads.forEach(Thread::start);
  }

  /** The timeout covers the rollback of a dead node's lock on a key, for which calls wait. */
  private static AtomicObjectFactory factory(ObjectStore store) {
    return AtomicObjectFactory.builder(store).timeout(Duration.ofSeconds(30)).build();
  }

  static VersionedCache<String, String, Long> cache(AtomicObjectFactory factory) {
    return VersionedCache.builder(
            factory, "pages", BinaryCodec.TEXT, BinaryCodec.TEXT, new Timestamps(() -> 0))
        .index(IndexType.SHARDED)
        .shardSize(SHARD_SIZE)
        .deltas()
        .open();
  }

  private void write(VersionedCache<String, String, Long> cache, int writer) {
    try {
      for (int i = 0; !stopped; i++) {
        String key = "key" + i % KEYS;
        String value = writer + "/" + i + " " + "x".repeat(200);
        try {
          long version = cache.add(key, value);
          acknowledged.computeIfAbsent(key, k -> new ConcurrentHashMap<>()).put(version, value);
          assertThat(cache.get(key, version)).contains(value);
        } catch (AtomicObjectException e) {
          assertThat(e).isNotInstanceOf(AtomicObjectException.ObjectUnreadable.class);
        }
      }
    } catch (Throwable e) {
      failures.put(writer, e);
    }
  }

  /** The acknowledged versions by key. */
  Map<String, Map<Long, String>> acknowledged() {
    return acknowledged;
  }

  /** The number of acknowledged versions. */
  int count() {
    return acknowledged.values().stream().mapToInt(Map::size).sum();
  }

  /** Waits until {@code more} further versions are acknowledged. */
  void awaitMore(int more) {
    int wanted = count() + more;
    await("versions acknowledged: " + wanted)
        .pollInterval(50, MILLISECONDS)
        .atMost(150, SECONDS)
        .until(() -> count() >= wanted);
  }

  /** Stops the writers. Does not wait for the writers on the stores {@code dead}. */
  void stop(int... dead) throws InterruptedException {
    stopped = true;
    for (int i = 0; i < threads.size(); i++) {
      int number = i;
      if (Arrays.stream(dead).noneMatch(d -> d == number)) {
        threads.get(i).join();
        if (failures.containsKey(i)) {
          throw new AssertionError("a writer ended", failures.get(i));
        }
      }
    }
  }

  /** Requires that a new process finds all acknowledged versions, in one order. */
  void judge(ObjectStore store) {
    try (AtomicObjectFactory factory = factory(store)) {
      VersionedCache<String, String, Long> cache = cache(factory);
      acknowledged.forEach(
          (key, due) -> {
            Map<Long, Optional<String>> found = new TreeMap<>();
            cache.getRange(key, 0L, Long.MAX_VALUE).forEach(v -> found.put(v.version(), v.value()));
            due.forEach(
                (version, value) ->
                    assertThat(found.get(version)).as("%s at %s", key, version).contains(value));
            assertThat(found.size()).isGreaterThan(2 * SHARD_SIZE);
            cache.settle(key);
            assertThat(cache.versions(key, null, null, Integer.MAX_VALUE, false))
                .containsExactlyElementsOf(found.keySet());
          });
      judgeCut(cache);
    }
  }

  /** Compares a snapshot of all keys, at a version in the middle, with their versions. */
  private void judgeCut(VersionedCache<String, String, Long> cache) {
    long version = SHARD_SIZE;
    Map<String, Long> shown = new TreeMap<>();
    try (var entries = cache.at(version).entries()) {
      entries.forEachRemaining(e -> shown.put(e.getKey(), e.getValue().version()));
    }
    Map<String, Long> due = new TreeMap<>();
    for (String key : acknowledged.keySet()) {
      due.put(key, cache.versions(key, null, version, 1, true).get(0));
    }
    assertThat(shown).isEqualTo(due);
    try {
      cache.put("key0", "below the cut", version);
      throw new AssertionError("a version was added below a cut");
    } catch (VersioningException.VersionBelowSnapshot refused) {
      assertThat(cache.at(version).get("key0").orElseThrow().version()).isEqualTo(due.get("key0"));
    }
  }

  @Override
  public void close() {
    stopped = true;
    factories.forEach(AtomicObjectFactory::close);
  }
}
