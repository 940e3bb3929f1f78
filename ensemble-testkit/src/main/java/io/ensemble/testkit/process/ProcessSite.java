package io.ensemble.testkit.process;

import io.ensemble.testkit.link.NodeLink;
import io.ensemble.testkit.parallel.Parallel;
import io.ensemble.testkit.process.child.OrphanProcess;
import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.UUID;
import java.util.stream.Collectors;

/**
 * One site: an Infinispan cluster of its own, whose nodes are processes that serve Hot Rod on
 * loopback ports, the same over restarts.
 *
 * <p>A persistent site keeps each entry on the disk of every node. When all its nodes have died,
 * the first to start is a node that is {@linkplain NodeFiles#isComplete marked} as complete until
 * the end. The others start empty and are filled from it. Otherwise Infinispan would take the data
 * of the first node to start as valid, and mix the data of the others into it.
 *
 * <p>Thread-safe: calls that start, stop or kill nodes exclude each other and return when they are
 * done.
 */
public final class ProcessSite {

  private static final Duration LONGEST_GATHERING = Duration.ofSeconds(60);
  private static final int MOST_STARTS = 5;

  private final String name;
  private final ProcessOptions options;
  private final List<ServerNode> nodes;
  private final CompletenessTracker completenessTracker;
  private final String cluster;

  ProcessSite(String name, ProcessOptions options, List<ServerNode> nodes) {
    this.name = name;
    this.options = options;
    this.nodes = List.copyOf(nodes);
    this.completenessTracker = new CompletenessTracker(this.nodes);
    this.cluster = name + "-" + UUID.randomUUID();
  }

  /** The site's name, unique in its federation. */
  public String name() {
    return name;
  }

  /** The Hot Rod address of every node, running or not, in node order. */
  public List<InetSocketAddress> endpoints() {
    return nodes.stream().map(ServerNode::endpoint).toList();
  }

  /** The credentials with which a client enters; empty if any client may. */
  public Optional<ProcessSiteAccess> entrance() {
    return nodes.get(0).entrance();
  }

  /**
   * The link between the clients and node {@code index}.
   *
   * @throws IllegalStateException if there is no relay
   */
  public NodeLink link(int index) {
    return nodes.get(index).link();
  }

  /** The number of its nodes, running or not. */
  public int size() {
    return nodes.size();
  }

  /** The process id of node {@code index}. */
  public long pid(int index) {
    return nodes.get(index).pid();
  }

  /** Whether at least one node runs. */
  public boolean isRunning() {
    return nodes.stream().anyMatch(ServerNode::isAlive);
  }

  /** Whether node {@code index} runs; a node stopped by a signal counts as running. */
  public boolean isRunning(int index) {
    return nodes.get(index).isAlive();
  }

  /**
   * Starts the nodes that are down, and returns when they form one site.
   *
   * @throws IllegalStateException if a node cannot be started, or no node is known to hold every
   *     write that the site had acknowledged; the site may then be {@linkplain #wipe wiped} and
   *     recovered from other sites
   */
  public synchronized void start() {
    List<ServerNode> down = nodes.stream().filter(node -> !node.isAlive()).toList();
    if (down.isEmpty()) {
      return;
    }
    if (down.size() == nodes.size()) {
      ServerNode founder = founder();
      launch(List.of(founder));
      launch(down.stream().filter(node -> node != founder).toList());
    } else {
      launch(down);
    }
    options.progress().accept("site " + name + " up");
  }

  private ServerNode founder() {
    nodes.forEach(node -> OrphanProcess.end(node.files().pid()));
    if (!options.persistent() || nodes.stream().noneMatch(node -> node.files().hasData())) {
      return nodes.get(0);
    }
    return nodes.stream()
        .filter(node -> node.files().isComplete())
        .findFirst()
        .orElseThrow(
            () ->
                new IllegalStateException(
                    "no node of the site is known to have all acknowledged writes; remove %s and"
                            .formatted(options.directory().resolve(name))
                        + " recover the site from the other sites; site="
                        + name));
  }

  /** Starts these nodes together; their data counts only if no other node runs. */
  private void launch(List<ServerNode> fresh) {
    boolean joining = isRunning();
    Set<String> before = names(running());
    fresh.forEach(node -> wipe(node, joining));
    Parallel.forEach(
        fresh,
        node -> {
          long begin = System.nanoTime();
          launch(node, before);
          options
              .progress()
              .accept(
                  "node %s listens on port %d after %.1f s"
                      .formatted(
                          node.name(),
                          node.endpoint().getPort(),
                          (System.nanoTime() - begin) / 1e9));
        });
    awaitOneSite();
    completenessTracker.markNodes(options.persistent());
  }

  private void wipe(ServerNode node, boolean joining) {
    if (!options.persistent()) {
      node.files().wipe();
    } else if (joining) {
      node.files().wipeShared();
    }
  }

