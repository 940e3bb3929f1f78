package io.ensemble.benchmarks.contest;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.function.IntConsumer;

/** Applies an action to many numbers in several threads. */
public final class ParallelRange {

  private ParallelRange() {}

  /**
   * Returns when the action has ended for each number of {@code from} to {@code to}, exclusive.
   *
   * @throws IllegalStateException if it fails for one
   */
  public static void each(int threads, int from, int to, IntConsumer what) {
    ExecutorService pool = Executors.newFixedThreadPool(threads);
    try {
      List<Future<?>> parts = new ArrayList<>();
      for (int part = 0; part < threads; part++) {
        int first = from + part;
        parts.add(
            pool.submit(
                () -> {
                  for (int i = first; i < to; i += threads) {
                    what.accept(i);
                  }
                }));
      }
      for (Future<?> part : parts) {
        part.get();
      }
    } catch (ExecutionException e) {
      throw new IllegalStateException("an operation failed: " + e.getCause(), e.getCause());
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new IllegalStateException("interrupted while measuring", e);
    } finally {
      pool.shutdownNow();
    }
  }
}
