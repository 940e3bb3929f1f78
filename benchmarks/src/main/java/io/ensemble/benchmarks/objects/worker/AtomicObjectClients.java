package io.ensemble.benchmarks.objects.worker;

import io.ensemble.objects.AtomicObjectFactory;
import io.ensemble.objects.ObjectType;
import io.ensemble.objects.sync.FencedLock;
import io.ensemble.objects.sync.Grant;
import io.ensemble.objects.sync.Synchronizers;
import java.time.Duration;

/**
 * Clients of atomic objects. Those of one process share its factory, so their calls are combined.
 */
final class AtomicObjectClients {

  private static final ObjectType<BenchmarkCounter> COUNTED = ObjectType.of(BenchmarkCounter.class);

  private static final Duration LONGEST_WAIT = Duration.ofSeconds(60);

  private AtomicObjectClients() {}

  private abstract static class CounterClient implements BenchmarkClient {

    final AtomicObjectFactory factory;
    final BenchmarkCounter object;

    CounterClient(AtomicObjectFactory factory, BenchmarkCounter object) {
      this.factory = factory;
      this.object = object;
    }

    @Override
    public long total() {
      return object.value();
    }

    @Override
    public void close() {
      factory.close(object);
    }
  }

  static BenchmarkClient counter(AtomicObjectFactory factory, String name) {
    return new CounterClient(factory, factory.openOrCreate(name, COUNTED)) {
      @Override
      public void runOnce() {
        object.increment();
      }
    };
  }

  static BenchmarkClient register(AtomicObjectFactory factory, String name) {
    return new CounterClient(factory, factory.openOrCreate(name, COUNTED)) {

      private long known = object.value();

      @Override
      public void runOnce() {
        if (!object.compareAndSet(known, known + 1)) {
          throw new IllegalStateException("another client has this object");
        }
        known++;
      }
    };
  }

  static BenchmarkClient read(AtomicObjectFactory factory, String name) {
    return reading(factory, factory.openOrCreate(name, COUNTED));
  }

  static BenchmarkClient sequential(AtomicObjectFactory factory, String name) {
    BenchmarkCounter first = factory.openOrCreate(name, COUNTED);
    try {
      return reading(factory, factory.openSequential(name, COUNTED));
    } finally {
      factory.close(first);
    }
  }

  /** Enters and leaves the lock. Thread-safe. */
  static BenchmarkClient lock(AtomicObjectFactory factory, String name) {
    FencedLock lock = Synchronizers.on(factory).lock(name);
    return new BenchmarkClient() {
      @Override
      public void runOnce() throws Exception {
        Grant grant = lock.acquire(LONGEST_WAIT).orElseThrow();
        if (!grant.release()) {
          throw new IllegalStateException("a lease was lost inside; lock=" + name);
        }
      }

      @Override
      public void close() {
        lock.close();
      }
    };
  }

  private static BenchmarkClient reading(AtomicObjectFactory factory, BenchmarkCounter opened) {
    return new CounterClient(factory, opened) {
      @Override
      public void runOnce() {
        if (object.value() < 0) {
          throw new IllegalStateException("a value that was not written");
        }
      }
    };
  }
}
