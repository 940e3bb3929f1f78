package io.ensemble.zoofence.link;

import io.ensemble.zoofence.wire.ZooKeeperReply;
import io.ensemble.zoofence.wire.ZooKeeperRequest;
import io.netty.channel.EventLoop;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import java.util.function.Supplier;
import org.apache.zookeeper.KeeperException.Code;
import org.apache.zookeeper.ZooDefs.OpCode;
import org.apache.zookeeper.proto.ConnectRequest;
import org.apache.zookeeper.proto.ConnectResponse;
import org.jspecify.annotations.Nullable;

/**
 * A session at one instance, over one connection after another. Without a connection, requests wait
 * up to a deadline. A lost connection fails the requests that were in flight. Confined to its event
 * loop.
 */
public final class InstanceSession {
  /** The owner of this session. */
  public interface Owner {
    /**
     * A connection is established. The owner runs {@code ready} with whether waiting requests may
     * be sent. Until then the owner sends through {@link #prepare}.
     *
     * @param fresh whether the instance has given a new session
     */
    void connected(InstanceSession instanceSession, boolean fresh, Consumer<Boolean> ready);

    /** A watch fired. */
    void event(InstanceSession instanceSession, ZooKeeperReply event);

    /** The handling of a reply has failed, which is a defect of this program. */
    void broken(InstanceSession instanceSession, RuntimeException how);

    /** The instance has expired the session. The session cannot be continued. */
    void expired(InstanceSession instanceSession);
  }

  /** The identity of a session at an instance, with which any process can continue the session. */
  public record Identity(long session, byte[] password) {
    /** Requests a new session. */
    public static final Identity NEW = new Identity(0, new byte[16]);
  }

  private enum State {
    CLOSED,
    CONNECTING,
    PREPARING,
    OPEN
  }

  private static final long MOST_PAUSE_MILLIS = 1000;

  private final InstanceServers servers;
  private final EventLoop loop;
  private final Owner owner;
  private final int timeoutMillis;
  private final int number;
  private final ConnectionBacklog connectionBacklog = new ConnectionBacklog();
  private State state = State.CLOSED;
  private Identity identity;
  private int negotiatedMillis;
  private long lastZxid;
  private int attempts;
  private int failures;
  private boolean ended;
  private boolean closing;
  private boolean away;
  private long awaySinceNanos;
  private @Nullable ZooKeeperConnection connection;

  /**
   * @param number the instance's number; -1 for the administrative ensemble
   * @param identity the session to continue, or {@link Identity#NEW}
   */
  public InstanceSession(
      InstanceServers servers,
      int number,
      EventLoop loop,
      Owner owner,
      int timeoutMillis,
      Identity identity) {
    this.servers = servers;
    this.number = number;
    this.loop = loop;
    this.owner = owner;
    this.timeoutMillis = timeoutMillis;
    this.negotiatedMillis = timeoutMillis;
    this.identity = identity;
    this.attempts = (int) (System.nanoTime() & 0xff);
  }

  public int number() {
    return number;
  }

  public Identity identity() {
    return identity;
  }

  /** The timeout that the instance granted, in milliseconds. */
  public int negotiatedMillis() {
    return negotiatedMillis;
  }

  /**
   * The last transaction that this session has seen at the instance, in the instance's own numbers.
   */
  public long lastZxid() {
    return lastZxid;
  }

  /** Records a transaction that another connection of the client session has seen. */
  public void seen(long zxid) {
    lastZxid = Math.max(lastZxid, zxid);
  }

  public boolean isOpen() {
    return state == State.OPEN;
  }

  /** Whether the owner has begun to prepare the connection, or has prepared it. */
  public boolean isGreeted() {
    return state == State.PREPARING || state == State.OPEN;
  }

  /** Connects, unless a connection exists or is being made. */
  public void open() {
    if (state != State.CLOSED || ended) {
      return;
    }
    state = State.CONNECTING;
    if (!away) {
      away = true;
      awaySinceNanos = System.nanoTime();
    }
    var made = new ZooKeeperConnection(loop, new Heard());
    connection = made;
    var greeting =
        new ConnectRequest(
            0, lastZxid, timeoutMillis, identity.session(), identity.password(), false);
    made.open(servers.address(attempts++), greeting, Math.max(1, timeoutMillis / 3));
  }

  /**
   * Sends a request, or lets the request wait for a connection.
   *
   * @param request supplies the request when it is sent: its content may depend on the latest
   *     replies
   * @param requestTimeoutMillis the time that the request may wait, counted from the loss of the
   *     instance. A request to an instance that has been away for that long does not wait again. An
   *     expired request gets {@code OPERATIONTIMEOUT}, and certainly had no effect
   */
  public void send(
      Supplier<ZooKeeperRequest> request,
      long requestTimeoutMillis,
      Consumer<ZooKeeperReply> callback) {
    if (ended) {
      callback.accept(ZooKeeperReply.failed(Code.SESSIONEXPIRED));
    } else if (state == State.OPEN && connection != null) {
      connection.send(request.get(), reply -> callback.accept(noted(reply)));
    } else {
      await(request, requestTimeoutMillis, callback);
    }
  }

