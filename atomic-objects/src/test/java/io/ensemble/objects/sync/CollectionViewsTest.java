package io.ensemble.objects.sync;

import static java.util.concurrent.TimeUnit.MILLISECONDS;
import static java.util.concurrent.TimeUnit.SECONDS;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import java.time.Duration;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentMap;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Views of maps and queues, beside the collections of the JDK. */
@Execution(ExecutionMode.CONCURRENT)
class CollectionViewsTest {

  private static final int STEPS = 400;

  private final InMemoryProcesses processes = new InMemoryProcesses();
  private final Synchronizers here = processes.one().synchronizers();
  private final Synchronizers there = processes.one().synchronizers();

  @AfterEach
  void close() {
    processes.close();
  }

  @ParameterizedTest
  @ValueSource(longs = {1, 2, 3})
  void aMapIsLikeAConcurrentHashMap(long seed) {
    ConcurrentMap<String, Integer> shared =
        here.map("map", String.class, Integer.class).asConcurrentMap();
    ConcurrentMap<String, Integer> plain = new ConcurrentHashMap<>();
    Random random = new Random(seed);

    for (int step = 0; step < STEPS; step++) {
      int what = random.nextInt(20);
      String key = "k" + random.nextInt(5);
      int value = random.nextInt(4);
      Object ofShared = mapStep(shared, what, key, value);
      Object ofPlain = mapStep(plain, what, key, value);

      assertThat(ofShared).as("step %s: %s of %s", step, what, key).isEqualTo(ofPlain);
      assertThat(shared).hasSameSizeAs(plain).containsAllEntriesOf(plain);
    }
    assertThat(shared).isEqualTo(plain).hasSameHashCodeAs(plain);
    assertThat(there.map("map", String.class, Integer.class).asConcurrentMap()).isEqualTo(plain);
  }

  private static Object mapStep(
      ConcurrentMap<String, Integer> map, int what, String key, int value) {
    return switch (what) {
      case 0, 1, 2 -> map.put(key, value);
      case 3 -> map.putIfAbsent(key, value);
      case 4 -> map.replace(key, value);
      case 5 -> map.replace(key, value, value + 1);
      case 6 -> map.remove(key);
      case 7 -> map.remove(key, value);
      case 8 -> map.get(key);
      case 9 -> map.getOrDefault(key, -1);
      case 10 -> map.containsKey(key);
      case 11 -> map.containsValue(value);
      case 12 -> map.compute(key, (k, v) -> v == null ? Integer.valueOf(value) : next(v));
      case 13 -> map.computeIfAbsent(key, k -> value);
      case 14 -> map.computeIfPresent(key, (k, v) -> v == value ? null : v + value);
      case 15 -> map.merge(key, value, Integer::sum);
      case 16 -> map.keySet().remove(key);
      case 17 -> map.values().removeIf(v -> v == value);
      case 18 -> {
        map.replaceAll((k, v) -> v + 1);
        for (Map.Entry<String, Integer> entry : map.entrySet()) {
          if (entry.getKey().equals(key)) {
            entry.setValue(value);
          }
        }
        yield map.isEmpty();
      }
      default -> {
        map.putAll(Map.of(key, value, key + "x", value));
        if (value == 0) {
          map.clear();
        }
        yield map.size();
      }
    };
  }

  private static @Nullable Integer next(int value) {
    return value > 5 ? null : value + 1;
  }

  /** An expired value must not take the fresh one of another process with it. */
  @Test
  void anEntryWhoseValueHasChangedIsNotRemoved() {
    ConcurrentMap<String, Integer> map =
        here.map("map", String.class, Integer.class).asConcurrentMap();
    ConcurrentMap<String, Integer> other =
        there.map("map", String.class, Integer.class).asConcurrentMap();
    map.put("key", 1);

    map.values().removeIf(value -> other.put("key", value + 1) == 1);
    assertThat(map).containsExactly(Map.entry("key", 2));

    assertThat(map.entrySet().remove(Map.entry("key", 1))).isFalse();
    assertThat(map).containsExactly(Map.entry("key", 2));
    assertThat(map.entrySet().remove(Map.entry("key", 2))).isTrue();
    assertThat(map).isEmpty();
  }

