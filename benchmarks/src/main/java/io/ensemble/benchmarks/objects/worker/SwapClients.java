package io.ensemble.benchmarks.objects.worker;

import static org.apache.zookeeper.KeeperException.Code.BADVERSION;

import io.ensemble.objects.AtomicObjectFactory;
import io.ensemble.objects.ObjectType;
import java.nio.ByteBuffer;
import java.util.concurrent.ThreadLocalRandom;
import org.apache.zookeeper.CreateMode;
import org.apache.zookeeper.KeeperException;
import org.apache.zookeeper.ZooDefs.Ids;
import org.apache.zookeeper.ZooKeeper;
import org.apache.zookeeper.data.Stat;

/** Compare-and-swaps of two numbers below a greatest one, each at random. */
final class SwapClients {

  private SwapClients() {}

  static BenchmarkClient ofObject(AtomicObjectFactory factory, String name, int most) {
    BenchmarkCounter object = factory.openOrCreate(name, ObjectType.of(BenchmarkCounter.class));
    return new BenchmarkClient() {
      @Override
      public void runOnce() {
        ThreadLocalRandom random = ThreadLocalRandom.current();
        boolean unused = object.compareAndSet(random.nextLong(most), random.nextLong(most));
      }

      @Override
      public void close() {
        factory.close(object);
      }
    };
  }

  /**
   * A znode, as in LEADS D2.6, appendix E, section 5.2: it is read, and set with its version if it
   * has the expected number. If that fails, it is read again.
   */
  static BenchmarkClient ofZnode(ZooKeeper zooKeeper, String name, int most)
      throws KeeperException, InterruptedException {
    String path = "/" + name;
    try {
      zooKeeper.create(path, bytes(0), Ids.OPEN_ACL_UNSAFE, CreateMode.PERSISTENT);
    } catch (KeeperException.NodeExistsException e) {
      // Created by another client.
    }
    return () -> {
      ThreadLocalRandom random = ThreadLocalRandom.current();
      long expected = random.nextLong(most);
      byte[] next = bytes(random.nextLong(most));
      while (true) {
        Stat stat = new Stat();
        long found = ByteBuffer.wrap(zooKeeper.getData(path, false, stat)).getLong();
        if (found != expected || isSet(zooKeeper, path, next, stat.getVersion())) {
          return;
        }
      }
    };
  }

  private static boolean isSet(ZooKeeper zooKeeper, String path, byte[] next, int version)
      throws KeeperException, InterruptedException {
    try {
      zooKeeper.setData(path, next, version);
      return true;
    } catch (KeeperException e) {
      if (e.code() != BADVERSION) {
        throw e;
      }
      return false;
    }
  }

  private static byte[] bytes(long number) {
    return ByteBuffer.allocate(Long.BYTES).putLong(number).array();
  }
}
