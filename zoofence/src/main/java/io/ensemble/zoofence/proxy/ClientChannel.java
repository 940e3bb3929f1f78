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
  private final Runnable onBegun;
  private final ClientTraffic traffic;
  private @Nullable ZooFenceSession session;
  private long lastFrameNanos = System.nanoTime();

  /**
   * @param onBegun is run when the session begins
   */
  ClientChannel(
      Channel channel,
      RoutingContext routingContext,
      ProxyLimits proxyLimits,
      ProxyStatistics statistics,
      Runnable onBegun) {
    this.channel = channel;
    this.routingContext = routingContext;
    this.proxyLimits = proxyLimits;
    this.onBegun = onBegun;
    this.traffic = new ClientTraffic(statistics, System::nanoTime);
    channel.attr(ClientTraffic.KEY).set(traffic);
    channel.closeFuture().addListener(closed -> traffic.close());
  }

  /** Takes a frame, on the channel's event loop. */
  void handleFrame(ByteBuffer frame) {
    lastFrameNanos = System.nanoTime();
    traffic.recordReceived();
    if (session != null) {
      ZooKeeperRequest request = ZooKeeperRequest.read(frame);
      traffic.recordRequest(request);
      session.request(request);
      return;
    }
    ConnectRequest connectRequest = readConnectRequest(frame);
    ZooFenceSession newSession =
        new ZooFenceSession(routingContext, channel.eventLoop(), this, connectRequest);
    session = newSession;
    onBegun.run();
    channel.closeFuture().addListener(closed -> newSession.handleDisconnect());
    tick(newSession, Math.max(1, connectRequest.getTimeOut()));
  }

  /** Reads the handshake. Clients of old versions omit the read-only flag. */
  private static ConnectRequest readConnectRequest(ByteBuffer frame) {
    int lengthWithoutFlag = Integer.BYTES + Long.BYTES + Integer.BYTES + Long.BYTES + Integer.BYTES;
    int password = Math.max(0, frame.getInt(lengthWithoutFlag - Integer.BYTES));
    if (frame.remaining() > lengthWithoutFlag + password) {
      return Jute.read(frame, new ConnectRequest());
    }
    ByteBuffer extended = ByteBuffer.allocate(frame.remaining() + 1);
    return Jute.read(extended.put(frame).put((byte) 0).flip(), new ConnectRequest());
  }

  private void tick(ZooFenceSession zooFenceSession, int requestedMillis) {
    if (!channel.isActive()) {
      return;
    }
    int grantedMillis = zooFenceSession.timeoutMillis();
    int timeoutMillis =
        grantedMillis > 0 ? grantedMillis : Math.max(requestedMillis, FIRST_TIMEOUT_MILLIS);
    long silentMillis = TimeUnit.NANOSECONDS.toMillis(System.nanoTime() - lastFrameNanos);
    if (silentMillis > timeoutMillis && channel.config().isAutoRead()) {
      channel.close();
      return;
    }
    zooFenceSession.tick();
    long delayMillis =
        Math.max(10, (grantedMillis > 0 ? grantedMillis : requestedMillis) / TICKS_IN_TIMEOUT);
    channel
        .eventLoop()
        .schedule(() -> tick(zooFenceSession, requestedMillis), delayMillis, TimeUnit.MILLISECONDS);
  }

  @Override
  public void send(ByteBuffer frame) {
    traffic.recordSent(frame);
    channel.writeAndFlush(Frames.framed(frame), channel.voidPromise());
    if (channel.bytesBeforeWritable() > proxyLimits.waitingBytes()) {
      channel.close();
    }
  }

  @Override
  public void pause(boolean paused) {
    // No frame can arrive during a pause, which must not count as silence of the client.
    lastFrameNanos = System.nanoTime();
    channel.config().setAutoRead(!paused);
  }

  @Override
  public void close() {
    channel.flush();
    channel.close();
  }
}
