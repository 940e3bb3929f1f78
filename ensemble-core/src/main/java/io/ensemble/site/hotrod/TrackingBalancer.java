package io.ensemble.site.hotrod;

import java.net.SocketAddress;
import java.util.Collection;
import java.util.Set;
import java.util.concurrent.atomic.AtomicInteger;
import org.infinispan.client.hotrod.FailoverRequestBalancingStrategy;
import org.infinispan.client.hotrod.RemoteCache;
import org.infinispan.client.hotrod.impl.InternalRemoteCache;

/**
 * Picks a node in turn when the client has no better choice, and lets a store notice two things
 * after which an answer may be old news. The client asks here, on the thread that makes the
 * request, just when it does not send it to the node that owns the key, be it that the topology is
 * unknown or that the owner cannot be reached. And it tells here, before it completes the request
 * whose answer brought it, that the cache has another topology. Each cache has its own;
 * thread-safe.
 */
final class TrackingBalancer implements FailoverRequestBalancingStrategy {

  private static final ThreadLocal<int[]> ASKED = ThreadLocal.withInitial(() -> new int[1]);

  private final AtomicInteger turn = new AtomicInteger();
  private final AtomicInteger topologies = new AtomicInteger();
  private volatile SocketAddress[] servers = {};

  /**
   * The one that the client made for {@code cache}. The client's factories are not told for which
   * cache they make something, hence by its inside. Its own number of a topology would serve, but
   * the public way to that builds a map of all segments, 27 kB a call.
   */
  static TrackingBalancer of(RemoteCache<?, ?> cache) {
    InternalRemoteCache<?, ?> inside = (InternalRemoteCache<?, ?>) cache;
    return (TrackingBalancer) inside.getDispatcher().getBalancer(cache.getName());
  }

  /** How often the calling thread was sent elsewhere so far. */
  static int asked() {
    return ASKED.get()[0];
  }

  /** How often the client changed its mind about the cache's topology so far. */
  int topologies() {
    return topologies.get();
  }

  /** How many nodes the client knows. */
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
