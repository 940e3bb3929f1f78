package io.ensemble.zoofence.session;

import io.ensemble.zoofence.session.routing.RequestLane;
import io.ensemble.zoofence.session.routing.ZnodeRoute;
import io.ensemble.zoofence.wire.ZooKeeperRequest;
import java.util.ArrayDeque;
import java.util.function.Function;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/**
 * A client's requests in the order in which the client sent them. Requests of one lane run in
 * parallel. Before a switch to another lane, all earlier requests have to be answered. So two
 * instances never execute requests of one client at the same time, and the client's order is one
 * order across instances. Replies leave in the requests' order.
 */
final class RequestOrder {
  private final ArrayDeque<InFlightRequest> waiting = new ArrayDeque<>();
  private final ArrayDeque<InFlightRequest> running = new ArrayDeque<>();
  private @Nullable RequestLane lane;
  private @Nullable RequestLane previousLane;
  private long bytes;

  void add(InFlightRequest inFlightRequest) {
    waiting.add(inFlightRequest);
    bytes += Throttle.bytes(inFlightRequest.request());
  }

  int size() {
    return waiting.size() + running.size();
  }

  /** The size in bytes of the requests that wait or run. */
  long bytes() {
    return bytes;
  }

  boolean isEmpty() {
    return waiting.isEmpty() && running.isEmpty();
  }

  /** Whether the first waiting request also has the next reply to leave. */
  boolean isHeadWaiting() {
    return running.isEmpty() && !waiting.isEmpty();
  }

  /**
   * The next request that may run, or null.
   *
   * @param isLaneFree whether the lane of that request is free at present
   */
  @Nullable InFlightRequest next(Predicate<InFlightRequest> isLaneFree) {
    InFlightRequest first = waiting.peek();
    if (first == null) {
      return null;
    }
    RequestLane requestLane = first.route().lane();
    boolean isJoinable =
        running.isEmpty() || (requestLane.equals(lane) && !requestLane.equals(RequestLane.ALONE));
    if (!isJoinable || !isLaneFree.test(first)) {
      return null;
    }
    if (running.isEmpty()) {
      previousLane = lane;
    }
    lane = requestLane;
    running.add(waiting.remove());
    return first;
  }

  /** Whether the running request is the first of its lane since another lane was used. */
  boolean hasSwitched() {
    return running.size() == 1 && lane != null && !lane.equals(previousLane);
  }

  /** Removes and returns the request with the next reply; null if that request still runs. */
  @Nullable InFlightRequest pollAnswered() {
    InFlightRequest first = running.peek();
    return first == null || first.reply() == null ? null : subtractBytes(running.remove());
  }

  /** Returns the running requests without a final answer to the waiting ones, in the same order. */
  void requeueRunning() {
    var finished = new ArrayDeque<InFlightRequest>();
    while (!running.isEmpty()) {
      InFlightRequest request = running.removeLast();
      if (request.isFinal()) {
        finished.addFirst(request);
      } else {
        request.clearTurnedAway();
        waiting.addFirst(request);
      }
    }
    running.addAll(finished);
  }

  /** Whether no request is in flight, except for those that were turned away. */
  boolean isQuiet() {
    return running.stream()
        .allMatch(
            inFlightRequest -> inFlightRequest.reply() != null || inFlightRequest.isTurnedAway());
  }

  /** Routes the waiting requests again. */
  void reroute(Function<ZooKeeperRequest, ZnodeRoute> router) {
    waiting.forEach(
        inFlightRequest -> inFlightRequest.reroute(router.apply(inFlightRequest.request())));
  }

  /** Whether a final reply has not left yet. */
  boolean hasHeldReply() {
    return running.stream().anyMatch(InFlightRequest::isFinal);
  }

  /** Removes and returns the first waiting request. */
  InFlightRequest removeFirst() {
    return subtractBytes(waiting.remove());
  }

  private InFlightRequest subtractBytes(InFlightRequest inFlightRequest) {
    bytes -= Throttle.bytes(inFlightRequest.request());
    return inFlightRequest;
  }
}
