package io.ensemble.testkit.embedded;

import io.ensemble.testkit.link.NodeLink;
import io.ensemble.testkit.link.Relay;
import io.ensemble.testkit.parallel.Parallel;
import java.net.InetSocketAddress;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.UUID;
import java.util.function.Consumer;
import java.util.function.IntFunction;
import org.infinispan.Cache;
import org.infinispan.manager.DefaultCacheManager;
import org.jspecify.annotations.Nullable;

/**
 * One embedded site: an Infinispan cluster of its own. Each node serves Hot Rod on a loopback port
 * that stays the same over restarts.
 *
 * <p>Thread-safe: calls that start or stop nodes exclude each other and return when they are done.
 * {@link #kill()} is as abrupt as one JVM allows.
 */
public final class EmbeddedSite {
  private final String name;
  private final List<EmbeddedNode> nodes;
  private final Consumer<String> progress;

  /**
   * @param relays returns the relay in front of the node that serves a port; null for no relay
   */
  EmbeddedSite(
      String name,
      int nodeCount,
      EmbeddedSecurity security,
      @Nullable IntFunction<Relay> relays,
      Consumer<String> progress) {
    this.name = name;
    this.progress = progress;
    // Discovery is a table in this JVM, keyed by the name of the cluster. The name is unique, so
    // that two federations never merge.
    String cluster = name + "-" + UUID.randomUUID();
    List<EmbeddedNode> built = new ArrayList<>(nodeCount);
    for (int i = 0; i < nodeCount; i++) {
      built.add(new EmbeddedNode(name, cluster, i, security, relays));
    }
    nodes = List.copyOf(built);
  }

  /** The site's name, unique in its federation. */
  public String name() {
    return name;
  }

  /** The Hot Rod address of every node, running or not, in node order. */
  public List<InetSocketAddress> endpoints() {
    return nodes.stream().map(EmbeddedNode::endpoint).toList();
  }

  /** The link between the clients and node {@code index}. */
  public NodeLink link(int index) {
    return nodes.get(index).link();
  }

  /**
   * The number of Hot Rod requests that node {@code index} has answered since the site was made,
   * and of events that it has sent. With TLS, the number of records.
   */
  public long responses(int index) {
    return nodes.get(index).responses();
  }

  /** Whether at least one node runs. */
  public synchronized boolean isRunning() {
    return nodes.stream().anyMatch(node -> node.manager() != null);
  }

  /**
   * Kills all nodes together. The site loses all that it held in memory, including the definitions
   * of its caches.
   */
  public synchronized void kill() {
    stop();
    progress.accept("site " + name + " killed");
  }

  /**
   * Starts the nodes that are down; after {@link #kill()} they come back empty, on the same ports.
   */
  public synchronized void restart() {
    start();
  }

  synchronized void start() {
    List<EmbeddedNode> down = nodes.stream().filter(node -> node.manager() == null).toList();
    if (down.isEmpty()) {
      return;
    }
    // The first node starts alone: two nodes that start together could each found a cluster, and
    // would merge only later.
    startNode(down.get(0));
    Parallel.forEach(down.subList(1, down.size()), this::startNode);
    progress.accept("site " + name + " up");
  }

  private void startNode(EmbeddedNode node) {
    node.start(nodes.stream().flatMap(EmbeddedNode::member).toList());
    progress.accept("site " + name + ": Hot Rod on " + node.endpoint().getPort());
  }

  /** Kills one node. Its peers detect that and take over the data of which they hold copies. */
  public synchronized void killNode(int index) {
    EmbeddedNode node = nodes.get(index);
    node.unplug();
    node.stop();
    progress.accept("site " + name + ": node " + index + " killed");
  }

  /** Stops one node in an orderly way: the node hands its data to its peers before it leaves. */
  public synchronized void stopNode(int index) {
    nodes.get(index).stop();
    progress.accept("site " + name + ": node " + index + " stopped");
  }

  /**
   * Kills several nodes together. The peers may be left without any copy of some data; they then
   * refuse operations on that data until an operator discards the store.
   */
  public synchronized void killNodes(int... indices) {
    List<EmbeddedNode> killed = Arrays.stream(indices).mapToObj(nodes::get).toList();
    killed.forEach(EmbeddedNode::unplug);
    Parallel.forEach(killed, EmbeddedNode::stop);
    progress.accept("site " + name + ": nodes " + Arrays.toString(indices) + " killed");
  }

  /**
   * Starts one node again, on its port. The node receives definitions and data from the peers that
   * run, if any.
   */
  public synchronized void restartNode(int index) {
    startNode(nodes.get(index));
  }

