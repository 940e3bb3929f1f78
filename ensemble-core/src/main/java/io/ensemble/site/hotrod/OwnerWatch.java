package io.ensemble.site.hotrod;

import java.net.SocketAddress;
import java.util.Collection;
import java.util.Set;
import java.util.concurrent.atomic.AtomicInteger;
import org.infinispan.client.hotrod.FailoverRequestBalancingStrategy;

/**
 * Picks a node in turn when the client has no better choice, and lets a store notice: the client
 * asks here, on the thread that makes the request, just when it does not send it to the node that
 * owns the key, be it that the topology is unknown or that the owner cannot be reached. Reads
 * through other nodes may go back in time.
 */
final class OwnerWatch implements FailoverRequestBalancingStrategy {

  private static final ThreadLocal<int[]> ASKED = ThreadLocal.withInitial(() -> new int[1]);

  private final AtomicInteger turn = new AtomicInteger();
  private volatile SocketAddress[] servers = {};

  /** How often the calling thread was sent elsewhere so far. */
  static int asked() {
    return ASKED.get()[0];
  }

  @Override
  public void setServers(Collection<SocketAddress> known) {
    servers = known.toArray(SocketAddress[]::new);
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