  /**
   * Starts a node, and restarts it if it has founded a cluster of its own, as a node does whose
   * peers do not answer in time. The two clusters would merge, but the node would not have the
   * caches that were there before: its replicas would be lost, though its disk has them.
   *
   * @param before the nodes that it is to join
   */
  private void launch(ServerNode node, Set<String> before) {
    List<Integer> ports = nodes.stream().map(ServerNode::clusterPort).toList();
    for (int starts = 1; ; starts++) {
      node.launch(cluster, ports, () -> completenessTracker.ended(node));
      node.awaitStarted();
      if (before.isEmpty() || starts == MOST_STARTS || !isSeparate(node, before)) {
        return;
      }
      options.progress().accept("node %s found no peer, restarting it".formatted(node.name()));
      node.kill();
      wipe(node, true);
    }
  }

  private static boolean isSeparate(ServerNode node, Set<String> before) {
    return node.health()
        .filter(health -> Collections.disjoint(health.members(), before))
        .isPresent();
  }

  /** Waits until every running node reports that it forms a site with all the others. */
  private void awaitOneSite() {
    awaitTogether(running());
  }

  /**
   * Waits until every node of {@code running} reports that it forms a site with exactly the others.
   */
  private static void awaitTogether(List<ServerNode> running) {
    Set<String> wanted = names(running);
    long deadline = System.nanoTime() + LONGEST_GATHERING.toNanos();
    for (ServerNode node : running) {
      while (node.health().filter(health -> health.members().equals(wanted)).isEmpty()) {
        node.pause();
        node.awaitStarted();
        if (System.nanoTime() - deadline > 0) {
          throw new IllegalStateException(
              "nodes did not form one cluster; expected=%s got=%s node=%s %s"
                  .formatted(wanted, node.health(), node.name(), node.evidence()));
        }
      }
    }
  }

  private static Set<String> names(List<ServerNode> nodes) {
    return nodes.stream().map(ServerNode::name).collect(Collectors.toSet());
  }

  private List<ServerNode> running() {
    return nodes.stream().filter(node -> node.isAlive() && !node.isStopped()).toList();
  }

  /**
   * Checks which nodes are complete, and which have a low disk; called repeatedly while the site
   * persists.
   */
  void checkNodes() {
    nodes.forEach(ServerNode::reportDisk);
    completenessTracker.markNodes(options.persistent());
  }

  /**
   * Whether node {@code index} answers no client for now, because less than its reserve is free on
   * its disk.
   */
  public boolean isDiskLow(int index) {
    ServerNode node = nodes.get(index);
    return node.isAlive() && node.files().diskLow().isPresent();
  }

  /**
   * Whether every node runs in one site with all the others and holds its part of the data, on disk
   * too if the site persists. Only then may all nodes die. Queries each node.
   */
  public boolean isBalanced() {
    Set<String> all = names(nodes);
    for (ServerNode node : nodes) {
      if (node.health().filter(h -> h.isHealthy() && h.members().equals(all)).isEmpty()) {
        return false;
      }
    }
    checkNodes();
    return !options.persistent() || nodes.stream().allMatch(node -> node.files().isComplete());
  }

  /**
   * Whether a cache of the site reports DEGRADED mode (partition handling), in which it refuses all
   * operations. This may change while nodes still search for each other, but not after all have
   * found each other.
   */
  public boolean isDegraded() {
    return nodes.stream()
        .anyMatch(node -> node.health().filter(NodeHealth::isDegraded).isPresent());
  }

  /**
   * The names of the nodes that node {@code index} reaches, itself included; none if it is silent.
   */
  Set<String> membersSeenBy(int index) {
    return nodes.get(index).health().map(NodeHealth::members).orElse(Set.of());
  }

  /**
   * Collects diagnostics of the nodes when the site does not reach the expected state: the stacks
   * of their threads in files, and the ends of their logs. Takes 1 s for each node.
   */
  String evidence() {
    return nodes.stream()
        .map(node -> "node=%s %s".formatted(node.name(), node.evidence()))
        .collect(Collectors.joining(System.lineSeparator()));
  }

  /**
   * The stacks of {@link #evidence()} that contain {@code code}, for readers without access to the
   * files.
   */
  String stacksWith(String code) {
    return nodes.stream()
        .flatMap(node -> node.files().stacksWith(code))
        .collect(Collectors.joining(System.lineSeparator()));
  }

  /** Kills all nodes together, as {@code kill -9}. Data held in memory only is lost. */
  public synchronized void kill() {
    completenessTracker.endTogether(() -> Parallel.forEach(nodes, ServerNode::kill));
    options.progress().accept("site " + name + " killed");
  }

  /** As {@link #kill()}, whatever calls on this site are under way. */
  void abandon() {
    nodes.forEach(ServerNode::abandon);
  }

