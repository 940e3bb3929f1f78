package io.ensemble.objects.store;

import io.ensemble.testkit.link.Ports;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.infinispan.Cache;
import org.infinispan.configuration.cache.Configuration;
import org.infinispan.configuration.parsing.ParserRegistry;
import org.infinispan.distribution.DistributionManager;
import org.infinispan.factories.GlobalComponentRegistry;
import org.infinispan.manager.DefaultCacheManager;
import org.infinispan.remoting.transport.Transport;
import org.infinispan.remoting.transport.jgroups.JGroupsTransport;
import org.infinispan.topology.CacheTopology;
import org.jgroups.JChannel;
import org.jgroups.protocols.FD_SOCK2;
import org.jgroups.util.Util;

/** Nodes of one Infinispan cluster in this JVM, each as a process that embeds one would be. */
public final class EmbeddedCluster implements AutoCloseable {

  public static final String CACHE = "objects";

  private static final long LONGEST_BALANCING_NANOS = 60_000_000_000L;

  private final String name = "embedded-" + UUID.randomUUID();
  private final Configuration configuration;
  private final List<DefaultCacheManager> nodes = new ArrayList<>();

  private EmbeddedCluster(Configuration configuration) {
    this.configuration = configuration;
  }

  public static EmbeddedCluster start(int nodes) {
    return start(nodes, EmbeddedStore.configuration(true).build());
  }

  public static EmbeddedCluster start(int nodes, Configuration configuration) {
    EmbeddedCluster cluster = new EmbeddedCluster(configuration);
    try {
      for (int i = 0; i < nodes; i++) {
        cluster.add();
      }
      cluster.awaitBalance();
    } catch (RuntimeException | Error e) {
      cluster.close();
      throw e;
    }
    return cluster;
  }

  /** One node more; its number. */
  public int add() {
    int index = nodes.size();
    DefaultCacheManager manager =
        new DefaultCacheManager(new ParserRegistry().parse(xml(index), null), true);
    nodes.add(manager);
    manager.defineConfiguration(CACHE, configuration);
    manager.getCache(CACHE);
    return index;
  }

  public int size() {
    return nodes.size();
  }

  public Cache<String, byte[]> cache(int node) {
    return nodes.get(node).getCache(CACHE);
  }

  /** Which node orders what happens to {@code key}. */
  public int primary(String key) {
    for (int i = 0; i < nodes.size(); i++) {
      if (nodes.get(i).getStatus().allowInvocations()) {
        DistributionManager distribution = cache(i).getAdvancedCache().getDistributionManager();
        Object stored = cache(i).getAdvancedCache().getKeyDataConversion().toStorage(key);
        if (distribution.getCacheTopology().getDistribution(stored).isPrimary()) {
          return i;
        }
      }
    }
    throw new IllegalStateException("no node is the primary owner of " + key);
  }

  /** Until every node that runs knows all others, and none is still to be given entries. */
  public void awaitBalance() {
    long running = nodes.stream().filter(n -> n.getStatus().allowInvocations()).count();
    long deadline = System.nanoTime() + LONGEST_BALANCING_NANOS;
    while (!nodes.stream()
        .filter(n -> n.getStatus().allowInvocations())
        .allMatch(n -> isBalanced(n.getCache(CACHE), running))) {
      if (System.nanoTime() > deadline) {
        throw new AssertionError("the nodes do not come into balance");
      }
      pass(20);
    }
  }

  private static void pass(int millis) {
    try {
      boolean unused = new CountDownLatch(1).await(millis, TimeUnit.MILLISECONDS);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new IllegalStateException(e);
    }
  }

  private static boolean isBalanced(Cache<?, ?> cache, long members) {
    CacheTopology topology = cache.getAdvancedCache().getDistributionManager().getCacheTopology();
    return topology.getPendingCH() == null && topology.getMembers().size() == members;
  }

  /** Ends a node as the death of its process would: peers hear nothing more of it, at once. */
  public void kill(int node) {
    DefaultCacheManager doomed = nodes.get(node);
    doomed.getCacheConfiguration(CACHE).transaction().cacheStopTimeout(0);
    Transport transport = GlobalComponentRegistry.componentOf(doomed, Transport.class);
    JChannel channel = ((JGroupsTransport) transport).getChannel();
    channel.setUpHandler(null);
    channel.getProtocolStack().removeProtocol(FD_SOCK2.class);
    try {
      Util.shutdown(channel);
    } catch (Exception e) {
      throw new IllegalStateException(e);
    }
    doomed.stop();
  }

  @Override
  public void close() {
    nodes.forEach(
        node -> {
          Configuration known = node.getCacheConfiguration(CACHE);
          if (known != null) {
            known.transaction().cacheStopTimeout(0);
          }
          node.stop();
        });
  }

  private String xml(int index) {
    return """
    <infinispan>
      <jgroups>
        <stack name="embedded" extends="tcp">
          <TCP bind_addr="127.0.0.1" bind_port="%1$d" port_range="0" thread_pool.max_threads="50"/>
          <LOCAL_PING stack.combine="REPLACE" stack.position="MPING"/>
          <FD_SOCK2 offset="1" port_range="1"/>
        </stack>
      </jgroups>
      <cache-container name="%2$s" shutdown-hook="DONT_REGISTER" statistics="false">
        <transport stack="embedded" cluster="%2$s" node-name="node-%3$d"/>
        <jmx enabled="false"/>
        <metrics gauges="false" histograms="false"/>
      </cache-container>
    </infinispan>
    """
        .formatted(Ports.reserve(2), name, index);
  }
}
