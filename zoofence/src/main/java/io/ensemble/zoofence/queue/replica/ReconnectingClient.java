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
  private final Executor executor;
  private final Runnable onConnected;
  private final Consumer<WatchedEvent> eventHandler;
  private final boolean keepsSessions;
  private @Nullable ZooKeeper client;
  private @Nullable OneShotHostProvider hostProvider;
  private int generation;
  private boolean closed;

  /**
   * Creates a client for which every connection is a session of its own. A request made between a
   * loss and its report is therefore not sent over the next connection.
   *
   * @param onConnected is run at each connection; the watches of an earlier session no longer exist
   */
  public ReconnectingClient(
      InstanceServers servers,
      List<QueueCommand.Credential> credentials,
      Executor executor,
      Runnable onConnected,
      Consumer<WatchedEvent> eventHandler) {
    this(servers, credentials, executor, onConnected, eventHandler, false);
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
      Executor executor,
      Runnable onConnected,
      Consumer<WatchedEvent> eventHandler,
      boolean keepsSessions) {
    this.keepsSessions = keepsSessions;
    this.servers = servers;
    this.credentials = credentials;
    this.executor = executor;
    this.onConnected = onConnected;
    this.eventHandler = eventHandler;
  }

  /** Begins to connect. Called on the executor's thread, so that no event precedes this call. */
  public ReconnectingClient open() {
    client = connect();
    return this;
  }

  /** Abandons the session and begins another. */
  public void renew() {
    ZooKeeper formerClient = client;
    OneShotHostProvider formerProvider = hostProvider;
    client = connect();
    close(formerClient, formerProvider);
  }

  private ZooKeeper connect() {
    int startedGeneration = ++generation;
    try {
      ZooKeeper newClient =
          createClient(event -> executor.execute(() -> handleEvent(startedGeneration, event)));
      for (QueueCommand.Credential credential : credentials) {
        byte[] proof = new byte[credential.proof().remaining()];
        credential.proof().duplicate().get(proof);
        newClient.addAuthInfo(credential.scheme(), proof);
      }
      return newClient;
    } catch (IOException e) {
      throw new UncheckedIOException("no ZooKeeper client for " + servers, e);
    }
  }

  private ZooKeeper createClient(Watcher watcher) throws IOException {
    if (keepsSessions) {
      return new ZooKeeper(servers.connectString(), TIMEOUT_MILLIS, watcher);
    }
    var provider = new OneShotHostProvider(servers);
    hostProvider = provider;
    return new ZooKeeper(
        servers.connectString(), TIMEOUT_MILLIS, watcher, false, provider, new ZKClientConfig());
  }

  private void handleEvent(int eventGeneration, WatchedEvent event) {
    if (closed || eventGeneration != generation) {
      return;
    }
    if (event.getType() != EventType.None) {
      eventHandler.accept(event);
    } else if (event.getState() == KeeperState.SyncConnected) {
      onConnected.run();
    } else if (event.getState() == KeeperState.Expired) {
      client = connect();
    } else if (event.getState() == KeeperState.Disconnected
        && hostProvider != null
        && hostProvider.wasConnected()) {
      renew();
    }
  }

  public ZooKeeper client() {
    return Objects.requireNonNull(client, "the handle is not open");
  }

  @Override
  public void close() {
    closed = true;
    close(client, hostProvider);
  }

  /**
   * Closes a client of one connection on a separate thread. Closing waits for a response for as
   * long as a server may be silent, and no other work may wait for that.
   */
  private static void close(@Nullable ZooKeeper client, @Nullable OneShotHostProvider provider) {
    if (client == null) {
      return;
    }
    if (provider == null) {
      closeClient(client);
      return;
    }
    provider.end();
    var closing = new Thread(() -> closeClient(client), "zoofence-closing");
    closing.setDaemon(true);
    closing.start();
  }

  private static void closeClient(ZooKeeper client) {
    try {
      client.close(0);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }
}
