package io.ensemble.zoofence.session;

import io.ensemble.zoofence.session.routing.ZnodeRoute;
import io.ensemble.zoofence.wire.ZooKeeperReply;
import io.ensemble.zoofence.wire.ZooKeeperRequest;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/** A request on its way, and its reply once there is one. */
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

  /** An instance has answered, and that counts: it is not sent again. */
  void hear() {
    heard = true;
  }

  /** It had no effect, and is sent again when the session knows more. */
  void turnAway() {
    turnedAway = true;
    if (sinceNanos == 0) {
      sinceNanos = System.nanoTime();
    }
  }

  boolean isTurnedAway() {
    return turnedAway;
  }

  /** Whether it was turned away for the first time so long ago. */
  boolean hasWaited(long millis) {
    return sinceNanos != 0
        && System.nanoTime() - sinceNanos > TimeUnit.MILLISECONDS.toNanos(millis);
  }

  /** It waits for its turn again. */
  void comeBack() {
    turnedAway = false;
  }

  boolean isHeard() {
    return heard || reply != null;
  }

  @Nullable ZooKeeperReply reply() {
    return reply;
  }

  /** The reply as the client gets it, but for its header. */
  void reply(ZooKeeperReply last) {
    reply = last;
  }
}
