package io.ensemble.zoofence.session;

import io.ensemble.zoofence.session.routing.RequestLane;
import io.ensemble.zoofence.session.routing.ZnodeRoute;
import io.ensemble.zoofence.wire.ZooKeeperRequest;
import java.util.ArrayDeque;
import java.util.function.Function;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/**
 * A client's requests in the order in which it sent them. Those of one lane run beside each other;
 * at a switch to another lane everything before has to be answered first, so that no two instances
 * ever run requests of one client at the same time: that is what makes its order one order across
 * instances. Replies leave in the requests' order.
 */
final class RequestOrder {
  private final ArrayDeque<InFlightRequest> waiting = new ArrayDeque<>();
  private final ArrayDeque<InFlightRequest> running = new ArrayDeque<>();
  private @Nullable RequestLane lane;
  private @Nullable RequestLane before;
  private long bytes;

  void add(InFlightRequest inFlightRequest) {
    waiting.add(inFlightRequest);
    bytes += Throttle.bytes(inFlightRequest.request());
  }

  int size() {
    return waiting.size() + running.size();
  }

  /** As much as the requests say that wait or run. */
  long bytes() {
    return bytes;
  }

  boolean isEmpty() {
    return waiting.isEmpty() && running.isEmpty();
  }

  /** Whether the first that waits is the first whose reply has to leave. */
  boolean waitsFirst() {
    return running.isEmpty() && !waiting.isEmpty();
  }

  /**
   * The next that may run, or null.
   *
   * @param may whether the lane of the one in turn is free just now
   */
  @Nullable InFlightRequest next(Predicate<InFlightRequest> may) {
    InFlightRequest first = waiting.peek();
    if (first == null) {
      return null;
    }
    RequestLane wanted = first.route().lane();
    boolean joins = running.isEmpty() || (wanted.equals(lane) && !wanted.equals(RequestLane.ALONE));
    if (!joins || !may.test(first)) {
      return null;
    }
    if (running.isEmpty()) {
      before = lane;
    }
    lane = wanted;
    running.add(waiting.remove());
    return first;
  }

  /** Whether the running task is the first of its lane since another lane was used. */
  boolean switched() {
    return running.size() == 1 && lane != null && !lane.equals(before);
  }

  /** The next one whose reply can leave, taken out; null if the one in turn still runs. */
  @Nullable InFlightRequest answered() {
    InFlightRequest first = running.peek();
    return first == null || first.reply() == null ? null : without(running.remove());
  }

  /** Puts what runs and was not heard back, to be run again in the same order. */
  void again() {
    var heard = new ArrayDeque<InFlightRequest>();
    while (!running.isEmpty()) {
      InFlightRequest last = running.removeLast();
      if (last.isHeard()) {
        heard.addFirst(last);
      } else {
        last.comeBack();
        waiting.addFirst(last);
      }
    }
    running.addAll(heard);
  }

  /** Whether nothing is on its way, but for what was turned away. */
  boolean isQuiet() {
    return running.stream()
        .allMatch(
            inFlightRequest -> inFlightRequest.reply() != null || inFlightRequest.isTurnedAway());
  }

  /** What waits finds its way anew. */
  void reroute(Function<ZooKeeperRequest, ZnodeRoute> way) {
    waiting.forEach(
        inFlightRequest -> inFlightRequest.reroute(way.apply(inFlightRequest.request())));
  }

  /** Whether a reply that was heard has not left yet. */
  boolean holdsHeard() {
    return running.stream().anyMatch(InFlightRequest::isHeard);
  }

  /** Takes out the first that waits. */
  InFlightRequest give() {
    return without(waiting.remove());
  }

  private InFlightRequest without(InFlightRequest inFlightRequest) {
    bytes -= Throttle.bytes(inFlightRequest.request());
    return inFlightRequest;
  }
}
