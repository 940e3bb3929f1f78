package io.ensemble.zoofence.proxy;

/**
 * How much a proxy takes upon itself.
 *
 * @param connections as many clients at a time; further ones are turned away, as by ZooKeeper's
 *     {@code maxCnxns}. 0 for no bound
 * @param waitingBytes as much may wait for a client that does not read; then its connection ends,
 *     and it may come back to its session
 * @param silentMillis as long may a connection have asked for no session; then it ends, and its
 *     place is another's
 */
record ProxyLimits(int connections, long waitingBytes, long silentMillis) {
  private static final long SILENT_MILLIS = 10_000;

  static ProxyLimits configured() {
    return new ProxyLimits(
        Integer.getInteger("zookeeper.maxCnxns", 10_000), 64L << 20, SILENT_MILLIS);
  }

  boolean isFull(int clients) {
    return connections > 0 && clients >= connections;
  }
}
