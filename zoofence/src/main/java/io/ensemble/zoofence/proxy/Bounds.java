package io.ensemble.zoofence.proxy;

/**
 * How much a proxy takes upon itself.
 *
 * @param connections as many clients at a time; further ones are turned away, as by ZooKeeper's
 *     {@code maxCnxns}. 0 for no bound
 * @param waitingBytes as much may wait for a client that does not read; then its connection ends,
 *     and it may come back to its session
 */
record Bounds(int connections, long waitingBytes) {
  static Bounds configured() {
    return new Bounds(Integer.getInteger("zookeeper.maxCnxns", 10_000), 64L << 20);
  }

  boolean isFull(int clients) {
    return connections > 0 && clients >= connections;
  }
}
