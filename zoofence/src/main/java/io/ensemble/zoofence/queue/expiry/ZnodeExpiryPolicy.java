package io.ensemble.zoofence.queue.expiry;

import java.time.Duration;
import org.apache.zookeeper.data.Stat;
import org.apache.zookeeper.server.EphemeralType;

/**
 * When containers and znodes with a time to live are removed, by ZooKeeper's own properties.
 *
 * @param interval the time between two checks
 * @param maxPerMinute the maximum number of removals in a minute
 * @param neverUsedTimeout how long a container without any child so far is kept; 0 for no limit
 */
record ZnodeExpiryPolicy(Duration interval, int maxPerMinute, Duration neverUsedTimeout) {
  static ZnodeExpiryPolicy fromProperties() {
    return new ZnodeExpiryPolicy(
        Duration.ofMillis(Integer.getInteger("znode.container.checkIntervalMs", 60_000)),
        Integer.getInteger("znode.container.maxPerMinute", 10_000),
        Duration.ofMillis(Long.getLong("znode.container.maxNeverUsedIntervalMs", 0)));
  }

  /** The maximum number of removals in one check. */
  int maxPerCheck() {
    return (int) Math.max(1, maxPerMinute * interval.toMillis() / 60_000);
  }

  /**
   * Whether a znode has to be removed.
   *
   * @param owner ZooKeeper's number for containers or for a time to live
   * @param nowMillis the time by the clock that wrote the stat, in milliseconds
   */
  boolean isExpired(long owner, Stat stat, long nowMillis) {
    if (stat.getNumChildren() > 0) {
      return false;
    }
    long idleMillis = nowMillis - stat.getMtime();
    if (owner == EphemeralType.CONTAINER_EPHEMERAL_OWNER) {
      return stat.getCversion() > 0
          || (!neverUsedTimeout.isZero() && idleMillis > neverUsedTimeout.toMillis());
    }
    return idleMillis > EphemeralType.TTL.getValue(owner);
  }
}
