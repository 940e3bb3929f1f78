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
  private record Parcel(@Nullable InstanceClient from, Runnable delivery) {
    boolean isDeliverable() {
      return from == null || !from.isStale();
    }
  }

  private final Consumer<ByteBuffer> client;
  private final RequestOrder order;
  private final ReadPreference readPreference;
  private final ArrayDeque<Parcel> pending = new ArrayDeque<>();
  private final ArrayDeque<ZooKeeperReply> events = new ArrayDeque<>();

  Outbox(Consumer<ByteBuffer> client, RequestOrder order, ReadPreference readPreference) {
    this.client = client;
    this.order = order;
    this.readPreference = readPreference;
  }

  void send(ZooKeeperReply reply) {
    ByteBuffer frame = reply.bytes();
    enqueue(new Parcel(null, () -> client.accept(frame)));
  }

  /** Takes an event of an instance. */
  void sendEvent(InstanceClient from, ZooKeeperReply event, WatcherEvent watcherEvent) {
    enqueue(new Parcel(from, () -> deliverEvent(from, event, watcherEvent)));
  }

  private void deliverEvent(InstanceClient from, ZooKeeperReply event, WatcherEvent watcherEvent) {
    int instance = from.link().number();
    // Another instance reports changes of a path that this one no longer holds, or does not hold
    // yet.
    if (readPreference.select(from.flattening().holders(watcherEvent.getPath())) != instance) {
      return;
    }
    from.watches().removeFired(watcherEvent);
    if (!ZooFencePaths.hidden(watcherEvent.getPath())) {
      ZooKeeperReply translated =
          new ZooKeeperReply(
              ZooKeeperReply.EVENT_XID, Zxids.seen(event.zxid(), instance), 0, event.body());
      if (order.hasHeldReply()) {
        events.add(translated);
      } else {
        send(translated);
      }
    }
  }

  /** Replies have left: events that arrived behind them may follow. */
  void flushEvents() {
    while (!events.isEmpty() && !order.hasHeldReply()) {
      send(events.remove());
    }
  }

  private void enqueue(Parcel parcel) {
    if (pending.isEmpty() && parcel.isDeliverable()) {
      parcel.delivery().run();
    } else {
      pending.add(parcel);
    }
  }

  /** Delivers the held messages whose instances are no longer stale. */
  void flushHeld() {
    var batch = new ArrayDeque<>(pending);
    // A delivery may send more messages: they leave immediately, before the messages still held.
    pending.clear();
    for (Parcel first = batch.peek();
        first != null && first.isDeliverable();
        first = batch.peek()) {
      batch.remove();
      first.delivery().run();
    }
    batch.addAll(pending);
    pending.clear();
    pending.addAll(batch);
  }
}
