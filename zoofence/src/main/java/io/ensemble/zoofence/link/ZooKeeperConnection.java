package io.ensemble.zoofence.link;

import io.ensemble.zoofence.wire.Frames;
import io.ensemble.zoofence.wire.Jute;
import io.ensemble.zoofence.wire.ZooKeeperReply;
import io.ensemble.zoofence.wire.ZooKeeperRequest;
import io.netty.bootstrap.Bootstrap;
import io.netty.channel.Channel;
import io.netty.channel.ChannelFuture;
import io.netty.channel.ChannelInitializer;
import io.netty.channel.ChannelOption;
import io.netty.channel.EventLoop;
import io.netty.channel.socket.SocketChannel;
import io.netty.channel.socket.nio.NioSocketChannel;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.util.ArrayDeque;
import java.util.List;
import java.util.function.Consumer;
import org.apache.zookeeper.KeeperException.Code;
import org.apache.zookeeper.ZooDefs.OpCode;
import org.apache.zookeeper.proto.ConnectRequest;
import org.apache.zookeeper.proto.ConnectResponse;
import org.jspecify.annotations.Nullable;

/**
 * One connection to one server, from the handshake to its loss; a connection is never opened twice.
 * The server answers requests in their order. Requests without an answer at the loss get {@code
 * CONNECTIONLOSS}: whether they took effect is unknown.
 */
final class ZooKeeperConnection {
  /** Receives the events of a connection, on the event loop. */
  interface Listener {
    /** The server accepted the handshake, or answered that the session has expired. */
    void greeted(ZooKeeperConnection connection, ConnectResponse response);

    /** A watch fired, or the server sent another message that is not a reply. */
    void event(ZooKeeperReply event);

    /** The handling of a reply has failed. */
    void broken(RuntimeException how);

    /** The connection is closed; all requests have received their replies. */
    void lost(ZooKeeperConnection connection);
  }

  private static final int MOST_FRAME_BYTES = 64 << 20;

  private record Asked(int xid, Consumer<ZooKeeperReply> then) {}

  private final EventLoop loop;
  private final Listener listener;
  private final ArrayDeque<Asked> asked = new ArrayDeque<>();
  private final ArrayDeque<Asked> askedAside = new ArrayDeque<>();
  private @Nullable Channel channel;
  private int lastXid;
  private boolean greeted;
  private boolean over;
  private long heardNanos = System.nanoTime();

  ZooKeeperConnection(EventLoop loop, Listener listener) {
    this.loop = loop;
    this.listener = listener;
  }

  /** Begins to connect. */
  void open(InetSocketAddress server, ConnectRequest greeting, int timeoutMillis) {
    HostResolver.SHARED.resolve(
        server,
        loop,
        found -> {
          if (found == null) {
            end();
          } else if (!over) {
            connect(found, greeting, timeoutMillis);
          }
        });
  }

  private void connect(InetSocketAddress server, ConnectRequest greeting, int timeoutMillis) {
    ChannelFuture opening =
        new Bootstrap()
            .group(loop)
            .channel(NioSocketChannel.class)
            .option(ChannelOption.TCP_NODELAY, true)
            .option(ChannelOption.CONNECT_TIMEOUT_MILLIS, timeoutMillis)
            .handler(
                new ChannelInitializer<SocketChannel>() {
                  @Override
                  protected void initChannel(SocketChannel made) {
                    Frames.cut(made.pipeline(), MOST_FRAME_BYTES, ZooKeeperConnection.this::take);
                  }
                })
            .connect(server);
    Channel opened = opening.channel();
    channel = opened;
    opening.addListener(
        done -> {
          if (done.isSuccess()) {
            opened.writeAndFlush(Frames.framed(Jute.write(greeting)), opened.voidPromise());
          }
        });
    opened.closeFuture().addListener(closed -> end());
  }