  /**
   * Kills some nodes together, as {@code kill -9}. The peers may be left without any copy of some
   * data; they then refuse operations on that data until an operator discards the store.
   */
  public synchronized void killNodes(int... indices) {
    List<ServerNode> killed = Arrays.stream(indices).mapToObj(nodes::get).toList();
    if (killed.containsAll(running())) {
      kill();
      return;
    }
    killed.forEach(node -> node.files().setComplete(false));
    Parallel.forEach(killed, ServerNode::kill);
    options.progress().accept("site " + name + ": nodes " + Arrays.toString(indices) + " killed");
  }

  /**
   * Lets one node leave in an orderly way; it keeps its disk. Use {@link #stop} to stop all nodes
   * together.
   */
  public synchronized void stopNode(int index) {
    ServerNode node = nodes.get(index);
    if (running().size() > 1) {
      node.files().setComplete(false);
    }
    node.terminate();
    options.progress().accept("node " + node.name() + " stopped");
  }

  /** Starts one node again, on its port; peers that run fill it. */
  public synchronized void startNode(int index) {
    launch(List.of(nodes.get(index)));
  }

  /** Starts one node with the jars of another version, which it keeps for later starts. */
  public synchronized void startNode(int index, ServerLibrary library) {
    ServerNode node = nodes.get(index);
    node.use(library);
    startNode(index);
    options
        .progress()
        .accept("node %s runs the jars in %s".formatted(node.name(), library.directory()));
  }

  /** Stops a node by SIGSTOP: it answers no request, and its connections stay open. */
  public synchronized void pauseNode(int index) {
    ServerNode node = nodes.get(index);
    if (running().size() > 1) {
      node.files().setComplete(false);
    }
    node.stop();
    options.progress().accept("node " + node.name() + " paused");
  }

  /**
   * Resumes a paused node by SIGCONT. Returns immediately; the node may have to find its peers
   * again.
   */
  public synchronized void resumeNode(int index) {
    ServerNode node = nodes.get(index);
    node.resume();
    options.progress().accept("node " + node.name() + " resumed");
  }

  /**
   * Splits the site: nodes of different groups do not reach each other until {@link #unite()}, and
   * each group continues as a cluster of its own. Clients reach all groups. Returns when each node
   * has declared those of other groups lost.
   *
   * @param groups the indices of all nodes that run, each in one group
   * @throws IllegalStateException if a node forms a cluster with nodes other than those of its
   *     group
   */
  public synchronized void split(List<List<Integer>> groups) {
    List<List<ServerNode>> parts =
        groups.stream()
            .map(group -> group.stream().map(nodes::get).filter(running()::contains).toList())
            .toList();
    running().forEach(node -> node.files().setComplete(false));
    try {
      for (List<ServerNode> part : parts) {
        Set<String> others = names(running());
        others.removeAll(names(part));
        part.forEach(node -> node.ignore(others));
      }
      parts.forEach(ProcessSite::awaitTogether);
    } catch (RuntimeException e) {
      endSplit().forEach(e::addSuppressed);
      throw e;
    }
    options.progress().accept("site " + name + " split: " + groups);
  }

  /**
   * Ends {@link #split}: the nodes that run find each other, which takes some seconds.
   *
   * @throws IllegalStateException if they do not within 1 min
   */
  public synchronized void unite() {
    List<RuntimeException> untold = endSplit();
    if (!untold.isEmpty()) {
      throw untold.get(0);
    }
    awaitOneSite();
    options.progress().accept("site " + name + " united");
  }

  /** Ends a split at each node that runs. Returns the failures of nodes that were not reached. */
  private List<RuntimeException> endSplit() {
    List<RuntimeException> failures = new ArrayList<>();
    for (ServerNode node : running()) {
      try {
        node.ignore(Set.of());
      } catch (RuntimeException e) {
        failures.add(e);
      }
    }
    return failures;
  }

  /**
   * Lets all nodes leave in an orderly way. In a persistent site the last node to leave is
   * complete.
   */
  public synchronized void stop() {
    List<ServerNode> alive = nodes.stream().filter(ServerNode::isAlive).toList();
    if (!options.persistent()) {
      Parallel.forEach(alive, ServerNode::terminate);
    } else if (!alive.isEmpty()) {
      ServerNode last =
          alive.stream().filter(node -> node.files().isComplete()).findFirst().orElse(alive.get(0));
      List<ServerNode> first = alive.stream().filter(node -> node != last).toList();
      first.forEach(node -> node.files().setComplete(false));
      Parallel.forEach(first, ServerNode::terminate);
      last.terminate();
    }
    options.progress().accept("site " + name + " stopped");
  }

  /**
   * Removes the disk data of a site that is down.
   *
   * @throws IllegalStateException if it runs
   */
  public synchronized void wipe() {
    if (isRunning()) {
      throw new IllegalStateException("a site must be down before it is wiped; site=" + name);
    }
    nodes.forEach(
        node -> {
          OrphanProcess.end(node.files().pid());
          node.files().wipe();
        });
  }
}
