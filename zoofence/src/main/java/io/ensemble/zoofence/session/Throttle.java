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
  private boolean isPaused;

  Throttle(ZooFenceSession.Client client) {
    this.client = client;
  }

  /** Pauses reading while too many requests wait or run, and resumes it afterwards. */
  void update(RequestOrder order, Collection<ZooKeeperRequest> earlyRequests) {
    long bytes = order.bytes() + earlyRequests.stream().mapToLong(Throttle::bytes).sum();
    boolean isFull = order.size() + earlyRequests.size() >= MOST_REQUESTS || bytes >= MOST_BYTES;
    if (isFull != isPaused) {
      isPaused = isFull;
      client.pause(isFull);
    }
  }

  static int bytes(ZooKeeperRequest request) {
    return request.body().remaining();
  }
}
