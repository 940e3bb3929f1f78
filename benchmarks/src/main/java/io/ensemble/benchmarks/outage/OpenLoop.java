package io.ensemble.benchmarks.outage;

import io.ensemble.AsyncEnsembleCache;
import io.ensemble.WriteOutcome;
import io.ensemble.benchmarks.contest.Workload;
import io.ensemble.benchmarks.measure.WeakBenchmark;
import java.nio.ByteBuffer;
import java.util.List;
import java.util.Optional;
import java.util.Queue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * Begins reads and writes on schedule, whether earlier ones have ended or not, like independent
 * callers. Half are writes, keys are uniform; each write stores its number.
 *
 * @param perSecond the operations begun per second
 * @param warmUpSeconds the time before the counted time
 * @param seconds the counted time
 * @param keys the number of keys
 */
record OpenLoop(int perSecond, int warmUpSeconds, int seconds, int keys) {

  /**
   * The maximum number of operations under way; the schedule of 200 per second reaches it in 20 s.
   */
  static final int MOST_UNDER_WAY = 4_096;

  private static final int VALUE_BYTES = 1_000;
  private static final int LONGEST_END_SECONDS = 60;
  private static final Workload HALF = new Workload("A", 0.5, Workload.KeyDistribution.UNIFORM);

  /** A value that identifies its write. */
  static byte[] value(long number) {
    return ByteBuffer.allocate(VALUE_BYTES).putLong(number).array();
  }

  /** The number of the write in a value. */
  static long number(byte[] value) {
    return ByteBuffer.wrap(value).getLong();
  }

  /**
   * Runs the loop, and returns when all operations have ended.
   *
   * @param started receives the {@link System#nanoTime} of the first counted operation before any
   *     operation begins
   */
  List<OperationSample> run(
      AsyncEnsembleCache<String, byte[]> cache, java.util.function.LongConsumer started) {
    Queue<OperationSample> samples = new ConcurrentLinkedQueue<>();
    Semaphore places = new Semaphore(MOST_UNDER_WAY);
    long zero = System.nanoTime() + TimeUnit.SECONDS.toNanos(warmUpSeconds);
    started.accept(zero);
    long warming = (long) warmUpSeconds * perSecond;
    for (long number = 0; number < warming + (long) seconds * perSecond; number++) {
      long intended = (number - warming) * TimeUnit.SECONDS.toNanos(1) / perSecond;
      waitUntil(zero + intended);
      int key = (int) WeakBenchmark.mixed(number, keys);
      boolean write = HALF.writes().test(number);
      OperationSample begun =
          new OperationSample(
              key,
              number,
              write,
              intended,
              System.nanoTime() - zero,
              0,
              OperationSample.SampleOutcome.NOT_BEGUN);
      if (places.tryAcquire()) {
        send(cache, begun)
            .whenComplete(
                (end, failure) -> {
                  samples.add(withEnd(begun, System.nanoTime() - zero, end));
                  places.release();
                });
      } else {
        samples.add(withEnd(begun, begun.begunNanos(), OperationSample.SampleOutcome.NOT_BEGUN));
      }
    }
    awaitAll(places);
    return List.copyOf(samples);
  }

  private static OperationSample withEnd(
      OperationSample begun, long at, OperationSample.@Nullable SampleOutcome end) {
    return new OperationSample(
        begun.key(),
        begun.number(),
        begun.write(),
        begun.intendedNanos(),
        begun.begunNanos(),
        at,
        end == null ? OperationSample.SampleOutcome.UNKNOWN : end);
  }

  private static CompletionStage<OperationSample.SampleOutcome> send(
      AsyncEnsembleCache<String, byte[]> cache, OperationSample begun) {
    String key = Workload.key(begun.key());
    try {
      return begun.write()
          ? cache.put(key, value(begun.number())).handle((outcome, failure) -> endOfWrite(outcome))
          : cache.get(key).handle((found, failure) -> endOfRead(found));
    } catch (RuntimeException refused) {
      return CompletableFuture.completedFuture(OperationSample.SampleOutcome.REFUSED);
    }
  }

  private static OperationSample.SampleOutcome endOfWrite(@Nullable WriteOutcome<byte[]> outcome) {
    if (outcome instanceof WriteOutcome.Refused) {
      return OperationSample.SampleOutcome.REFUSED;
    }
    return outcome == null || outcome instanceof WriteOutcome.Unknown
        ? OperationSample.SampleOutcome.UNKNOWN
        : OperationSample.SampleOutcome.DONE;
  }

  @SuppressWarnings("OptionalAssignedToNull") // Null when the read has failed.
  private static OperationSample.SampleOutcome endOfRead(@Nullable Optional<byte[]> found) {
    return found == null
        ? OperationSample.SampleOutcome.REFUSED
        : OperationSample.SampleOutcome.DONE;
  }

  /** Operations begin by the clock, whether or not others have ended: that is the open loop. */
  private static void waitUntil(long nanos) {
    CountDownLatch nobodyOpens = new CountDownLatch(1);
    try {
      boolean opened = nobodyOpens.await(nanos - System.nanoTime(), TimeUnit.NANOSECONDS);
      if (opened) {
        throw new AssertionError("the permit is never released");
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new IllegalStateException("interrupted while measuring", e);
    }
  }

  /** Each operation has a deadline of its own. */
  private static void awaitAll(Semaphore places) {
    try {
      if (!places.tryAcquire(MOST_UNDER_WAY, LONGEST_END_SECONDS, TimeUnit.SECONDS)) {
        throw new IllegalStateException(
            "operations did not end in time; in progress="
                + (MOST_UNDER_WAY - places.availablePermits()));
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new IllegalStateException("interrupted while measuring", e);
    }
  }
}
