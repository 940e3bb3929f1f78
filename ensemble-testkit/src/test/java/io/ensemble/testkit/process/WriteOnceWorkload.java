package io.ensemble.testkit.process;

import static org.assertj.core.api.Assertions.assertThat;

import io.ensemble.EnsembleCache;
import io.ensemble.EnsembleException;
import io.ensemble.QuorumUnavailableException;
import io.ensemble.testkit.linearizability.FailureArtifacts;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.IntSupplier;
import java.util.function.Supplier;
import java.util.stream.Collectors;

/**
 * Writers that write each key once until they are stopped, and record the acknowledged writes. Each
 * of these must remain readable.
 */
final class WriteOnceWorkload implements AutoCloseable {

  private static final Duration LONGEST_WAIT = Duration.ofMinutes(1);

  private final String prefix;
  private final Map<String, String> acknowledged = new ConcurrentHashMap<>();
  private final Set<String> refused = ConcurrentHashMap.newKeySet();
  private final AtomicInteger next = new AtomicInteger();
  private final List<Thread> writers = new ArrayList<>();
  private final List<Throwable> unexpected = new CopyOnWriteArrayList<>();
  private final AtomicInteger failures = new AtomicInteger();
  private final String padding;
  private volatile boolean stopping;

  WriteOnceWorkload(EnsembleCache<String, String> cache, String prefix, int threads) {
    this(cache, prefix, threads, 0);
  }

  /**
   * @param padding the number of characters to append to each value
   */
  WriteOnceWorkload(EnsembleCache<String, String> cache, String prefix, int threads, int padding) {
    this.prefix = prefix;
    this.padding = ".".repeat(padding);
    for (int i = 0; i < threads; i++) {
      Thread writer = new Thread(() -> write(cache), "write-once-" + i);
      writer.start();
      writers.add(writer);
    }
  }

  private void write(EnsembleCache<String, String> cache) {
    while (!stopping) {
      int number = next.incrementAndGet();
      String key = prefix + number;
      String value = "v" + number + padding;
      try {
        if (cache.putIfAbsent(key, value) == null) {
          acknowledge(key, value);
        }
      } catch (QuorumUnavailableException e) {
        refused.add(key);
        failures.incrementAndGet();
      } catch (EnsembleException | IllegalStateException e) {
        failures.incrementAndGet(); // Unknown: the key may be present.
      } catch (RuntimeException | Error e) {
        unexpected.add(e);
        return;
      }
    }
  }

  /** Waits until {@code count} more writes are acknowledged. */
  void awaitMore(int count) throws InterruptedException {
    await("acknowledged", acknowledged::size, count);
  }

  /** Waits until {@code count} more writes have failed. */
  void awaitFailures(int count) throws InterruptedException {
    await("failed", failures::get, count);
  }

  private synchronized void await(String what, IntSupplier done, int count)
      throws InterruptedException {
    int wanted = done.getAsInt() + count;
    long deadline = System.nanoTime() + LONGEST_WAIT.toNanos();
    while (done.getAsInt() < wanted) {
      assertThat(unexpected).isEmpty();
      assertThat(System.nanoTime() - deadline)
          .as("writes " + what + ": " + done.getAsInt() + " of " + wanted)
          .isNegative();
      wait(100);
    }
  }

  /** Failures of types that a write must not end with. */
  List<Throwable> unexpected() {
    return List.copyOf(unexpected);
  }

  /** The keys of refused writes, which must remain absent. */
  Set<String> refused() {
    return Set.copyOf(refused);
  }

  private synchronized void acknowledge(String key, String value) {
    acknowledged.put(key, value);
    notifyAll();
  }

  /** Lets each writer finish its write and begin no other one. */
  void stop() {
    stopping = true;
  }

  /**
   * Stops the writers and waits for them.
   *
   * @return the acknowledged writes
   */
  Map<String, String> stopped() throws InterruptedException {
    stop();
    for (Thread writer : writers) {
      writer.join();
    }
    return Map.copyOf(acknowledged);
  }

  @Override
  public void close() {
    stop();
  }

  /**
   * Repeats an idempotent call until enough sites answer: these tests check durability, also on
   * slow machines.
   */
  static <T> T patiently(Supplier<T> question) {
    return patiently(LONGEST_WAIT, question, () -> "");
  }

  /**
   * The same with a time limit.
   *
   * @param evidence printed after the first failure and after the last one, while requests may hang
   */
  static <T> T patiently(Duration longest, Supplier<T> question, Supplier<String> evidence) {
    long deadline = System.nanoTime() + longest.toNanos();
    boolean first = true;
    while (true) {
      try {
        return question.get();
      } catch (QuorumUnavailableException e) {
        boolean last = System.nanoTime() - deadline > 0;
        System.out.println(
            "asked again: " + e.getMessage() + (first || last ? " " + evidence.get() : ""));
        if (last) {
          throw e;
        }
        first = false;
      }
    }
  }

  static void assertAbsent(Set<String> refused, EnsembleCache<String, String> cache) {
    List<String> found = new ArrayList<>();
    for (String key : refused) {
      if (patiently(() -> cache.get(key)) != null) {
        found.add(key);
      }
    }
    assertThat(found).as("of %d refused", refused.size()).isEmpty();
  }

  /**
   * Requires that a cache holds all acknowledged writes.
   *
   * @param test the class of the test, for the file of records that a failure leaves
   */
  static void assertKept(
      Map<String, String> acknowledged, EnsembleCache<String, String> cache, Class<?> test) {
    assertThat(acknowledged).isNotEmpty();
    Map<String, String> lost = new TreeMap<>();
    acknowledged.forEach(
        (key, value) -> {
          String found = patiently(() -> cache.get(key));
          if (!value.equals(found)) {
            lost.put(key, "acknowledged " + value + ", found " + found);
          }
        });
    FailureArtifacts.judge(
        () -> assertThat(lost).as("of %d acknowledged", acknowledged.size()).isEmpty(),
        () -> "lost:\n" + lines(lost) + "acknowledged:\n" + lines(new TreeMap<>(acknowledged)),
        test,
        cache.getName());
  }

  private static String lines(Map<String, String> entries) {
    return entries.entrySet().stream()
        .map(entry -> entry.getKey() + ": " + entry.getValue() + "\n")
        .collect(Collectors.joining());
  }
}
