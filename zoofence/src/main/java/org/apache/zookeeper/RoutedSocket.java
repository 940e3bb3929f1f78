package org.apache.zookeeper;

import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.SocketAddress;
import java.nio.ByteBuffer;
import java.util.Map;
import java.util.Objects;
import java.util.Queue;
import java.util.UUID;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.function.Function;
import org.apache.zookeeper.client.ZKClientConfig;
import org.jspecify.annotations.Nullable;

/**
 * The socket of ZooKeeper's client, which passes the client's frames to a router in this process.
 * The rest of the client is unchanged: its watches, timeouts, chroot and reconnection. Only the
 * client's sending thread uses this class, except for incoming frames.
 */
public final class RoutedSocket extends ClientCnxnSocket {
  /** Takes a client's frames. */
  public interface Route {
    /** Takes a frame, without its length; the first frame is the handshake. */
    void send(ByteBuffer frame);

    void close();
  }

  /** Delivers frames to a client. */
  public interface Inbox {
    void receive(ByteBuffer frame);

    /** No further frame follows. */
    void closed();
  }

  private static final String ROUTES = "zoofence.routes";
  private static final Map<String, Function<Inbox, Route>> OPENERS = new ConcurrentHashMap<>();
  private static final ByteBuffer WAKE = ByteBuffer.allocate(0);
  private static final ByteBuffer CLOSED = ByteBuffer.allocate(0);

  private final Function<Inbox, Route> opener;
  private final LinkedBlockingQueue<ByteBuffer> events = new LinkedBlockingQueue<>();
  private @Nullable Route route;
  private boolean primed;

  /** Called by ZooKeeper's client, which finds this class by the name in its configuration. */
  public RoutedSocket(ZKClientConfig configuration) throws IOException {
    this.clientConfig = configuration;
    this.opener =
        Objects.requireNonNull(
            OPENERS.get(configuration.getProperty(ROUTES)), "the client has no routes");
    initProperties();
  }

  /**
   * Lets clients with this configuration use routes.
   *
   * @return a task that ends this use
   */
  public static Runnable use(ZKClientConfig configuration, Function<Inbox, Route> opener) {
    String key = UUID.randomUUID().toString();
    OPENERS.put(key, opener);
    configuration.setProperty(ROUTES, key);
    configuration.setProperty(
        ZKClientConfig.ZOOKEEPER_CLIENT_CNXN_SOCKET, RoutedSocket.class.getName());
    return () -> OPENERS.remove(key);
  }

  @Override
  boolean isConnected() {
    return route != null;
  }

  @Override
  void connect(InetSocketAddress address) {
    events.clear();
    initialized = false;
    primed = false;
    var inbox = new Incoming();
    current = inbox;
    route = opener.apply(inbox);
  }

  private volatile @Nullable Incoming current;

  /** Receives frames for one connection; frames of an earlier connection are dropped. */
  private final class Incoming implements Inbox {
    @Override
    public void receive(ByteBuffer frame) {
      if (current == this) {
        events.add(frame);
      }
    }

    @Override
    public void closed() {
      if (current == this) {
        events.add(CLOSED);
      }
    }
  }

  @Override
  SocketAddress getRemoteSocketAddress() {
    return InetSocketAddress.createUnresolved("zoofence", 0);
  }

  @Override
  SocketAddress getLocalSocketAddress() {
    return InetSocketAddress.createUnresolved("zoofence", 0);
  }

  @Override
  void cleanup() {
    current = null;
    Route open = route;
    route = null;
    if (open != null) {
      open.close();
    }
    events.clear();
  }

  @Override
  void packetAdded() {
    events.add(WAKE);
  }

  @Override
  void onClosing() {
    events.add(WAKE);
  }

  @Override
  void saslCompleted() {}

  @Override
  void connectionPrimed() {}

  @Override
  void doTransport(int waitMillis, Queue<ClientCnxn.Packet> pending, ClientCnxn client)
      throws IOException, InterruptedException {
    if (!primed) {
      primed = true;
      sendThread.primeConnection();
    }
    send(pending, client);
    ByteBuffer event = events.poll(Math.max(0, waitMillis), TimeUnit.MILLISECONDS);
    updateNow();
    for (; event != null; event = events.poll()) {
      if (event == CLOSED) {
        throw new IOException("the connection of the session is closed");
      }
      if (event != WAKE) {
        take(event);
      }
    }
    send(pending, client);
  }

  private void take(ByteBuffer frame) throws IOException {
    recvCount.getAndIncrement();
    incomingBuffer = frame;
    if (initialized) {
      sendThread.readResponse(incomingBuffer);
    } else {
      readConnectResult();
      initialized = true;
    }
    updateLastHeard();
  }

  private void send(Queue<ClientCnxn.Packet> pending, ClientCnxn client) throws IOException {
    for (ClientCnxn.Packet packet = outgoingQueue.peek();
        packet != null;
        packet = outgoingQueue.peek()) {
      boolean numbered =
          packet.requestHeader != null
              && packet.requestHeader.getType() != ZooDefs.OpCode.ping
              && packet.requestHeader.getType() != ZooDefs.OpCode.auth;
      if (numbered) {
        packet.requestHeader.setXid(client.getXid());
        synchronized (pending) {
          pending.add(packet);
        }
      }
      outgoingQueue.removeFirstOccurrence(packet);
      sendPacket(packet);
    }
  }

  @Override
  void sendPacket(ClientCnxn.Packet packet) throws IOException {
    Route open = route;
    if (open == null) {
      throw new IOException("not connected");
    }
    packet.createBB();
    ByteBuffer bytes = packet.bb.duplicate();
    bytes.position(bytes.position() + Integer.BYTES);
    open.send(bytes.slice());
    updateLastSend();
    sentCount.getAndIncrement();
  }

  @Override
  void testableCloseSocket() {
    events.add(CLOSED);
  }

  @Override
  void close() {
    cleanup();
  }
}
