package io.ensemble.zoofence.proxy;

import io.ensemble.zoofence.session.ZooFenceSession;
import io.ensemble.zoofence.session.routing.RoutingContext;
import io.ensemble.zoofence.wire.Frames;
import io.ensemble.zoofence.wire.Jute;
import io.ensemble.zoofence.wire.ZooKeeperRequest;
import io.netty.channel.Channel;
import java.nio.ByteBuffer;
import java.util.concurrent.TimeUnit;
import org.apache.zookeeper.proto.ConnectRequest;
import org.jspecify.annotations.Nullable;

/**
 * A client's connection: its first frame begins a session, and every further frame is a request.
 */
final class ClientChannel implements ZooFenceSession.Client {
  private static final int TICKS_IN_TIMEOUT = 3;
  private static final int FIRST_TIMEOUT_MILLIS = 10_000;

  private final Channel channel;
  private final RoutingContext routingContext;
  private final ProxyLimits proxyLimits;
  private final Runnable begun;
  private @Nullable ZooFenceSession session;
  private long heardNanos = System.nanoTime();

  /**
   * @param begun is run when the session begins
   */
  ClientChannel(
      Channel channel, RoutingContext routingContext, ProxyLimits proxyLimits, Runnable begun) {
    this.channel = channel;
    this.routingContext = routingContext;
    this.proxyLimits = proxyLimits;
    this.begun = begun;
  }

  /** Takes a frame, on the channel's event loop. */
  void take(ByteBuffer frame) {
    heardNanos = System.nanoTime();
    if (session != null) {
      session.request(ZooKeeperRequest.read(frame));
      return;
    }
    ConnectRequest greeting = greeting(frame);
    ZooFenceSession made = new ZooFenceSession(routingContext, channel.eventLoop(), this, greeting);
    session = made;
    begun.run();
    channel.closeFuture().addListener(closed -> made.gone());
    tick(made, Math.max(1, greeting.getTimeOut()));
  }

  /** Reads the handshake. Clients of old versions omit the read-only flag. */
  private static ConnectRequest greeting(ByteBuffer frame) {
    int withoutFlag = Integer.BYTES + Long.BYTES + Integer.BYTES + Long.BYTES + Integer.BYTES;
    int password = Math.max(0, frame.getInt(withoutFlag - Integer.BYTES));
    if (frame.remaining() > withoutFlag + password) {
      return Jute.read(frame, new ConnectRequest());
    }
    ByteBuffer longer = ByteBuffer.allocate(frame.remaining() + 1);
    return Jute.read(longer.put(frame).put((byte) 0).flip(), new ConnectRequest());
  }

  private void tick(ZooFenceSession of, int askedMillis) {
    if (!channel.isActive()) {
      return;
    }
    int granted = of.timeoutMillis();
    int timeout = granted > 0 ? granted : Math.max(askedMillis, FIRST_TIMEOUT_MILLIS);
    long silent = TimeUnit.NANOSECONDS.toMillis(System.nanoTime() - heardNanos);
    if (silent > timeout && channel.config().isAutoRead()) {
      channel.close();
      return;
    }
    of.tick();
    long pause = Math.max(10, (granted > 0 ? granted : askedMillis) / TICKS_IN_TIMEOUT);
    channel.eventLoop().schedule(() -> tick(of, askedMillis), pause, TimeUnit.MILLISECONDS);
  }

  @Override
  public void send(ByteBuffer frame) {
    channel.writeAndFlush(Frames.framed(frame), channel.voidPromise());
    if (channel.bytesBeforeWritable() > proxyLimits.waitingBytes()) {
      channel.close();
    }
  }

  @Override
  public void pause(boolean paused) {
    // No frame can arrive during a pause, which must not count as silence of the client.
    heardNanos = System.nanoTime();
    channel.config().setAutoRead(!paused);
  }

  @Override
  public void close() {
    channel.flush();
    channel.close();
  }
}
