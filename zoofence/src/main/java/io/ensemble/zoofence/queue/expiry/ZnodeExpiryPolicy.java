package io.ensemble.zoofence.queue.expiry;

import java.time.Duration;
import org.apache.zookeeper.data.Stat;
import org.apache.zookeeper.server.EphemeralType;

/**
 * When containers and znodes with a time to live have to go, by ZooKeeper's own properties.
 *
 * @param interval between one look and the next
 * @param mostPerMinute as many may be removed in a minute
 * @param neverUsed how long a container stays that never had a child; 0 for ever
 */
record ZnodeExpiryPolicy(Duration interval, int mostPerMinute, Duration neverUsed) {
  static ZnodeExpiryPolicy configured() {
    return new ZnodeExpiryPolicy(
        Duration.ofMillis(Integer.getInteger("znode.container.checkIntervalMs", 60_000)),
        Integer.getInteger("znode.container.maxPerMinute", 10_000),
        Duration.ofMillis(Long.getLong("znode.container.maxNeverUsedIntervalMs", 0)));
  }

  /** As many may be removed at one look. */
  int mostAtOnce() {
    return (int) Math.max(1, mostPerMinute * interval.toMillis() / 60_000);
  }

  /**
   * Whether a znode has to go.
   *
   * @param owner ZooKeeper's number for containers or for a time to live
   * @param nowMillis by the clock that its stat is of
   */
  boolean isOver(long owner, Stat stat, long nowMillis) {
    if (stat.getNumChildren() > 0) {
      return false;
    }
    long unchanged = nowMillis - stat.getMtime();
    if (owner == EphemeralType.CONTAINER_EPHEMERAL_OWNER) {
      return stat.getCversion() > 0 || (!neverUsed.isZero() && unchanged > neverUsed.toMillis());
    }
    return unchanged > EphemeralType.TTL.getValue(owner);
  }
}
