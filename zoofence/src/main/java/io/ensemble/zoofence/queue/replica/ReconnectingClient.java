package io.ensemble.zoofence.queue.replica;

import io.ensemble.zoofence.link.InstanceServers;
import io.ensemble.zoofence.queue.QueueCommand;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.Executor;
import java.util.function.Consumer;
import org.apache.zookeeper.WatchedEvent;
import org.apache.zookeeper.Watcher;
import org.apache.zookeeper.Watcher.Event.EventType;
import org.apache.zookeeper.Watcher.Event.KeeperState;
import org.apache.zookeeper.ZooKeeper;
import org.apache.zookeeper.client.ZKClientConfig;
import org.jspecify.annotations.Nullable;

/**
 * ZooKeeper's own client of one ensemble, replaced when its session expires. Its events run on the
 * executor's thread.
 */
public final class ReconnectingClient implements AutoCloseable {
  private static final int TIMEOUT_MILLIS = 10_000;

  private final InstanceServers servers;
  private final List<QueueCommand.Credential> credentials;
  private final Executor thread;
  private final Runnable connected;
  private final Consumer<WatchedEvent> events;
  private final boolean keepsSessions;
  private @Nullable ZooKeeper client;
  private @Nullable OneShotHostProvider way;
  private int generation;
  private boolean closed;

  /**
   * Creates a client for which every connection is a session of its own. A request made between a
   * loss and its report is therefore not sent over the next connection.
   *
   * @param connected is run at each connection; the watches of an earlier session no longer exist
   */
  public ReconnectingClient(
      InstanceServers servers,
      List<QueueCommand.Credential> credentials,
      Executor thread,
      Runnable connected,
      Consumer<WatchedEvent> events) {
    this(servers, credentials, thread, connected, events, false);
  }

  /**
   * Creates a client.
   *
   * @param keepsSessions whether a session continues over the next connection, together with the
   *     requests made between the two
   */
  public ReconnectingClient(
      InstanceServers servers,
      List<QueueCommand.Credential> credentials,
      Executor thread,
      Runnable connected,
      Consumer<WatchedEvent> events,
      boolean keepsSessions) {
    this.keepsSessions = keepsSessions;
    this.servers = servers;
    this.credentials = credentials;
    this.thread = thread;
    this.connected = connected;
    this.events = events;
  }

  /** Begins to connect. Called on the executor's thread, so that no event precedes this call. */
  public ReconnectingClient open() {
    client = made();
    return this;
  }

  /** Abandons the session and begins another. */
  public void renew() {
    ZooKeeper former = client;
    OneShotHostProvider its = way;
    client = made();
    close(former, its);
  }

  private ZooKeeper made() {
    int mine = ++generation;
    try {
      ZooKeeper made = made(event -> thread.execute(() -> take(mine, event)));
      for (QueueCommand.Credential credential : credentials) {
        byte[] proof = new byte[credential.proof().remaining()];
        credential.proof().duplicate().get(proof);
        made.addAuthInfo(credential.scheme(), proof);
      }
      return made;
    } catch (IOException e) {
      throw new UncheckedIOException("no ZooKeeper client for " + servers, e);
    }
  }

  private ZooKeeper made(Watcher watcher) throws IOException {
    if (keepsSessions) {
      return new ZooKeeper(servers.connectString(), TIMEOUT_MILLIS, watcher);
    }
    var only = new OneShotHostProvider(servers);
    way = only;
    return new ZooKeeper(
        servers.connectString(), TIMEOUT_MILLIS, watcher, false, only, new ZKClientConfig());
  }

  private void take(int of, WatchedEvent event) {
    if (closed || of != generation) {
      return;
    }
    if (event.getType() != EventType.None) {
      events.accept(event);
    } else if (event.getState() == KeeperState.SyncConnected) {
      connected.run();
    } else if (event.getState() == KeeperState.Expired) {
      client = made();
    } else if (event.getState() == KeeperState.Disconnected && way != null && way.wasConnected()) {
      renew();
    }
  }

  public ZooKeeper client() {
    return Objects.requireNonNull(client, "the handle is not open");
  }

  @Override
  public void close() {
    closed = true;
    close(client, way);
  }

  /**
   * Closes a client of one connection on a separate thread. Closing waits for a response for as
   * long as a server may be silent, and no other work may wait for that.
   */
  private static void close(@Nullable ZooKeeper client, @Nullable OneShotHostProvider way) {
    if (client == null) {
      return;
    }
    if (way == null) {
      end(client);
      return;
    }
    way.end();
    var closing = new Thread(() -> end(client), "zoofence-closing");
    closing.setDaemon(true);
    closing.start();
  }

  private static void end(ZooKeeper client) {
    try {
      client.close(0);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }
}
