package io.ensemble.cli.demo.objects;

import static java.nio.charset.StandardCharsets.UTF_8;

import io.ensemble.objects.AtomicObjectFactory;
import io.ensemble.objects.store.HotRodObjectStore;
import io.ensemble.objects.sync.FencedLock;
import io.ensemble.objects.sync.SharedCounter;
import io.ensemble.objects.sync.SharedQueue;
import io.ensemble.objects.sync.Synchronizers;
import java.time.Duration;
import org.infinispan.client.hotrod.RemoteCache;
import org.infinispan.client.hotrod.RemoteCacheManager;

/**
 * The objects that the processes share: jobs in a queue, a counter of those done, a lock, and a
 * ledger. The ledger is a plain entry that is read, incremented and written; only the lock protects
 * it.
 */
final class SharedJobs implements AutoCloseable {

  /** The time for which a process that has died keeps the lock from others. */
  static final Duration LEASE = Duration.ofSeconds(2);

  private static final String LEDGER = "ledger";

  private final RemoteCacheManager cluster;
  private final AtomicObjectFactory factory;
  private final RemoteCache<byte[], byte[]> cache;
  final SharedQueue<Integer> jobs;
  final SharedCounter done;
  final FencedLock lock;

  /**
   * @param endpoints the cluster as host:port, separated by semicolons
   */
  SharedJobs(String endpoints) {
    cluster = new RemoteCacheManager("hotrod://" + endpoints.replace(';', ','));
    cache = HotRodObjectStore.cache(cluster, "objects");
    factory = AtomicObjectFactory.on(new HotRodObjectStore(cache));
    Synchronizers synchronizers = Synchronizers.on(factory).lease(LEASE);
    jobs = synchronizers.queue("jobs", Integer.class);
    done = synchronizers.counter("done");
    lock = synchronizers.lock("workbench");
  }

  /** Reads the ledger, adds 1 and writes it: two concurrent calls would lose one increment. */
  void addToLedger() {
    byte[] key = LEDGER.getBytes(UTF_8);
    cache.put(key, Integer.toString(ledger() + 1).getBytes(UTF_8));
  }

  int ledger() {
    byte[] key = LEDGER.getBytes(UTF_8);
    byte[] value = cache.get(key);
    return value == null ? 0 : Integer.parseInt(new String(value, UTF_8));
  }

  @Override
  public void close() {
    factory.close();
    cluster.close();
  }
}
