package io.ensemble.zoofence.proxy;

/**
 * The limits of a proxy.
 *
 * @param connections the maximum number of clients; further ones are rejected, as by ZooKeeper's
 *     {@code maxCnxns}. 0 for no bound
 * @param waitingBytes the maximum number of bytes that wait for a client that does not read. Above
 *     it the connection ends, and the client may return to its session
 * @param silentMillis the time in which a connection has to request a session, in milliseconds;
 *     then the connection ends, and its place becomes free
 */
record ProxyLimits(int connections, long waitingBytes, long silentMillis) {
  private static final long SILENT_MILLIS = 10_000;

  static ProxyLimits fromProperties() {
    return new ProxyLimits(
        Integer.getInteger("zookeeper.maxCnxns", 10_000), 64L << 20, SILENT_MILLIS);
  }

  boolean isFull(int clients) {
    return connections > 0 && clients >= connections;
  }
}
