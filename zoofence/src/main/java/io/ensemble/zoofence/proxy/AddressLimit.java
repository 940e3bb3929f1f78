package io.ensemble.zoofence.proxy;

import java.net.InetAddress;
import java.util.HashMap;
import java.util.Map;

/** Counts the connections of each client address, and limits them. Thread-safe. */
final class AddressLimit {
  private final int most;
  private final Map<InetAddress, Integer> connections = new HashMap<>();

  /**
   * @param most the maximum number of connections of one address; 0 for no limit
   */
  AddressLimit(int most) {
    this.most = most;
  }

  /** Counts a connection, unless the address has the maximum already. */
  synchronized boolean acquire(InetAddress address) {
    int count = connections.getOrDefault(address, 0);
    if (most > 0 && count >= most) {
      return false;
    }
    connections.put(address, count + 1);
    return true;
  }

  /** Counts the end of a connection that was acquired. */
  synchronized void release(InetAddress address) {
    connections.computeIfPresent(address, (key, count) -> count > 1 ? count - 1 : null);
  }
}
