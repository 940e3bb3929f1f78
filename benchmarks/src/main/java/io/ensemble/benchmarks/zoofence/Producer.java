package io.ensemble.benchmarks.zoofence;

import java.util.SplittableRandom;
import org.HdrHistogram.Histogram;
import org.apache.zookeeper.CreateMode;
import org.apache.zookeeper.KeeperException;
import org.apache.zookeeper.ZooDefs;
import org.apache.zookeeper.ZooKeeper;

/**
 * A loop that adds elements to queues, the next when the last was acknowledged. Elements are
 * persistent sequential znodes, as in the paper.
 */
final class Producer {

  private static final int ELEMENT_BYTES = 100;
  private static final int HUNDRED = 100;

  private final ZooKeeper own;
  private final ZooKeeper shared;
  private final byte[] element = new byte[ELEMENT_BYTES];

  /** The number of acknowledged elements. */
  private long ownElements;

  private long sharedElements;
  private final Histogram ownLatencies = new Histogram(3);
  private final Histogram sharedLatencies = new Histogram(3);

  /**
   * @param own the session that adds to the site's queue
   * @param shared the session that adds to the shared one, perhaps the same
   */
  Producer(ZooKeeper own, ZooKeeper shared) {
    this.own = own;
    this.shared = shared;
  }

  /**
   * Runs the loop; the failure of an operation fails it. Operations that begin in time are counted
   * completely, at least one.
   *
   * @param from the beginning of the counted time, in nanoseconds of this machine
   */
  Producer run(
      String ownQueue,
      String sharedQueue,
      int locality,
      SplittableRandom random,
      long from,
      long to)
      throws KeeperException, InterruptedException {
    long begun = System.nanoTime();
    boolean counted = false;
    while (begun - to < 0 || !counted) {
      boolean isOwn = random.nextInt(HUNDRED) < locality;
      if (isOwn) {
        add(own, ownQueue);
        ownElements++;
      } else {
        add(shared, sharedQueue);
        sharedElements++;
      }
      long ended = System.nanoTime();
      if (begun - from >= 0) {
        (isOwn ? ownLatencies : sharedLatencies).recordValue(ended - begun);
        counted = true;
      }
      begun = ended;
    }
    return this;
  }

  private void add(ZooKeeper to, String queue) throws KeeperException, InterruptedException {
    to.create(
        queue + "/e-", element, ZooDefs.Ids.OPEN_ACL_UNSAFE, CreateMode.PERSISTENT_SEQUENTIAL);
  }

  long ownElements() {
    return ownElements;
  }

  long sharedElements() {
    return sharedElements;
  }

  Histogram ownLatencies() {
    return ownLatencies;
  }

  Histogram sharedLatencies() {
    return sharedLatencies;
  }
}
