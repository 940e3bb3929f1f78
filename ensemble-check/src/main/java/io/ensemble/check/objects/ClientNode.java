package io.ensemble.check.objects;

import io.ensemble.objects.store.EmbeddedObjectStore;
import java.time.Duration;
import java.util.Objects;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.stream.Collectors;
import org.infinispan.AdvancedCache;
import org.infinispan.Cache;
import org.infinispan.configuration.parsing.ParserRegistry;
import org.infinispan.distribution.DistributionManager;
import org.infinispan.manager.DefaultCacheManager;

/** A client process that is also a node of the objects' cluster. */
final class ClientNode {
  private static final Duration LONGEST = Duration.ofSeconds(100);
  private static final long LOOK_MILLIS = 50;

  private ClientNode() {}

  /** Starts the node, and waits until all nodes are there and balanced. */
  static ObjectStoreConnection start(ObjectClientSpec order) throws InterruptedException {
    ObjectClientSpec.Membership cluster = Objects.requireNonNull(order.cluster(), "its cluster");
    DefaultCacheManager manager =
        new DefaultCacheManager(new ParserRegistry().parse(xml(cluster), null), true);
    manager.defineConfiguration(order.cache(), EmbeddedObjectStore.configuration(true).build());
    Cache<String, byte[]> cache = manager.getCache(order.cache());
    awaitBalance(manager, cache.getAdvancedCache(), cluster.members());
    // The node does not leave in an orderly way but dies, because other nodes are about to.
    return new ObjectStoreConnection(new EmbeddedObjectStore(cache), () -> {});
  }

  private static void awaitBalance(
      DefaultCacheManager manager, AdvancedCache<?, ?> cache, int members)
      throws InterruptedException {
    CountDownLatch never = new CountDownLatch(1);
    DistributionManager distribution = cache.getDistributionManager();
    long begin = System.nanoTime();
    while (manager.getMembers().size() != members
        || distribution.getCacheTopology().getMembers().size() != members
        || distribution.isRehashInProgress()) {
      if (System.nanoTime() - begin > LONGEST.toNanos()) {
        throw new IllegalStateException(
            "the cluster did not rebalance in time; expected %d nodes, got %s"
                .formatted(members, manager.getMembers()));
      }
      never.await(LOOK_MILLIS, TimeUnit.MILLISECONDS);
    }
  }

  private static String xml(ObjectClientSpec.Membership cluster) {
    return """
    <infinispan>
      <jgroups>
        <stack name="clients" extends="tcp">
          <TCP bind_addr="127.0.0.1" bind_port="%1$d" port_range="0"/>
          <TCPPING initial_hosts="%2$s" port_range="0"
              stack.combine="REPLACE" stack.position="MPING"/>
          <FD_SOCK2 offset="1" port_range="1"/>
        </stack>
      </jgroups>
      <cache-container name="%3$s" shutdown-hook="DONT_REGISTER" statistics="false">
        <transport stack="clients" cluster="%3$s" node-name="client-%1$d"/>
        <jmx enabled="false"/>
        <metrics gauges="false" histograms="false"/>
      </cache-container>
    </infinispan>
    """
        .formatted(
            cluster.port(),
            cluster.peers().stream()
                .map("127.0.0.1[%d]"::formatted)
                .collect(Collectors.joining(",")),
            cluster.name());
  }
}
