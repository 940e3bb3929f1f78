package io.ensemble.objects.store;

import static java.util.concurrent.TimeUnit.MILLISECONDS;
import static java.util.concurrent.TimeUnit.SECONDS;
import static org.awaitility.Awaitility.await;

import io.ensemble.testkit.embedded.ClusterMember;
import io.ensemble.testkit.link.Ports;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;
import org.infinispan.Cache;
import org.infinispan.configuration.cache.Configuration;
import org.infinispan.distribution.DistributionManager;
import org.infinispan.manager.DefaultCacheManager;
import org.infinispan.topology.CacheTopology;

/** Nodes of one Infinispan cluster in this JVM, each like a process with an embedded node. */
public final class EmbeddedCluster implements AutoCloseable {

  public static final String CACHE = "objects";

  private final String name = "embedded-" + UUID.randomUUID();
  private final Configuration configuration;
  private final List<ClusterMember> nodes = new ArrayList<>();

  private EmbeddedCluster(Configuration configuration) {
    this.configuration = configuration;
  }

  /** A cluster with a cache as objects require it. */
  public static EmbeddedCluster start(int nodes) {
    return start(nodes, EmbeddedObjectStore.configuration(true).build());
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

  /** Adds a node, and returns its number. */
  public int add() {
    int index = nodes.size();
    ClusterMember node = ClusterMember.start(name, "node", index, Ports.reserve(2), nodes);
    nodes.add(node);
    DefaultCacheManager manager = node.manager();
    manager.defineConfiguration(CACHE, configuration);
    manager.getCache(CACHE);
    return index;
  }

  public int size() {
    return nodes.size();
  }

  public Cache<String, byte[]> cache(int node) {
    return nodes.get(node).manager().getCache(CACHE);
  }

  /** The primary owner of {@code key}, once the cluster is balanced. */
  public int primary(String key) {
    awaitBalance();
    for (int i = 0; i < nodes.size(); i++) {
      if (isRunning(nodes.get(i))) {
        DistributionManager distribution = cache(i).getAdvancedCache().getDistributionManager();
        Object stored = cache(i).getAdvancedCache().getKeyDataConversion().toStorage(key);
        if (distribution.getCacheTopology().getDistribution(stored).isPrimary()) {
          return i;
        }
      }
    }
    throw new IllegalStateException("no node is the primary owner of " + key);
  }

  /** Waits until all running nodes have the same members and no rebalance is pending. */
  public void awaitBalance() {
    List<ClusterMember> running = nodes.stream().filter(EmbeddedCluster::isRunning).toList();
    await("the nodes are balanced")
        .pollInterval(20, MILLISECONDS)
        .atMost(60, SECONDS)
        .until(
            () ->
                running.stream()
                    .allMatch(n -> isBalanced(n.manager().getCache(CACHE), running.size())));
  }

  private static boolean isRunning(ClusterMember node) {
    return node.manager().getStatus().allowInvocations();
  }

  private static boolean isBalanced(Cache<?, ?> cache, long members) {
    CacheTopology topology = cache.getAdvancedCache().getDistributionManager().getCacheTopology();
    return topology.getPendingCH() == null && topology.getMembers().size() == members;
  }

  /** Ends a node like the death of its process: peers receive nothing more from it. */
  public void kill(int node) {
    nodes.get(node).unplug();
    nodes.get(node).stop();
  }

  @Override
  public void close() {
    nodes.forEach(
        node -> {
          node.abandonTransactions();
          node.stop();
        });
  }
}
