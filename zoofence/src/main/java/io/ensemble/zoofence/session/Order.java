package io.ensemble.zoofence.session;

import io.ensemble.zoofence.wire.Request;
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
final class Order {
  private final ArrayDeque<Task> waiting = new ArrayDeque<>();
  private final ArrayDeque<Task> running = new ArrayDeque<>();
  private @Nullable Lane lane;
  private @Nullable Lane before;
  private long bytes;

  void add(Task task) {
    waiting.add(task);
    bytes += Throttle.bytes(task.request());
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
  @Nullable Task next(Predicate<Task> may) {
    Task first = waiting.peek();
    if (first == null) {
      return null;
    }
    Lane wanted = first.route().lane();
    boolean joins = running.isEmpty() || (wanted.equals(lane) && !wanted.equals(Lane.ALONE));
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
  @Nullable Task answered() {
    Task first = running.peek();
    return first == null || first.reply() == null ? null : without(running.remove());
  }

  /** Puts what runs and was not heard back, to be run again in the same order. */
  void again() {
    var heard = new ArrayDeque<Task>();
    while (!running.isEmpty()) {
      Task last = running.removeLast();
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
    return running.stream().allMatch(task -> task.reply() != null || task.isTurnedAway());
  }

  /** What waits finds its way anew. */
  void reroute(Function<Request, Route> way) {
    waiting.forEach(task -> task.reroute(way.apply(task.request())));
  }

  /** Whether a reply that was heard has not left yet. */
  boolean holdsHeard() {
    return running.stream().anyMatch(Task::isHeard);
  }

  /** Takes out the first that waits. */
  Task give() {
    return without(waiting.remove());
  }

  private Task without(Task task) {
    bytes -= Throttle.bytes(task.request());
    return task;
  }
}
