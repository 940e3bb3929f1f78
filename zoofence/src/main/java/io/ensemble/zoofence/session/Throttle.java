package io.ensemble.zoofence.session;

import io.ensemble.zoofence.wire.ZooKeeperRequest;
import java.util.Collection;

/** Keeps a client from having more requests outstanding than a session accepts. */
final class Throttle {
  /** The maximum number of requests of one client that wait or run. */
  static final int MOST_REQUESTS = 1000;

  /**
   * The maximum size in bytes of these requests; a request that is larger than the remainder is
   * still accepted.
   */
  static final long MOST_BYTES = 8L << 20;

  private final ZooFenceSession.Client client;
  private boolean paused;

  Throttle(ZooFenceSession.Client client) {
    this.client = client;
  }

  /** Pauses reading while too many requests wait or run, and resumes it afterwards. */
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
