package io.ensemble.testkit.embedded;

import io.ensemble.testkit.link.NodeLink;
import io.ensemble.testkit.link.Ports;
import io.ensemble.testkit.link.Relay;
import java.net.InetSocketAddress;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.atomic.LongAdder;
import java.util.function.IntFunction;
import java.util.stream.Stream;
import org.infinispan.distribution.DistributionManager;
import org.infinispan.manager.DefaultCacheManager;
import org.infinispan.partitionhandling.AvailabilityMode;
import org.infinispan.server.core.admin.embeddedserver.EmbeddedServerAdminOperationHandler;
import org.infinispan.server.hotrod.configuration.HotRodServerConfigurationBuilder;
import org.infinispan.topology.CacheTopology;
import org.jspecify.annotations.Nullable;

/**
 * One node: a cache manager, its JGroups channel and its Hot Rod server. Not thread-safe; its site
 * serializes the calls.
 */
final class EmbeddedNode {
  private static final String LOOPBACK = ClusterMember.LOOPBACK;

  private final String site;
  private final String cluster;
  private final int index;
  private final EmbeddedSecurity security;
  private final int hotRodPort = Ports.reserve(1);
  private final int clusterPort = Ports.reserve(2); // The second port is for FD_SOCK2.
  private final NodeLink link = new NodeLink();
  private final LongAdder responses = new LongAdder();
  private final @Nullable Relay relay;
  private volatile @Nullable ClusterMember
      member; // Nodes that start together read each other's member.
  private @Nullable NodeServer server;

  EmbeddedNode(
      String site,
      String cluster,
      int index,
      EmbeddedSecurity security,
      @Nullable IntFunction<Relay> relays) {
    this.site = site;
    this.cluster = cluster;
    this.index = index;
    this.security = security;
    this.relay = relays == null ? null : relays.apply(hotRodPort);
  }

  InetSocketAddress endpoint() {
    return InetSocketAddress.createUnresolved(
        LOOPBACK, relay == null ? hotRodPort : relay.address().getPort());
  }

  NodeLink link() {
    return link;
  }

  /** The responses that its Hot Rod servers have sent, of former lives too. */
  long responses() {
    return responses.sum();
  }

  @Nullable DefaultCacheManager manager() {
    ClusterMember running = member;
    return running == null ? null : running.manager();
  }

  /** This node as a member of its cluster; empty while the node is down. */
  Stream<ClusterMember> member() {
    return Stream.ofNullable(member);
  }

  /** The names of the caches on this node; empty while it is down. */
  Set<String> caches() {
    DefaultCacheManager running = manager();
    return running == null ? Set.of() : running.getCacheNames();
  }

  /**
   * The reason why the node is not balanced among {@code members} nodes; empty if it is balanced.
   * The node may be down, or one of {@code caches} does not run on it or moves entries between
   * nodes. A node that returns receives the cache definitions after its start.
   */
  Optional<String> imbalance(int members, Set<String> caches) {
    DefaultCacheManager running = manager();
    if (running == null) {
      return Optional.of("node " + index + " is down");
    }
    for (String name : caches) {
      if (!running.isRunning(name)) {
        return Optional.of("cache " + name + " is not running on node " + index);
      }
      DistributionManager distribution =
          running.getCache(name, false).getAdvancedCache().getDistributionManager();
      if (distribution != null) {
        CacheTopology topology = distribution.getCacheTopology();
        if (topology.getPendingCH() != null || topology.getMembers().size() < members) {
          return Optional.of("cache " + name + " on node " + index + " has " + topology);
        }
      }
    }
    return Optional.empty();
  }

  /**
   * Whether a cache of the node is in DEGRADED mode (partition handling) and refuses all
   * operations.
   */
  boolean isDegraded() {
    DefaultCacheManager running = manager();
    return running != null
        && running.getCacheNames().stream()
            .filter(running::isRunning)
            .map(name -> running.getCache(name, false).getAdvancedCache().getAvailability())
            .anyMatch(availability -> availability == AvailabilityMode.DEGRADED_MODE);
  }

  /**
   * Starts the node.
   *
   * @param peers the nodes of the site that run, or have run
   */
  void start(List<ClusterMember> peers) {
    if (member != null) {
      throw new IllegalStateException("node is running already; site=" + site + " node=" + index);
    }
    ClusterMember fresh = ClusterMember.start(cluster, site, index, clusterPort, peers);
    NodeServer hotRod = new NodeServer(link, responses);
    try {
      HotRodServerConfigurationBuilder wanted = new HotRodServerConfigurationBuilder();
      // All servers of a site have the same name, which is part of the name of the topology cache.
      // With different names, clients see no topology.
      wanted.name(site).host(LOOPBACK).port(hotRodPort);
      if (relay != null) { // Otherwise clients that follow the topology would bypass the relay.
        wanted.proxyHost(LOOPBACK).proxyPort(relay.address().getPort());
      }
      wanted.adminOperationsHandler(new EmbeddedServerAdminOperationHandler());
      if (security instanceof PasswordOverTls password) {
        password.applyTo(wanted);
      } else if (security instanceof EmbeddedTls tls) {
        tls.applyTo(wanted);
      }
      link.up();
      hotRod.start(wanted.build(), fresh.manager());
      hotRod.postStart();
    } catch (RuntimeException | Error failed) {
      hotRod.stop();
      fresh.stop();
      throw failed;
    }
    member = fresh;
    server = hotRod;
  }

  /**
   * Disconnects this node as the death of its process would: clients see their connections close,
   * and peers see the socket of its failure detector close and receive no more messages. {@link
   * #stop()} then frees its resources. These are two steps, so that all nodes of a site can become
   * silent before any of them is stopped.
   */
  void unplug() {
    ClusterMember doomed = member;
    if (doomed == null) {
      return;
    }
    link.down();
    doomed.unplug();
  }

  /** Leaves the cluster in an orderly way and hands the data to the peers. */
  void stop() {
    ClusterMember stopping = member;
    NodeServer hotRod = server;
    member = null;
    server = null;
    if (stopping != null && hotRod != null) {
      try {
        link.down();
        hotRod.stop();
      } finally {
        stopping.stop();
      }
    }
  }
}
