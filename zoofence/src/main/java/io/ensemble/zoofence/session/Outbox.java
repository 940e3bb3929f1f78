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
 * The messages to a client, in their order. An event does not overtake the reply of the request
 * that set its watch. A move may have caused an event that does not concern the client. Until that
 * is decided, the event holds back all messages behind it.
 */
final class Outbox {
  /** A message to be delivered once the state of its instance has been read again. */
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
    // Another instance reports changes of a path that this one no longer holds, or does not hold
    // yet.
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

  /** Replies have left: events that arrived behind them may follow. */
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

  /** Delivers the held messages whose instances are no longer stale. */
  void flush() {
    var held = new ArrayDeque<>(waiting);
    // A delivery may send more messages: they leave immediately, before the messages still held.
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
