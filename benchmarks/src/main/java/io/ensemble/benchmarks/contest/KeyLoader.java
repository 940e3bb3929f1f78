package io.ensemble.benchmarks.contest;

import io.ensemble.UnknownOutcomeException;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.IntConsumer;

/**
 * Stores keys before the measurement. A store of unknown outcome is repeated, which is idempotent:
 * many first uses together may be too much for servers that have just started. Measured operations
 * are never repeated.
 */
public final class KeyLoader {

  private static final int MOST_ATTEMPTS = 10;

  private KeyLoader() {}

  /**
   * Stores each of {@code benchmarkOptions}'s keys, the first one alone, and reports repetitions.
   */
  public static void load(BenchmarkOptions benchmarkOptions, int threads, IntConsumer store) {
    AtomicInteger repeated = new AtomicInteger();
    store(0, store, repeated);
    ParallelRange.each(threads, 1, benchmarkOptions.records(), i -> store(i, store, repeated));
    if (repeated.get() > 0) {
      benchmarkOptions.say("loading: %d writes with unknown outcome were repeated", repeated.get());
    }
  }

  private static void store(int key, IntConsumer store, AtomicInteger repeated) {
    for (int attempt = 1; true; attempt++) {
      try {
        store.accept(key);
        return;
      } catch (UnknownOutcomeException unknown) {
        if (attempt == MOST_ATTEMPTS) {
          throw unknown;
        }
        repeated.incrementAndGet();
      }
    }
  }
}
