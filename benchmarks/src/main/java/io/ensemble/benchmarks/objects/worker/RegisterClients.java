package io.ensemble.benchmarks.objects.worker;

import io.ensemble.registers.ContentionManager;
import io.ensemble.registers.ObjectStateCodec;
import io.ensemble.registers.RegisterObject;
import io.ensemble.registers.RegisterObjects;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;

/** Clients of objects from registers. Those of one process share its participant in an object. */
final class RegisterClients {

  private static final ObjectStateCodec<Long> NUMBER =
      new ObjectStateCodec<>() {
        @Override
        public byte[] encode(Long number) {
          return ByteBuffer.allocate(Long.BYTES).putLong(number).array();
        }

        @Override
        public Long decode(byte[] bytes) {
          return ByteBuffer.wrap(bytes).getLong();
        }
      };

  private static final long FREE = 0;
  private static final Duration LONGEST_WAIT = Duration.ofSeconds(60);

  private RegisterClients() {}

  /**
   * Compare-and-swaps of two numbers below {@code most}, each at random: LEADS D2.6, appendix E,
   * section 5.2.
   */
  static BenchmarkClient swap(RegisterObjects objects, String name, int most) {
    RegisterObject<Long> object = objects.object("below-" + most + "-" + name, NUMBER, 0L);
    return () -> {
      ThreadLocalRandom random = ThreadLocalRandom.current();
      boolean unused = object.compareAndSwap(random.nextLong(most), random.nextLong(most));
    };
  }

  /** Compare-and-swaps by a client that has the object alone. */
  static BenchmarkClient register(RegisterObjects objects, String name) {
    RegisterObject<Long> object = objects.object(name, NUMBER, 0L);
    return new BenchmarkClient() {

      private long known = object.get();

      @Override
      public void runOnce() {
        if (!object.compareAndSwap(known, known + 1)) {
          throw new IllegalStateException("another client has this object");
        }
        known++;
      }

      @Override
      public long total() {
        return object.get();
      }
    };
  }

  /** Enters and leaves a lock that waits in a loop, with pauses that grow. Thread-safe. */
  static BenchmarkClient lock(RegisterObjects objects, String name) {
    RegisterObject<Long> holder = objects.object(name, NUMBER, FREE);
    ContentionManager contention = ContentionManager.exponential();
    CountDownLatch never = new CountDownLatch(1);
    return () -> {
      long me = ThreadLocalRandom.current().nextLong(1, Long.MAX_VALUE);
      long begun = System.nanoTime();
      for (int attempt = 1; ; attempt++) {
        long from = System.nanoTime();
        if (holder.compareAndSwap(FREE, me)) {
          break;
        }
        long now = System.nanoTime();
        if (now - begun > LONGEST_WAIT.toNanos()) {
          throw new IllegalStateException("the lock was not free in time; lock=" + name);
        }
        Duration pause = contention.pause(attempt, Duration.ofNanos(now - from));
        boolean unused = never.await(pause.toNanos(), TimeUnit.NANOSECONDS);
      }
      if (!holder.compareAndSwap(me, FREE)) {
        throw new IllegalStateException("another client has entered the lock; lock=" + name);
      }
    };
  }
}
