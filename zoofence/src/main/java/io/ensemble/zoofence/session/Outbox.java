package io.ensemble.zoofence.session;

import io.ensemble.zoofence.Names;
import io.ensemble.zoofence.wire.Reply;
import io.ensemble.zoofence.wire.Zxids;
import java.nio.ByteBuffer;
import java.util.ArrayDeque;
import java.util.function.Consumer;
import org.apache.zookeeper.proto.WatcherEvent;
import org.jspecify.annotations.Nullable;

/**
 * What goes to a client, in its order. An event does not overtake the reply of the request that
 * asked for it; and one of which it is not known yet whether it concerns the client, as a move may
 * have caused it, holds back everything behind it.
 */
final class Outbox {
  /** Something to be delivered, once the instance that it is from is known again. */
  private record Parcel(@Nullable Instance from, Runnable deliver) {
    boolean mayGo() {
      return from == null || !from.isStale();
    }
  }

  private final Consumer<ByteBuffer> client;
  private final Order order;
  private final Reads reads;
  private final ArrayDeque<Parcel> waiting = new ArrayDeque<>();
  private final ArrayDeque<Reply> events = new ArrayDeque<>();

  Outbox(Consumer<ByteBuffer> client, Order order, Reads reads) {
    this.client = client;
    this.order = order;
    this.reads = reads;
  }

  void send(Reply reply) {
    ByteBuffer frame = reply.bytes();
    take(new Parcel(null, () -> client.accept(frame)));
  }

  /** Takes an event of an instance. */
  void tell(Instance from, Reply event, WatcherEvent what) {
    take(new Parcel(from, () -> told(from, event, what)));
  }

  private void told(Instance from, Reply event, WatcherEvent what) {
    int instance = from.link().number();
    // Of what has left the instance, and of what has not come yet, others tell.
    if (reads.at(from.flattening().holders(what.getPath())) != instance) {
      return;
    }
    from.watches().fired(what);
    if (!Names.hidden(what.getPath())) {
      Reply told = new Reply(Reply.EVENT_XID, Zxids.seen(event.zxid(), instance), 0, event.body());
      if (order.holdsHeard()) {
        events.add(told);
      } else {
        send(told);
      }
    }
  }

  /** Replies have left: events that came behind them may follow. */
  void follow() {
    while (!events.isEmpty() && !order.holdsHeard()) {
      send(events.remove());
    }
  }

  private void take(Parcel parcel) {
    if (waiting.isEmpty() && parcel.mayGo()) {
      parcel.deliver().run();
    } else {
      waiting.add(parcel);
    }
  }

  /** Some instance may be known again. */
  void flush() {
    var held = new ArrayDeque<>(waiting);
    // What is delivered may send more: that goes at once, before what is still held.
    waiting.clear();
    for (Parcel first = held.peek(); first != null && first.mayGo(); first = held.peek()) {
      held.remove();
      first.deliver().run();
    }
    held.addAll(waiting);
    waiting.clear();
    waiting.addAll(held);
  }
}
