package io.ensemble.benchmarks.objects.worker;

import static org.apache.zookeeper.KeeperException.Code.BADVERSION;

import java.nio.ByteBuffer;
import org.apache.zookeeper.CreateMode;
import org.apache.zookeeper.KeeperException;
import org.apache.zookeeper.ZooDefs.Ids;
import org.apache.zookeeper.ZooKeeper;
import org.apache.zookeeper.data.Stat;

/**
 * A number in a znode, set with the version that was seen last. A response contains the next
 * version, so a single client needs one round trip; after a conflict the client reads again.
 */
final class ZnodeNumberClient implements BenchmarkClient {

  private final ZooKeeper zooKeeper;
  private final String path;
  private final boolean reads;
  private long value;
  private int version;

  private ZnodeNumberClient(ZooKeeper zooKeeper, String path, boolean reads)
      throws KeeperException, InterruptedException {
    this.zooKeeper = zooKeeper;
    this.path = path;
    this.reads = reads;
    try {
      zooKeeper.create(path, bytes(0), Ids.OPEN_ACL_UNSAFE, CreateMode.PERSISTENT);
    } catch (KeeperException.NodeExistsException e) {
      // Created by another client.
    }
    zooKeeper.sync(path);
    read();
  }

  /** A client that adds. */
  static BenchmarkClient of(ZooKeeper zooKeeper, String name)
      throws KeeperException, InterruptedException {
    return new ZnodeNumberClient(zooKeeper, "/" + name, false);
  }

  /** A client that reads. */
  static BenchmarkClient reading(ZooKeeper zooKeeper, String name)
      throws KeeperException, InterruptedException {
    return new ZnodeNumberClient(zooKeeper, "/" + name, true);
  }

  @Override
  public void runOnce() throws KeeperException, InterruptedException {
    if (reads) {
      read();
      return;
    }
    while (!set()) {
      read();
    }
  }

  private boolean set() throws KeeperException, InterruptedException {
    try {
      version = zooKeeper.setData(path, bytes(value + 1), version).getVersion();
      value++;
      return true;
    } catch (KeeperException e) {
      if (e.code() != BADVERSION) {
        throw e;
      }
      return false;
    }
  }

  private void read() throws KeeperException, InterruptedException {
    Stat stat = new Stat();
    value = ByteBuffer.wrap(zooKeeper.getData(path, false, stat)).getLong();
    version = stat.getVersion();
  }

  @Override
  public long total() throws KeeperException, InterruptedException {
    zooKeeper.sync(path);
    read();
    return value;
  }

  private static byte[] bytes(long number) {
    return ByteBuffer.allocate(Long.BYTES).putLong(number).array();
  }
}
