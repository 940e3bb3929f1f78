package io.ensemble.zoofence.session;

import io.ensemble.zoofence.session.routing.ZnodeRoute;
import io.ensemble.zoofence.wire.ZooKeeperReply;
import io.ensemble.zoofence.wire.ZooKeeperRequest;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/** A request in flight, and its reply once there is one. */
final class InFlightRequest {
  private final ZooKeeperRequest request;
  private ZnodeRoute route;
  private @Nullable ZooKeeperReply reply;
  private boolean heard;
  private boolean turnedAway;
  private long sinceNanos;

  InFlightRequest(ZooKeeperRequest request, ZnodeRoute route) {
    this.request = request;
    this.route = route;
  }

  ZooKeeperRequest request() {
    return request;
  }

  ZnodeRoute route() {
    return route;
  }

  void reroute(ZnodeRoute next) {
    route = next;
  }

  /** Records the final answer of an instance: the request is not sent again. */
  void hear() {
    heard = true;
  }

  /**
   * Records that the request had no effect, and is sent again after the session has read newer
   * state.
   */
  void turnAway() {
    turnedAway = true;
    if (sinceNanos == 0) {
      sinceNanos = System.nanoTime();
    }
  }

  boolean isTurnedAway() {
    return turnedAway;
  }

  /**
   * Whether the request was turned away for the first time at least {@code millis} milliseconds
   * ago.
   */
  boolean hasWaited(long millis) {
    return sinceNanos != 0
        && System.nanoTime() - sinceNanos > TimeUnit.MILLISECONDS.toNanos(millis);
  }

  /** Returns the request to the waiting ones. */
  void comeBack() {
    turnedAway = false;
  }

  boolean isHeard() {
    return heard || reply != null;
  }

  @Nullable ZooKeeperReply reply() {
    return reply;
  }

  /** Sets the reply as the client receives it, except for its header. */
  void reply(ZooKeeperReply last) {
    reply = last;
  }
}
