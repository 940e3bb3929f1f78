package io.ensemble.zoofence.session;

import io.ensemble.zoofence.ZooFencePaths;
import io.ensemble.zoofence.session.instance.InstanceClient;
import io.ensemble.zoofence.session.routing.ReadPreference;
import io.ensemble.zoofence.wire.ZooKeeperReply;
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
  private record Parcel(@Nullable InstanceClient from, Runnable deliver) {
    boolean mayGo() {
      return from == null || !from.isStale();
    }
  }

  private final Consumer<ByteBuffer> client;
  private final RequestOrder order;
  private final ReadPreference readPreference;
  private final ArrayDeque<Parcel> waiting = new ArrayDeque<>();
  private final ArrayDeque<ZooKeeperReply> events = new ArrayDeque<>();

  Outbox(Consumer<ByteBuffer> client, RequestOrder order, ReadPreference readPreference) {
    this.client = client;
    this.order = order;
    this.readPreference = readPreference;
  }

  void send(ZooKeeperReply reply) {
    ByteBuffer frame = reply.bytes();
    take(new Parcel(null, () -> client.accept(frame)));
  }

  /** Takes an event of an instance. */
  void tell(InstanceClient from, ZooKeeperReply event, WatcherEvent what) {
    take(new Parcel(from, () -> told(from, event, what)));
  }

  private void told(InstanceClient from, ZooKeeperReply event, WatcherEvent what) {
    int instance = from.link().number();
    // Of what has left the instance, and of what has not come yet, others tell.
    if (readPreference.at(from.flattening().holders(what.getPath())) != instance) {
      return;
    }
    from.watches().fired(what);
    if (!ZooFencePaths.hidden(what.getPath())) {
      ZooKeeperReply told =
          new ZooKeeperReply(
              ZooKeeperReply.EVENT_XID, Zxids.seen(event.zxid(), instance), 0, event.body());
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
