package io.ensemble.zoofence.client;

import io.ensemble.zoofence.deployment.Deployment;
import io.ensemble.zoofence.queue.AdminAccess;
import io.ensemble.zoofence.queue.executor.CommandExecutor;
import io.ensemble.zoofence.session.ZooFenceSession;
import io.ensemble.zoofence.session.routing.RoutingContext;
import io.ensemble.zoofence.wire.Jute;
import io.ensemble.zoofence.wire.ZooKeeperRequest;
import io.netty.channel.EventLoop;
import io.netty.channel.nio.NioEventLoopGroup;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.TimeUnit;
import org.apache.zookeeper.RoutedSocket;
import org.apache.zookeeper.client.HostProvider;
import org.apache.zookeeper.client.StaticHostProvider;
import org.apache.zookeeper.client.ZKClientConfig;
import org.apache.zookeeper.proto.ConnectRequest;
import org.jspecify.annotations.Nullable;

/**
 * State shared by all clients of one deployment in this process. The state exists as long as there
 * is a client.
 */
final class SharedDeployment {
  private static final Duration PATIENCE = Duration.ofSeconds(10);
  private static final Map<Key, Slot> IN_USE = new HashMap<>();

  /** An address for ZooKeeper's client, which requires a valid one but never connects to it. */
  private static final String NOMINAL = "127.0.0.1:1";

  /** Clients with the same key share a deployment. */
  private record Key(String ensembles, ClientOptions options) {}

  /**
   * The place of one deployment in the map. Its lock is held while the deployment is joined, so
   * only clients of that deployment wait.
   */
  private static final class Slot {
    private int useCount;
    private @Nullable SharedDeployment shared;
  }

  private final RoutingContext routingContext;
  private final @Nullable CommandExecutor executor;
  private final NioEventLoopGroup loops;

  private SharedDeployment(Deployment deployment, ClientOptions options) {
    this.routingContext =
        new RoutingContext(
            deployment.instances(),
            deployment.admin(),
            deployment.epoch(),
            PATIENCE,
            options.readPreference(),
            options.access());
    this.loops = new NioEventLoopGroup();
    this.executor =
        options.execute()
            ? new CommandExecutor(
                deployment.instances(),
                deployment.admin(),
                routingContext::flattening,
                options.access())
            : null;
  }

  /** Adds a client, and joins the deployment for the first client. */
  static Use acquire(ZooFence.Address address, ClientOptions options) {
    var key = new Key(address.ensembles(), options);
    Slot slot;
    synchronized (IN_USE) {
      slot = IN_USE.computeIfAbsent(key, added -> new Slot());
      slot.useCount++;
    }
    boolean isAcquired = false;
    try {
      var use = new Use(joinOnce(slot, address, options), key, address.chroot());
      isAcquired = true;
      return use;
    } finally {
      if (!isAcquired) {
        release(key);
      }
    }
  }

  private static SharedDeployment joinOnce(
      Slot slot, ZooFence.Address address, ClientOptions options) {
    synchronized (slot) {
      SharedDeployment shared = slot.shared;
      if (shared == null) {
        shared = new SharedDeployment(joinDeployment(address, options.access()), options);
        slot.shared = shared;
      }
      return shared;
    }
  }

  private static Deployment joinDeployment(ZooFence.Address address, AdminAccess access) {
    try {
      return Deployment.join(
          address.instances(), address.instances().get(0), null, PATIENCE, access);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new IllegalStateException("interrupted while joining " + address.ensembles(), e);
    }
  }

  private static void release(Key key) {
    Slot slot;
    synchronized (IN_USE) {
      slot = Objects.requireNonNull(IN_USE.get(key), "a deployment in use");
      if (--slot.useCount > 0) {
        return;
      }
      IN_USE.remove(key);
    }
    synchronized (slot) {
      if (slot.shared != null) {
        slot.shared.close();
      }
    }
  }

  private void close() {
    if (executor != null) {
      executor.close();
    }
    loops.shutdownGracefully(0, 1, TimeUnit.SECONDS);
  }

  private RoutedSocket.Route open(RoutedSocket.Inbox inbox) {
    return new Line(loops.next(), inbox);
  }

  /** One connection of a client, without a socket. */
  private final class Line implements RoutedSocket.Route {
    private final EventLoop loop;
    private final RoutedSocket.Inbox inbox;
    private @Nullable ZooFenceSession session;
    private boolean closed;
    private long lastFrameNanos = System.nanoTime();

    Line(EventLoop loop, RoutedSocket.Inbox inbox) {
      this.loop = loop;
      this.inbox = inbox;
    }

    @Override
    public void send(ByteBuffer frame) {
      loop.execute(() -> handleFrame(frame));
    }

    private void handleFrame(ByteBuffer frame) {
      lastFrameNanos = System.nanoTime();
      if (closed) {
        return;
      }
      if (session != null) {
        session.request(ZooKeeperRequest.read(frame));
        return;
      }
      ConnectRequest connectRequest = Jute.read(frame, new ConnectRequest());
      session = new ZooFenceSession(routingContext, loop, new Back(), connectRequest);
      tick(connectRequest.getTimeOut());
    }

    private void tick(int requestedMillis) {
      ZooFenceSession current = session;
      if (closed || current == null) {
        return;
      }
      int grantedMillis = current.timeoutMillis();
      int timeoutMillis = grantedMillis > 0 ? grantedMillis : requestedMillis;
      if (System.nanoTime() - lastFrameNanos > TimeUnit.MILLISECONDS.toNanos(timeoutMillis)) {
        close();
        return;
      }
      current.tick();
      loop.schedule(
          () -> tick(requestedMillis), Math.max(10, timeoutMillis / 3), TimeUnit.MILLISECONDS);
    }

    @Override
    public void close() {
      loop.execute(
          () -> {
            if (!closed) {
              closed = true;
              if (session != null) {
                session.handleDisconnect();
              }
              inbox.closed();
            }
          });
    }

    /** The direction from the session to the client. */
    private final class Back implements ZooFenceSession.Client {
      @Override
      public void send(ByteBuffer frame) {
        inbox.receive(frame);
      }

      @Override
      public void pause(boolean paused) {
        // ZooKeeper's client does not bound the outstanding requests of its callers; neither does
        // this class.
      }

      @Override
      public void close() {
        Line.this.close();
      }
    }
  }

  /** One client's use of the shared state. */
  static final class Use {
    private final Key key;
    private final String chroot;
    private final ZKClientConfig configuration = new ZKClientConfig();
    private final Runnable unregister;
    private boolean ended;

    Use(SharedDeployment shared, Key key, String chroot) {
      this.key = key;
      this.chroot = chroot;
      this.unregister = RoutedSocket.use(configuration, shared::open);
    }

    String nominalAddress() {
      return NOMINAL + chroot;
    }

    HostProvider hosts() {
      return new StaticHostProvider(List.of(new InetSocketAddress("127.0.0.1", 1)));
    }

    ZKClientConfig configuration() {
      return configuration;
    }

    synchronized void end() {
      if (!ended) {
        ended = true;
        unregister.run();
        release(key);
      }
    }
  }
}
