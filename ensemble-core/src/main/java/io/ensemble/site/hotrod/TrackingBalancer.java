package io.ensemble.site.hotrod;

import java.net.SocketAddress;
import java.util.Collection;
import java.util.Set;
import java.util.concurrent.atomic.AtomicInteger;
import org.infinispan.client.hotrod.FailoverRequestBalancingStrategy;
import org.infinispan.client.hotrod.RemoteCache;
import org.infinispan.client.hotrod.impl.InternalRemoteCache;

/**
 * Selects a node in turn when the client has no better choice, and lets a store detect two events
 * after which a response may be outdated. The first is a request that does not go to the node that
 * owns the key, because the topology is unknown or the owner cannot be reached. The client then
 * calls this class, on the thread that makes the request. The second is a new topology of the
 * cache. The client reports it to this class before it completes the request that brought it. Each
 * cache has its own balancer; thread-safe.
 */
final class TrackingBalancer implements FailoverRequestBalancingStrategy {

  private static final ThreadLocal<int[]> ASKED = ThreadLocal.withInitial(() -> new int[1]);

  private final AtomicInteger turn = new AtomicInteger();
  private final AtomicInteger topologies = new AtomicInteger();
  private volatile SocketAddress[] servers = {};

  /**
   * The balancer that the client created for {@code cache}. The client's factories do not receive
   * the cache for which they create an object, hence the access to internals. The client's own
   * topology number would serve, but the public access to it builds a map of all segments, 27 kB a
   * call.
   */
  static TrackingBalancer of(RemoteCache<?, ?> cache) {
    InternalRemoteCache<?, ?> inside = (InternalRemoteCache<?, ?>) cache;
    return (TrackingBalancer) inside.getDispatcher().getBalancer(cache.getName());
  }

  /** How many requests of the calling thread were sent to a node other than the owner so far. */
  static int asked() {
    return ASKED.get()[0];
  }

  /** How many times the client changed its topology of the cache so far. */
  int topologies() {
    return topologies.get();
  }

  /** The number of nodes in the client's topology. */
  int nodes() {
    return servers.length;
  }

  @Override
  public void setServers(Collection<SocketAddress> known) {
    servers = known.toArray(SocketAddress[]::new);
    topologies.incrementAndGet();
  }

  @Override
  public SocketAddress nextServer(Set<SocketAddress> failed) {
    ASKED.get()[0]++;
    SocketAddress[] known = servers;
    for (int i = 1; i < known.length; i++) {
      SocketAddress next = inTurn(known);
      if (failed == null || !failed.contains(next)) {
        return next;
      }
    }
    return inTurn(known);
  }

  private SocketAddress inTurn(SocketAddress[] known) {
    return known[Math.floorMod(turn.getAndIncrement(), known.length)];
  }
}
