package io.ensemble.testkit.process;

import static org.assertj.core.api.Assertions.assertThat;

import io.ensemble.EnsembleCache;
import io.ensemble.EnsembleException;
import io.ensemble.QuorumUnavailableException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Supplier;

/**
 * Writers that give each key one value, once, until they are stopped, and remember what was
 * acknowledged: all of it must be there ever after.
 */
final class WriteOnce implements AutoCloseable {

  private static final Duration LONGEST_WAIT = Duration.ofMinutes(1);

  private final String prefix;
  private final Map<String, String> acknowledged = new ConcurrentHashMap<>();
  private final AtomicInteger next = new AtomicInteger();
  private final List<Thread> writers = new ArrayList<>();
  private volatile boolean stopping;

  WriteOnce(EnsembleCache<String, String> cache, String prefix, int threads) {
    this.prefix = prefix;
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
      try {
        if (cache.putIfAbsent(key, "v" + number) == null) {
          acknowledge(key, "v" + number);
        }
      } catch (EnsembleException | IllegalStateException e) {
        // Refused or unknown: this key may be there or not.
      }
    }
  }

  /** Waits until so many more writes are acknowledged. */
  synchronized void awaitMore(int count) throws InterruptedException {
    int wanted = acknowledged.size() + count;
    long deadline = System.nanoTime() + LONGEST_WAIT.toNanos();
    while (acknowledged.size() < wanted) {
      assertThat(System.nanoTime() - deadline)
          .as("writes acknowledged: " + acknowledged.size() + " of " + wanted)
          .isNegative();
      wait(100);
    }
  }

  private synchronized void acknowledge(String key, String value) {
    acknowledged.put(key, value);
    notifyAll();
  }

  /** Ends the writers; what was acknowledged. */
  Map<String, String> stopped() throws InterruptedException {
    stopping = true;
    for (Thread writer : writers) {
      writer.join();
    }
    return Map.copyOf(acknowledged);
  }

  @Override
  public void close() {
    stopping = true;
  }

  /**
   * Does what may be repeated until enough sites answer: what these tests show is that nothing is
   * lost, on machines on which all may be slow.
   */
  static <T> T patiently(Supplier<T> question) {
    long deadline = System.nanoTime() + LONGEST_WAIT.toNanos();
    while (true) {
      try {
        return question.get();
      } catch (QuorumUnavailableException e) {
        System.out.println("asked again: " + e.getMessage());
        if (System.nanoTime() - deadline > 0) {
          throw e;
        }
      }
    }
  }

  static void assertKept(Map<String, String> acknowledged, EnsembleCache<String, String> cache) {
    assertThat(acknowledged).isNotEmpty();
    List<String> lost = new ArrayList<>();
    acknowledged.forEach(
        (key, value) -> {
          if (!value.equals(patiently(() -> cache.get(key)))) {
            lost.add(key);
          }
        });
    assertThat(lost).as("of %d acknowledged", acknowledged.size()).isEmpty();
  }
}