  /**
   * Splits the site: nodes of different groups do not reach each other until {@link #unite()}, and
   * each group continues as a cluster of its own. Clients reach all groups. A node that is started
   * meanwhile may join any group.
   *
   * @param groups the indices of all nodes that run, each in one group
   */
  public synchronized void split(List<List<Integer>> groups) {
    ClusterSplit.begin(
        groups.stream()
            .map(group -> group.stream().flatMap(index -> nodes.get(index).member()).toList())
            .filter(group -> !group.isEmpty())
            .toList());
    progress.accept("site " + name + " split: " + groups);
  }

  /**
   * Ends {@link #split}: the nodes that run find each other.
   *
   * @throws IllegalStateException if they do not within 1 min
   */
  public synchronized void unite() {
    ClusterSplit.end(nodes.stream().flatMap(EmbeddedNode::member).toList());
    progress.accept("site " + name + " united");
  }

  /** The number of nodes that node {@code index} reaches, itself included; 0 if it does not run. */
  public synchronized int reachedFrom(int index) {
    return nodes.get(index).member().mapToInt(ClusterSplit::reached).sum();
  }

  /** Lets every node accept connections but send no response, until {@link #resume()}. */
  public void hang() {
    nodes.forEach(node -> node.link().hang());
  }

  /**
   * Lets every node close its connections, and each later connection at its first request, until
   * {@link #resume()}.
   */
  public void cut() {
    nodes.forEach(node -> node.link().cut());
  }

  /** Ends the faults on the link of every node. Messages that were held are delivered now. */
  public void resume() {
    nodes.forEach(node -> node.link().heal());
  }

  /**
   * Whether every node runs and holds its part of each cache, so that no node still waits for
   * entries from its peers. Until then the loss of another node may be the loss of the last copy.
   */
  public synchronized boolean isBalanced() {
    return imbalance().isEmpty();
  }

  /** The reason why the site is not {@linkplain #isBalanced() balanced}; empty if it is. */
  public synchronized Optional<String> imbalance() {
    Set<String> caches = new HashSet<>();
    nodes.forEach(node -> caches.addAll(node.caches()));
    return nodes.stream()
        .flatMap(node -> node.imbalance(nodes.size(), caches).stream())
        .findFirst();
  }

  /**
   * Whether a cache of the site is in DEGRADED mode (partition handling) and refuses all
   * operations.
   */
  public synchronized boolean isDegraded() {
    return nodes.stream().anyMatch(EmbeddedNode::isDegraded);
  }

  /** Whether a running node has the cache {@code cacheName}. */
  public synchronized boolean holds(String cacheName) {
    return nodes.stream()
        .map(EmbeddedNode::manager)
        .anyMatch(manager -> manager != null && manager.cacheExists(cacheName));
  }

  /**
   * The number of entries of {@code cacheName} in the site, counted over its running nodes.
   *
   * @throws IllegalStateException if no running node has that cache
   */
  public synchronized int size(String cacheName) {
    return caches(cacheName).stream().mapToInt(Cache::size).sum();
  }

  /**
   * The keys and values of {@code cacheName} as the site stores them, in no order.
   *
   * @throws IllegalStateException if no running node has that cache
   */
  public synchronized List<byte[]> stored(String cacheName) {
    List<byte[]> all = new ArrayList<>();
    for (Cache<?, ?> cache : caches(cacheName)) {
      cache
          .getAdvancedCache()
          .withStorageMediaType()
          .forEach(
              (key, value) -> {
                all.add((byte[]) key);
                all.add((byte[]) value);
              });
    }
    return all;
  }

  /**
   * The cache at one node if the cache is shared by all nodes; otherwise the cache at each node,
   * because each node has its own.
   */
  private List<Cache<?, ?>> caches(String cacheName) {
    List<Cache<?, ?>> running = new ArrayList<>();
    for (EmbeddedNode node : nodes) {
      DefaultCacheManager manager = node.manager();
      if (manager != null && manager.isRunning(cacheName)) {
        running.add(manager.getCache(cacheName, false));
      }
    }
    if (running.isEmpty()) {
      throw new IllegalStateException(
          "no running node has the cache; site=" + name + " cache=" + cacheName);
    }
    boolean isOfAllNodes =
        running.get(0).getCacheConfiguration().clustering().cacheMode().isClustered();
    return isOfAllNodes ? running.subList(0, 1) : running;
  }

  synchronized void stop() {
    nodes.forEach(EmbeddedNode::unplug);
    Parallel.forEach(nodes, EmbeddedNode::stop);
  }
}
