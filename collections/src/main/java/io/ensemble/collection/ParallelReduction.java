package io.ensemble.collection;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CancellationException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Executor;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.function.BiFunction;
import java.util.function.BinaryOperator;
import java.util.function.Consumer;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * A reduction in chunks of entries. The calling thread reads them and combines the results of
 * chunks in order; other threads apply the function. At most two chunks for each thread exist at a
 * time.
 */
final class ParallelReduction<K, V, R> {

  static final int CHUNK = 64;
  static final int MOST_THREADS = 1_024;

  /** A chunk that is being computed, and the position after it. */
  private record Chunk<R>(CompletableFuture<Optional<R>> result, String position) {}

  private final BiFunction<? super K, ? super V, ? extends R> map;
  private final BinaryOperator<R> combine;
  private final int mostChunks;
  private final Executor executor;
  private final Consumer<? super PartialResult<R>> checkpoint;
  private @Nullable R combined;

  ParallelReduction(
      BiFunction<? super K, ? super V, ? extends R> map,
      BinaryOperator<R> combine,
      int threads,
      Executor executor,
      Consumer<? super PartialResult<R>> checkpoint) {
    this.map = map;
    this.combine = combine;
    this.mostChunks = 2 * checked(threads);
    this.executor = executor;
    this.checkpoint = checkpoint;
  }

  private static int checked(int threads) {
    if (threads < 1 || threads > MOST_THREADS) {
      throw new IllegalArgumentException(
          "threads must be in [1, %d]; got %d".formatted(MOST_THREADS, threads));
    }
    return threads;
  }

  /** Runs {@code task} with an executor of its own. */
  static <R> R onOwnThreads(int threads, Function<Executor, R> task) {
    ExecutorService pool =
        Executors.newFixedThreadPool(
            checked(threads),
            run -> {
              Thread thread = new Thread(run, "ensemble-reduction");
              thread.setDaemon(true);
              return thread;
            });
    try {
      return task.apply(pool);
    } finally {
      pool.shutdownNow();
    }
  }

  Optional<R> over(CollectionCursor<Map.Entry<K, V>> cursor) {
    Deque<Chunk<R>> chunks = new ArrayDeque<>();
    try {
      for (List<Map.Entry<K, V>> entries = read(cursor);
          !entries.isEmpty();
          entries = read(cursor)) {
        List<Map.Entry<K, V>> chunk = entries;
        chunks.add(
            new Chunk<>(
                CompletableFuture.supplyAsync(() -> reduced(chunk), executor), cursor.position()));
        if (chunks.size() == mostChunks) {
          take(chunks.remove());
        }
      }
      while (!chunks.isEmpty()) {
        take(chunks.remove());
      }
      return Optional.ofNullable(combined);
    } finally {
      chunks.forEach(chunk -> chunk.result.cancel(false));
    }
  }

  private List<Map.Entry<K, V>> read(CollectionCursor<Map.Entry<K, V>> cursor) {
    List<Map.Entry<K, V>> entries = new ArrayList<>(CHUNK);
    while (entries.size() < CHUNK) {
      Optional<Map.Entry<K, V>> next = cursor.next();
      if (next.isEmpty()) {
        break;
      }
      entries.add(next.get());
    }
    return entries;
  }

  private Optional<R> reduced(List<Map.Entry<K, V>> entries) {
    R result = null;
    for (Map.Entry<K, V> entry : entries) {
      R one = map.apply(entry.getKey(), entry.getValue());
      if (one != null) {
        result = result == null ? one : combine.apply(result, one);
      }
    }
    return Optional.ofNullable(result);
  }

  private void take(Chunk<R> chunk) {
    R one = result(chunk).orElse(null);
    if (one != null) {
      R before = combined;
      combined = before == null ? one : combine.apply(before, one);
    }
    checkpoint.accept(new PartialResult<>(Optional.ofNullable(combined), chunk.position));
  }

  private Optional<R> result(Chunk<R> chunk) {
    try {
      return chunk.result.get();
    } catch (ExecutionException e) {
      if (e.getCause() instanceof Error error) {
        throw error;
      }
      if (e.getCause() instanceof RuntimeException failure) {
        throw failure;
      }
      throw new AssertionError("a task throws unchecked exceptions only", e);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      CancellationException cancelled =
          new CancellationException("interrupted while waiting for a part of a reduction");
      cancelled.initCause(e);
      throw cancelled;
    }
  }
}
