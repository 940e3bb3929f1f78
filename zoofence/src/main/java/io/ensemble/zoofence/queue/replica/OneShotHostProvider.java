package io.ensemble.zoofence.queue.replica;

import io.ensemble.zoofence.link.InstanceServers;
import java.net.InetSocketAddress;
import java.util.Collection;
import java.util.concurrent.CountDownLatch;
import org.apache.zookeeper.client.ConnectStringParser;
import org.apache.zookeeper.client.HostProvider;
import org.apache.zookeeper.client.StaticHostProvider;

/**
 * Where a client connects that has one connection and never another. ZooKeeper's client keeps what
 * it is asked between two connections, and sends it over the next: past what was lost with the one
 * before, and before anybody has heard of that. Thread-safe.
 */
final class OneShotHostProvider implements HostProvider {
  private final StaticHostProvider servers;
  private final CountDownLatch ended = new CountDownLatch(1);
  private volatile boolean connected;

  OneShotHostProvider(InstanceServers servers) {
    this.servers =
        new StaticHostProvider(
            new ConnectStringParser(servers.connectString()).getServerAddresses());
  }

  /** Whether there was the connection; it may be lost. */
  boolean wasConnected() {
    return connected;
  }

  /** Lets the client's thread go, for the client is about to be closed. */
  void end() {
    ended.countDown();
  }

  @Override
  public int size() {
    return servers.size();
  }

  /** On the client's thread, which has nothing else to do once the connection is lost. */
  @Override
  public InetSocketAddress next(long spinDelay) {
    if (!connected) {
      return servers.next(spinDelay);
    }
    try {
      ended.await();
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
    throw new IllegalStateException("the client has had its connection");
  }

  @Override
  public void onConnected() {
    connected = true;
    servers.onConnected();
  }

  @Override
  public boolean updateServerList(Collection<InetSocketAddress> now, InetSocketAddress current) {
    return false;
  }
}