  private void await(
      Supplier<ZooKeeperRequest> request,
      long requestTimeoutMillis,
      Consumer<ZooKeeperReply> callback) {
    open();
    long now = System.nanoTime();
    long left = TimeUnit.MILLISECONDS.toNanos(requestTimeoutMillis) - (now - awaySinceNanos);
    long until = now + Math.max(0, left);
    connectionBacklog.add(request, callback, until);
    loop.schedule(connectionBacklog::expire, until - now + 1, TimeUnit.NANOSECONDS);
  }

  /** Runs a task when there is a connection, or when there was none for too long. */
  public void whenOpen(long requestTimeoutMillis, Runnable callback) {
    if (state == State.OPEN || ended) {
      callback.run();
    } else {
      await(
          () -> {
            callback.run();
            return ZooKeeperRequest.bare(OpCode.ping);
          },
          requestTimeoutMillis,
          given -> callback.run());
    }
  }

  /**
   * Sends a request while the owner prepares the connection, or a request without an order relative
   * to others.
   */
  public void prepare(ZooKeeperRequest request, Consumer<ZooKeeperReply> callback) {
    if (connection == null) {
      callback.accept(ZooKeeperReply.failed(Code.CONNECTIONLOSS));
    } else {
      connection.send(request, reply -> callback.accept(noted(reply)));
    }
  }

  private ZooKeeperReply noted(ZooKeeperReply reply) {
    lastZxid = Math.max(lastZxid, reply.zxid());
    return reply;
  }

  /** Keeps the session alive, and closes the connection to a silent server. */
  public void tick() {
    ZooKeeperConnection open = connection;
    if (open == null) {
      return;
    }
    if (open.silentMillis() > negotiatedMillis * 2L / 3) {
      open.close();
    } else if (state == State.OPEN) {
      open.send(ZooKeeperRequest.bare(OpCode.ping), reply -> {});
    }
  }

  /**
   * Ends this session object.
   *
   * @param session whether to end the session at the instance, too
   * @param callback is run when the instance has answered, or cannot be asked
   */
  public void end(boolean session, Runnable callback) {
    if (ended) {
      callback.run();
      return;
    }
    ended = true;
    ZooKeeperConnection open = connection;
    if (open == null || !session || identity.session() == 0) {
      if (open != null) {
        open.close();
      }
      callback.run();
      return;
    }
    open.send(
        ZooKeeperRequest.bare(OpCode.closeSession),
        reply -> {
          open.close();
          callback.run();
        });
  }

  /**
   * Ends the session at the instance, and this session object.
   *
   * @param requestTimeoutMillis how long to wait for an instance that cannot be reached
   * @param callback receives whether the session has certainly ended; if not, the instance ends it
   *     by its timeout
   */
  public void close(long requestTimeoutMillis, Consumer<Boolean> callback) {
    if (ended || identity.session() == 0) {
      end(false, () -> callback.accept(true));
      return;
    }
    closing = true;
    long until = System.nanoTime() + TimeUnit.MILLISECONDS.toNanos(requestTimeoutMillis);
    closeBy(until, callback);
  }

  private void closeBy(long untilNanos, Consumer<Boolean> callback) {
    long leftMillis = TimeUnit.NANOSECONDS.toMillis(untilNanos - System.nanoTime());
    send(
        () -> ZooKeeperRequest.bare(OpCode.closeSession),
        Math.max(0, leftMillis),
        reply -> {
          if (reply.failedWith(Code.CONNECTIONLOSS) && leftMillis > 0) {
            closeBy(untilNanos, callback); // The next connection shows whether the request arrived.
            return;
          }
          boolean over = reply.succeeded() || reply.failedWith(Code.SESSIONEXPIRED);
          end(false, () -> callback.accept(over));
        });
  }

  private void retry() {
    if (ended) {
      return;
    }
    long pause = Math.min(MOST_PAUSE_MILLIS, 20L << Math.min(6, failures));
    loop.schedule(this::open, pause, TimeUnit.MILLISECONDS);
  }

  private final class Heard implements ZooKeeperConnection.Listener {
    @Override
    public void greeted(ZooKeeperConnection which, ConnectResponse response) {
      if (response.getSessionId() == 0) {
        ended = true;
        which.close();
        if (!closing) {
          owner.expired(InstanceSession.this);
        }
        return;
      }
      boolean fresh = identity.session() == 0;
      identity = new Identity(response.getSessionId(), response.getPasswd());
      negotiatedMillis = response.getTimeOut();
      state = State.PREPARING;
      owner.connected(InstanceSession.this, fresh, ready -> opened(which, ready));
    }

    @Override
    public void event(ZooKeeperReply event) {
      owner.event(InstanceSession.this, event);
    }

    @Override
    public void broken(RuntimeException how) {
      owner.broken(InstanceSession.this, how);
    }

    @Override
    public void lost(ZooKeeperConnection which) {
      if (connection != which) {
        return;
      }
      connection = null;
      state = State.CLOSED;
      failures++;
      if (ended) {
        connectionBacklog.end();
      } else {
        retry();
      }
    }
  }

  private void opened(ZooKeeperConnection which, boolean ready) {
    if (connection != which || ended) {
      return;
    }
    if (!ready) {
      which.close();
      return;
    }
    failures = 0;
    away = false;
    state = State.OPEN;
    while (state == State.OPEN && !connectionBacklog.isEmpty()) {
      ConnectionBacklog.One next = connectionBacklog.remove();
      which.send(next.request().get(), reply -> next.callback().accept(noted(reply)));
    }
  }
}
