package io.ensemble.zoofence.session;

import io.ensemble.zoofence.wire.ZooKeeperRequest;
import java.util.Collection;

/** Keeps a client from asking for more at a time than a session takes. */
final class Throttle {
  /** As many requests of one client as may wait or run. */
  static final int MOST_REQUESTS = 1000;

  /** As much of them; one that is larger than what is left still comes in. */
  static final long MOST_BYTES = 8L << 20;

  private final ZooFenceSession.Client client;
  private boolean paused;

  Throttle(ZooFenceSession.Client client) {
    this.client = client;
  }

  /** What waits or runs: no more is read while that is too much. */
  void holds(RequestOrder order, Collection<ZooKeeperRequest> early) {
    long bytes = order.bytes() + early.stream().mapToLong(Throttle::bytes).sum();
    boolean full = order.size() + early.size() >= MOST_REQUESTS || bytes >= MOST_BYTES;
    if (full != paused) {
      paused = full;
      client.pause(full);
    }
  }

  static int bytes(ZooKeeperRequest request) {
    return request.body().remaining();
  }
}
