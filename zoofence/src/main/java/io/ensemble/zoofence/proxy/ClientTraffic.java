package io.ensemble.zoofence.proxy;

import io.ensemble.zoofence.wire.ZooKeeperRequest;
import io.netty.util.AttributeKey;
import java.nio.ByteBuffer;
import java.util.ArrayDeque;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.LongSupplier;
import org.apache.zookeeper.ZooDefs.OpCode;
import org.jspecify.annotations.Nullable;

/**
 * The packets of one client's connection, and the requests that wait for their replies. The session
 * bounds how many can wait. Confined to the event loop of the connection; other threads may read
 * the numbers.
 */
final class ClientTraffic {
  static final AttributeKey<ClientTraffic> KEY = AttributeKey.valueOf("zoofence.traffic");

  private record Waiting(int xid, int type, long arrivalNanos) {}

  private final ProxyStatistics statistics;
  private final LongSupplier nanoTime;
  private final ArrayDeque<Waiting> waiting = new ArrayDeque<>();
  private final AtomicInteger queued = new AtomicInteger();
  private final AtomicLong received = new AtomicLong();
  private final AtomicLong sent = new AtomicLong();

  ClientTraffic(ProxyStatistics statistics, LongSupplier nanoTime) {
    this.statistics = statistics;
    this.nanoTime = nanoTime;
  }

  void recordReceived() {
    received.incrementAndGet();
    statistics.recordReceived();
  }

  /**
   * Records a request, which waits for its reply. Pings and credentials are not measured: a proxy
   * answers pings itself, and neither keeps the order of the other requests.
   */
  void recordRequest(ZooKeeperRequest request) {
    if (request.type() != OpCode.ping && request.type() != OpCode.auth) {
      waiting.add(new Waiting(request.xid(), request.type(), nanoTime.getAsLong()));
      countWaiting(1);
    }
  }

  /** Records a frame to the client: a reply, an event, or the answer to the handshake. */
  void recordSent(ByteBuffer frame) {
    sent.incrementAndGet();
    statistics.recordSent();
    // Replies have the order of the requests.
    Waiting first = waiting.peek();
    if (first != null
        && frame.remaining() >= Integer.BYTES
        && frame.getInt(frame.position()) == first.xid()) {
      waiting.remove();
      countWaiting(-1);
      statistics.recordLatency(first.type(), nanoTime.getAsLong() - first.arrivalNanos());
    }
  }

  /** Drops the requests that get no reply, because the connection has ended. */
  void close() {
    countWaiting(-waiting.size());
    waiting.clear();
  }

  private void countWaiting(int change) {
    queued.addAndGet(change);
    statistics.changeOutstanding(change);
  }

  /** The numbers as in a line of the answer to {@code stat}. */
  static String describe(@Nullable ClientTraffic traffic) {
    return traffic == null
        ? "(queued=0,recved=0,sent=0)"
        : "(queued="
            + traffic.queued
            + ",recved="
            + traffic.received
            + ",sent="
            + traffic.sent
            + ")";
  }
}
