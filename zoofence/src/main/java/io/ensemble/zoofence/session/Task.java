package io.ensemble.zoofence.session;

import io.ensemble.zoofence.wire.Reply;
import io.ensemble.zoofence.wire.Request;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/** A request on its way, and its reply once there is one. */
final class Task {
  private final Request request;
  private Route route;
  private @Nullable Reply reply;
  private boolean heard;
  private boolean turnedAway;
  private long sinceNanos;

  Task(Request request, Route route) {
    this.request = request;
    this.route = route;
  }

  Request request() {
    return request;
  }

  Route route() {
    return route;
  }

  void reroute(Route next) {
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

  @Nullable Reply reply() {
    return reply;
  }

  /** The reply as the client gets it, but for its header. */
  void reply(Reply last) {
    reply = last;
  }
}
