package io.ensemble.benchmarks.objects.worker;

import org.apache.curator.framework.CuratorFramework;
import org.apache.curator.framework.recipes.atomic.AtomicValue;
import org.apache.curator.framework.recipes.atomic.DistributedAtomicLong;
import org.apache.curator.framework.recipes.locks.InterProcessMutex;
import org.apache.curator.retry.RetryNTimes;

/** Clients of Curator's recipes. */
final class CuratorClients {

  private CuratorClients() {}

  /** An increment, retried immediately until it succeeds. */
  static BenchmarkClient counter(CuratorFramework curator, String name) {
    DistributedAtomicLong counter =
        new DistributedAtomicLong(curator, "/" + name, new RetryNTimes(Integer.MAX_VALUE, 0));
    return new BenchmarkClient() {
      @Override
      public void runOnce() throws Exception {
        if (!counter.increment().succeeded()) {
          throw new IllegalStateException("an increment failed after its retries");
        }
      }

      @Override
      public long total() throws Exception {
        curator.sync().forPath("/" + name);
        AtomicValue<Long> value = counter.get();
        return value.postValue();
      }
    };
  }

  /** Enters and leaves the lock. Thread-safe. */
  static BenchmarkClient lock(CuratorFramework curator, String name) {
    InterProcessMutex mutex = new InterProcessMutex(curator, "/" + name);
    return new BenchmarkClient() {
      @Override
      public void runOnce() throws Exception {
        mutex.acquire();
        mutex.release();
      }
    };
  }
}
