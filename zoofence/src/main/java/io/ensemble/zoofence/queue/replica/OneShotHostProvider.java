package io.ensemble.zoofence.queue.replica;

import io.ensemble.zoofence.link.InstanceServers;
import java.net.InetSocketAddress;
import java.util.Collection;
import java.util.concurrent.CountDownLatch;
import org.apache.zookeeper.client.ConnectStringParser;
import org.apache.zookeeper.client.HostProvider;
import org.apache.zookeeper.client.StaticHostProvider;

/**
 * A host provider that lets a client connect only once. ZooKeeper's client keeps requests made
 * between two connections and sends them over the next one. Such a request would overtake the
 * requests lost with the former connection, before their loss is reported. Thread-safe.
 */
final class OneShotHostProvider implements HostProvider {
  private final StaticHostProvider servers;
  private final CountDownLatch endLatch = new CountDownLatch(1);
  private volatile boolean isConnected;

  OneShotHostProvider(InstanceServers servers) {
    this.servers =
        new StaticHostProvider(
            new ConnectStringParser(servers.connectString()).getServerAddresses());
  }

  /** Whether the connection was made; it may be lost by now. */
  boolean wasConnected() {
    return isConnected;
  }

  /** Releases the client's thread, because the client is about to be closed. */
  void end() {
    endLatch.countDown();
  }

  @Override
  public int size() {
    return servers.size();
  }

  /**
   * Blocks the client's thread after the connection is lost, when that thread has no other work.
   */
  @Override
  public InetSocketAddress next(long spinDelay) {
    if (!isConnected) {
      return servers.next(spinDelay);
    }
    try {
      endLatch.await();
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
    throw new IllegalStateException("the client has used its only connection");
  }

  @Override
  public void onConnected() {
    isConnected = true;
    servers.onConnected();
  }

  @Override
  public boolean updateServerList(Collection<InetSocketAddress> now, InetSocketAddress current) {
    return false;
  }
}
