package io.ensemble.benchmarks.objects.worker;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.nio.ByteBuffer;
import org.infinispan.client.hotrod.MetadataValue;
import org.infinispan.client.hotrod.RemoteCache;
import org.infinispan.client.hotrod.RemoteCacheManager;
import org.infinispan.client.hotrod.RemoteCounterManagerFactory;
import org.infinispan.counter.api.CounterConfiguration;
import org.infinispan.counter.api.CounterManager;
import org.infinispan.counter.api.CounterType;
import org.infinispan.counter.api.SyncStrongCounter;

/** Clients of Infinispan without Ensemble. */
final class CacheClients {

  /** About the size of the entry of a {@link BenchmarkCounter}. */
  private static final int ENTRY_BYTES = 150;

  private CacheClients() {}

  /** In memory, at the servers' two owners, which is the default of counters. */
  static BenchmarkClient strongCounter(RemoteCacheManager manager, String name) {
    CounterManager counters = RemoteCounterManagerFactory.asCounterManager(manager);
    boolean unused =
        counters.defineCounter(
            name, CounterConfiguration.builder(CounterType.UNBOUNDED_STRONG).build());
    SyncStrongCounter counter = counters.getStrongCounter(name).sync();
    return new BenchmarkClient() {
      @Override
      public void runOnce() {
        counter.incrementAndGet();
      }

      @Override
      public long total() {
        return counter.getValue();
      }
    };
  }

  /** A read and a replacement, because a response does not contain the next version. */
  static BenchmarkClient register(RemoteCache<byte[], byte[]> cache, String name) {
    byte[] key = name.getBytes(UTF_8);
    cache.putIfAbsent(key, entry(0));
    return new BenchmarkClient() {
      @Override
      public void runOnce() {
        MetadataValue<byte[]> known = cache.getWithMetadata(key);
        if (!cache.replaceWithVersion(
            key, entry(ByteBuffer.wrap(known.getValue()).getLong() + 1), known.getVersion())) {
          throw new IllegalStateException("another client has this entry");
        }
      }

      @Override
      public long total() {
        return ByteBuffer.wrap(cache.get(key)).getLong();
      }
    };
  }

  /** A get of an entry without changes. */
  static BenchmarkClient read(RemoteCache<byte[], byte[]> cache, String name) {
    byte[] key = name.getBytes(UTF_8);
    cache.putIfAbsent(key, entry(0));
    return () -> {
      if (cache.get(key) == null) {
        throw new IllegalStateException("an entry is not there");
      }
    };
  }

  private static byte[] entry(long number) {
    return ByteBuffer.allocate(ENTRY_BYTES).putLong(number).array();
  }
}
