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
  private boolean isFinal;
  private boolean isTurnedAway;
  private long firstRefusalNanos;

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

  void reroute(ZnodeRoute newRoute) {
    route = newRoute;
  }

  /** Records the final answer of an instance: the request is not sent again. */
  void markFinal() {
    isFinal = true;
  }

  /**
   * Records that the request had no effect, and is sent again after the session has read newer
   * state.
   */
  void turnAway() {
    isTurnedAway = true;
    if (firstRefusalNanos == 0) {
      firstRefusalNanos = System.nanoTime();
    }
  }

  boolean isTurnedAway() {
    return isTurnedAway;
  }

  /**
   * Whether the request was turned away for the first time at least {@code millis} milliseconds
   * ago.
   */
  boolean hasWaited(long millis) {
    return firstRefusalNanos != 0
        && System.nanoTime() - firstRefusalNanos > TimeUnit.MILLISECONDS.toNanos(millis);
  }

  /** Returns the request to the waiting ones. */
  void clearTurnedAway() {
    isTurnedAway = false;
  }

  boolean isFinal() {
    return isFinal || reply != null;
  }

  @Nullable ZooKeeperReply reply() {
    return reply;
  }

  /** Sets the reply as the client receives it, except for its header. */
  void setReply(ZooKeeperReply finalReply) {
    reply = finalReply;
  }
}
