package io.ensemble.heat;

import static java.util.Objects.requireNonNull;
import static org.assertj.core.api.Assertions.assertThat;

import io.ensemble.CacheOperationRecorder;
import io.ensemble.codec.Codec;
import io.ensemble.site.Bytes;
import java.lang.management.ManagementFactory;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Prints what recording an operation costs; asserts only that each one is counted. */
@Tag("nightly")
class RecordingCostTest {

  private static final int OPERATIONS = 2_000_000;
  private static final int ROUNDS = 5;

  @ParameterizedTest
  @ValueSource(ints = {1, 4})
  void recordingAnOperation(int threads) throws Exception {
    Bytes[] keys = keys();
    for (int round = 0; round < ROUNDS; round++) {
      HeatRecorder recorder = new HeatRecorder(HeatSettings.DEFAULT, () -> 0);
      MemoryEntries entries = new MemoryEntries();
      recorder.start(() -> entries, false);
      CacheOperationRecorder cache = requireNonNull(recorder.cacheOpened("stock", false));
      List<Callable<Long>> work = new ArrayList<>();
      for (int thread = 0; thread < threads; thread++) {
        int first = thread * 7919;
        work.add(
            () -> {
              long begun = ManagementFactory.getThreadMXBean().getCurrentThreadCpuTime();
              for (int i = 0; i < OPERATIONS; i++) {
                cache.read(keys[(first + i) & (keys.length - 1)], 1000);
              }
              return ManagementFactory.getThreadMXBean().getCurrentThreadCpuTime() - begun;
            });
      }
      ExecutorService running = Executors.newFixedThreadPool(threads);
      long cpuNanos = 0;
      long start = System.nanoTime();
      try {
        for (Future<Long> one : running.invokeAll(work)) {
          cpuNanos += one.get();
        }
      } finally {
        running.shutdown();
      }
      long nanos = System.nanoTime() - start;
      recorder.close();
      requireNonNull(recorder.publisher()).publishNow();
      int bytes = entries.entries.get(entries.puts.keySet().iterator().next()).length;
      System.out.printf(
          "threads=%d round=%d processor time=%.0f ns, wall clock=%.0f ns, window=%,d bytes%n",
          threads,
          round,
          (double) cpuNanos / OPERATIONS / threads,
          (double) nanos / OPERATIONS / threads,
          bytes);
      assertThat(recorder.missedOperations()).isZero();
    }
  }

  /** Keys of 10,000, some of them hot. */
  private static Bytes[] keys() {
    Codec codec = new Codec(List.of());
    Random random = new Random(1);
    Bytes[] keys = new Bytes[1 << 16];
    for (int i = 0; i < keys.length; i++) {
      keys[i] = codec.encode("user" + (int) (10_000 * Math.pow(random.nextDouble(), 3)));
    }
    return keys;
  }
}