  @Test
  void mergesOfProcessesAreAllApplied() {
    List<CompletableFuture<Void>> all = new ArrayList<>();
    for (Synchronizers process : List.of(here, there)) {
      ConcurrentMap<String, Integer> map =
          process.map("map", String.class, Integer.class).asConcurrentMap();
      all.add(
          CompletableFuture.runAsync(
              () -> {
                for (int i = 0; i < 50; i++) {
                  map.merge("k", 1, Integer::sum);
                }
              },
              TestThreads.ONE_EACH));
    }
    processes.passUntil(CompletableFuture.allOf(all.toArray(CompletableFuture[]::new)));

    assertThat(here.map("map", String.class, Integer.class).get("k")).isEqualTo(100);
  }

  @Test
  void aMapRefusesNullsAndFindsNothingOfOtherClasses() {
    ConcurrentMap<String, Integer> map =
        here.map("map", String.class, Integer.class).asConcurrentMap();
    map.put("k", 1);

    assertThatThrownBy(() -> map.get(null)).isInstanceOf(NullPointerException.class);
    assertThatThrownBy(() -> map.put("k", null)).isInstanceOf(NullPointerException.class);
    assertThatThrownBy(() -> map.put(null, 1)).isInstanceOf(NullPointerException.class);
    assertThatThrownBy(() -> map.containsValue(null)).isInstanceOf(NullPointerException.class);
    Object other = 7L;
    assertThat(map.get(other)).isNull();
    assertThat(map.containsKey(other)).isFalse();
    assertThat(map.remove(other)).isNull();
    assertThat(map.remove("k", other)).isFalse();
    Iterator<Map.Entry<String, Integer>> entries = map.entrySet().iterator();
    assertThatThrownBy(entries::remove).isInstanceOf(IllegalStateException.class);
  }

  @ParameterizedTest
  @ValueSource(longs = {1, 2, 3})
  void aQueueIsLikeALinkedBlockingQueue(long seed) throws Exception {
    BlockingQueue<Integer> shared = here.queue("queue", Integer.class, 4).asBlockingQueue();
    BlockingQueue<Integer> plain = new LinkedBlockingQueue<>(4);
    Random random = new Random(seed);

    for (int step = 0; step < STEPS; step++) {
      int what = random.nextInt(14);
      int value = random.nextInt(3);
      Object ofShared = queueStep(shared, what, value);
      Object ofPlain = queueStep(plain, what, value);

      assertThat(ofShared).as("step %s: %s of %s", step, what, value).isEqualTo(ofPlain);
      assertThat(new ArrayList<>(shared)).isEqualTo(new ArrayList<>(plain));
    }
  }

  private static Object queueStep(BlockingQueue<Integer> queue, int what, int value)
      throws InterruptedException {
    switch (what) {
      case 0, 1, 2, 3 -> {
        return queue.offer(value);
      }
      case 4 -> {
        return queue.offer(value, 0, SECONDS);
      }
      case 5 -> {
        return queue.poll();
      }
      case 6 -> {
        return queue.poll(0, SECONDS);
      }
      case 7 -> {
        return queue.peek();
      }
      case 8 -> {
        return queue.remainingCapacity();
      }
      case 9 -> {
        return queue.remove(value);
      }
      case 10 -> {
        return queue.contains(value);
      }
      case 11 -> {
        List<Integer> drained = new ArrayList<>();
        assertThat(queue.drainTo(drained, value)).isEqualTo(drained.size());
        return drained;
      }
      case 12 -> {
        return failure(() -> queue.add(value));
      }
      default -> {
        if (value == 0) {
          queue.clear();
        }
        return failure(queue::element);
      }
    }
  }

  private static Object failure(Supplier<Object> call) {
    try {
      return call.get();
    } catch (RuntimeException e) {
      return e.getClass();
    }
  }