  /** Sends a request; its reply arrives on the event loop. A ping gets no reply. */
  void send(ZooKeeperRequest request, Consumer<ZooKeeperReply> callback) {
    if (over || channel == null) {
      callback.accept(ZooKeeperReply.failed(Code.CONNECTIONLOSS));
      return;
    }
    if (request.type() == OpCode.ping) {
      write(request.numbered(ZooKeeperRequest.PING_XID));
      return;
    }
    boolean aside = request.type() == OpCode.auth || isSetWatches(request.type());
    int xid =
        !aside
            ? nextXid()
            : request.type() == OpCode.auth
                ? ZooKeeperRequest.AUTH_XID
                : ZooKeeperRequest.SET_WATCHES_XID;
    (aside ? askedAside : asked).add(new Asked(xid, callback));
    write(request.numbered(xid));
  }

  private static boolean isSetWatches(int type) {
    return type == OpCode.setWatches || type == OpCode.setWatches2;
  }

  private int nextXid() {
    lastXid = lastXid == Integer.MAX_VALUE ? 1 : lastXid + 1;
    return lastXid;
  }

  private void write(ZooKeeperRequest request) {
    Channel open = channel;
    if (open != null) {
      open.writeAndFlush(Frames.framed(request.bytes()), open.voidPromise());
    }
  }

  /** The time since the last frame arrived, in milliseconds. */
  long silentMillis() {
    return (System.nanoTime() - heardNanos) / 1_000_000;
  }

  int unanswered() {
    return asked.size();
  }

  void close() {
    if (channel == null) {
      end();
    } else {
      channel.close();
    }
  }

  private void take(ByteBuffer frame) {
    heardNanos = System.nanoTime();
    try {
      taken(frame);
    } catch (RuntimeException e) {
      listener.broken(e);
    }
  }

  private void taken(ByteBuffer frame) {
    if (!greeted) {
      greeted = true;
      listener.greeted(this, greeting(frame));
      return;
    }
    ZooKeeperReply reply = ZooKeeperReply.read(frame);
    switch (reply.xid()) {
      case ZooKeeperRequest.PING_XID -> {}
      case ZooKeeperReply.EVENT_XID -> listener.event(reply);
      case ZooKeeperRequest.AUTH_XID, ZooKeeperRequest.SET_WATCHES_XID -> answerAside(reply);
      default -> answer(reply);
    }
  }

  /** Reads the response to the handshake. A server of an old version omits the read-only flag. */
  private static ConnectResponse greeting(ByteBuffer frame) {
    int withoutFlag = 2 * Integer.BYTES + Long.BYTES + Integer.BYTES;
    int password = frame.getInt(withoutFlag - Integer.BYTES);
    boolean flagged = frame.remaining() > withoutFlag + Math.max(0, password);
    if (flagged) {
      return Jute.read(frame, new ConnectResponse());
    }
    ByteBuffer longer = ByteBuffer.allocate(frame.remaining() + 1);
    return Jute.read(longer.put(frame).put((byte) 0).flip(), new ConnectResponse());
  }

  private void answer(ZooKeeperReply reply) {
    Asked first = asked.poll();
    if (first == null || first.xid() != reply.xid()) {
      // The server and this connection disagree on the order of requests: no further reply is
      // valid.
      close();
      if (first != null) {
        first.then().accept(ZooKeeperReply.failed(Code.CONNECTIONLOSS));
      }
      return;
    }
    first.then().accept(reply);
  }

  /** Delivers replies about credentials and watches, which may overtake each other and requests. */
  private void answerAside(ZooKeeperReply reply) {
    for (var all = askedAside.iterator(); all.hasNext(); ) {
      Asked one = all.next();
      if (one.xid() == reply.xid()) {
        all.remove();
        one.then().accept(reply);
        return;
      }
    }
  }

  private void end() {
    if (over) {
      return;
    }
    over = true;
    for (var askers : List.of(asked, askedAside)) {
      for (Asked one = askers.poll(); one != null; one = askers.poll()) {
        one.then().accept(ZooKeeperReply.failed(Code.CONNECTIONLOSS));
      }
    }
    listener.lost(this);
  }
}
