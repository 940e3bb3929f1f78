package io.ensemble.testkit.embedded;

import io.ensemble.testkit.link.NodeLink;
import io.ensemble.testkit.link.Ports;
import io.ensemble.testkit.link.Relay;
import java.net.InetSocketAddress;
import java.util.List;
import java.util.Optional;
import java.util.Set;
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
  private final int clusterPort = Ports.reserve(2); // the second is FD_SOCK2's
  private final NodeLink link = new NodeLink();
  private final @Nullable Relay relay;
  private volatile @Nullable ClusterMember member; // Nodes that start together look at each other.
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

  @Nullable DefaultCacheManager manager() {
    ClusterMember running = member;
    return running == null ? null : running.manager();
  }

  /** It as a member of its cluster; nothing while it is dead. */
  Stream<ClusterMember> member() {
    return Stream.ofNullable(member);
  }

  /** The caches that it knows; none while it is dead. */
  Set<String> caches() {
    DefaultCacheManager running = manager();
    return running == null ? Set.of() : running.getCacheNames();
  }

  /**
   * Why it is not balanced among {@code members} nodes: it is down, or one of {@code caches} does
   * not run on it or moves entries between nodes; empty if it is. A node that returns learns of
   * caches after its start.
   */
  Optional<String> imbalance(int members, Set<String> caches) {
    DefaultCacheManager running = manager();
    if (running == null) {
      return Optional.of("node " + index + " is down");
    }
    for (String name : caches) {
      if (!running.isRunning(name)) {
        return Optional.of("cache " + name + " does not run on node " + index);
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

  /** Whether a cache of it misses too many of its nodes, and refuses everyone. */
  boolean isDegraded() {
    DefaultCacheManager running = manager();
    return running != null
        && running.getCacheNames().stream()
            .filter(running::isRunning)
            .map(name -> running.getCache(name, false).getAdvancedCache().getAvailability())
            .anyMatch(availability -> availability == AvailabilityMode.DEGRADED_MODE);
  }

  /**
   * Starts it.
   *
   * @param peers those of the site's nodes that run, or have run
   */
  void start(List<ClusterMember> peers) {
    if (member != null) {
      throw new IllegalStateException("node already runs; site=" + site + " node=" + index);
    }
    ClusterMember fresh = ClusterMember.start(cluster, site, index, clusterPort, peers);
    NodeServer hotRod = new NodeServer(link);
    try {
      HotRodServerConfigurationBuilder wanted = new HotRodServerConfigurationBuilder();
      // One name for all servers of a site: it names the topology cache, and with different names
      // clients see no topology at all.
      wanted.name(site).host(LOOPBACK).port(hotRodPort);
      if (relay != null) { // Or clients that follow the topology would go round it.
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
   * Cuts this node off as the death of its process would: clients see their connections close,
   * peers see its failure detector's socket close and hear nothing more. {@link #stop()} then frees
   * what is left. Two steps, so that all nodes of a site can go silent before any of them is taken
   * down.
   */
  void unplug() {
    ClusterMember doomed = member;
    if (doomed == null) {
      return;
    }
    link.down();
    doomed.unplug();
  }

  /** Leaves in good order, handing its data to its peers. */
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