  @Test
  void aPutWaitsForRoomAndATakeForAValue() throws Exception {
    BlockingQueue<String> writer = here.queue("queue", String.class, 1).asBlockingQueue();
    BlockingQueue<String> reader = there.queue("queue", String.class, 1).asBlockingQueue();
    writer.put("a");
    CompletableFuture<Void> second = later(() -> writer.put("b"));

    assertThat(reader.take()).isEqualTo("a");
    processes.passUntil(second);

    assertThat(second).isCompleted();
    assertThat(reader.take()).isEqualTo("b");
    CompletableFuture<Void> taken = later(() -> assertThat(reader.take()).isEqualTo("c"));
    writer.put("c");
    processes.passUntil(taken);
    assertThat(taken).isCompleted();
  }

  @Test
  void anOfferEndsWithoutRoomInTime() {
    BlockingQueue<String> queue = here.queue("queue", String.class, 1).asBlockingQueue();
    queue.add("a");
    CompletableFuture<Void> late = later(() -> assertThat(queue.offer("b", 2, SECONDS)).isFalse());

    processes.passUntil(late);

    assertThat(late).isCompleted();
    assertThat(queue).containsExactly("a");
  }

  /** The value may be added, or the time be up, between the interrupt and the end of the wait. */
  @Test
  void anInterruptedOfferEndsWhateverCameFirst() throws Exception {
    SharedQueue<Integer> queue = here.queue("queue", Integer.class);
    CompletableFuture<Integer> added = new CompletableFuture<>();
    Thread offering =
        new Thread(
            () -> {
              int count = 0;
              for (int call = 0; call < 300; call++) {
                Thread.currentThread().interrupt();
                try {
                  count += queue.enqueue(call, Duration.ofSeconds(1)) ? 1 : 0;
                } catch (InterruptedException nothingAdded) {
                  continue;
                }
                Thread.interrupted();
              }
              added.complete(count);
            });
    offering.setDaemon(true);

    offering.start();

    assertThat(added.get(60, SECONDS)).isEqualTo(queue.size());
  }

  @Test
  void anInterruptedPutHasAddedNothing() throws Exception {
    BlockingQueue<String> queue = here.queue("queue", String.class, 1).asBlockingQueue();
    queue.add("a");
    AtomicBoolean interrupted = new AtomicBoolean();
    Thread putting =
        new Thread(
            () -> {
              try {
                queue.put("b");
              } catch (InterruptedException e) {
                interrupted.set(true);
              }
            });
    putting.setDaemon(true);
    putting.start();
    await()
        .pollInterval(5, MILLISECONDS)
        .atMost(60, SECONDS)
        .until(() -> putting.getState() == Thread.State.WAITING);

    putting.interrupt();
    putting.join(60_000);

    assertThat(interrupted).isTrue();
    assertThat(queue.poll()).isEqualTo("a");
    processes.settle();
    assertThat(queue).isEmpty();
  }

  @Test
  void aQueueIsNotDrainedToItself() {
    BlockingQueue<String> queue = here.queue("queue", String.class).asBlockingQueue();

    assertThatThrownBy(() -> queue.drainTo(queue)).isInstanceOf(IllegalArgumentException.class);
    assertThatThrownBy(() -> queue.drainTo(null)).isInstanceOf(NullPointerException.class);
    assertThatThrownBy(() -> queue.offer(null)).isInstanceOf(NullPointerException.class);
    assertThat(queue.remainingCapacity()).isEqualTo(Integer.MAX_VALUE);
    assertThat(queue.remove("absent")).isFalse();
  }

  private interface Blocking {
    void run() throws InterruptedException;
  }

  private static CompletableFuture<Void> later(Blocking task) {
    return CompletableFuture.runAsync(
        () -> {
          try {
            task.run();
          } catch (InterruptedException e) {
            throw new AssertionError(e);
          }
        },
        TestThreads.ONE_EACH);
  }
}
