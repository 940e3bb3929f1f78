package io.ensemble.testkit.embedded;

import io.ensemble.cache.BlockingCall;
import java.time.Duration;
import java.util.List;
import org.infinispan.configuration.cache.Configuration;
import org.infinispan.configuration.parsing.ParserRegistry;
import org.infinispan.factories.GlobalComponentRegistry;
import org.infinispan.manager.DefaultCacheManager;
import org.infinispan.remoting.transport.Transport;
import org.infinispan.remoting.transport.jgroups.JGroupsTransport;
import org.jgroups.JChannel;
import org.jgroups.protocols.FD_SOCK2;
import org.jgroups.stack.ProtocolStack;
import org.jgroups.util.Util;
import org.jspecify.annotations.Nullable;

/**
 * A cache manager that is a member of a cluster in this JVM. It can be disconnected from the
 * cluster in the same manner as by the death of its process. Not thread-safe.
 */
public final class ClusterMember {

  static final String LOOPBACK = "127.0.0.1";

  /**
   * The failure of a peer that is not yet connected to a failure detector is detected after more
   * than 40 s.
   */
  private static final Duration LONGEST_ELECTION = Duration.ofMinutes(3);

  private static final int MOST_STARTS = 5;

  private final DefaultCacheManager manager;
  private final String name;

  private ClusterMember(DefaultCacheManager manager, String name) {
    this.manager = manager;
    this.name = name;
  }

  /**
   * Starts a member without caches.
   *
   * <p>A member that starts just after the coordinator of its peers died may form a cluster of its
   * own. The clusters would never merge: {@code LOCAL_PING} does not report members that start
   * later. So this method waits until the peers have a running coordinator, and restarts a member
   * that is alone nevertheless.
   *
   * @param cluster the cluster, whose members find each other in this JVM only
   * @param container the name of the cache container
   * @param index the index of the member in the cluster
   * @param port a free port; the port after it must be free as well
   * @param peers the members that were started before; the new member joins those that run
   * @throws IllegalStateException if the member does not join its peers
   */
  public static ClusterMember start(
      String cluster, String container, int index, int port, List<ClusterMember> peers) {
    String name = container + "-" + index;
    String xml = configuration(cluster, container, name, port);
    for (int tries = 1; tries <= MOST_STARTS; tries++) {
      awaitCoordinator(name, peers);
      ClusterMember fresh =
          new ClusterMember(
              new DefaultCacheManager(new ParserRegistry().parse(xml, null), true), name);
      if (ClusterSplit.reached(fresh) > 1 || ClusterSplit.channels(peers).isEmpty()) {
        return fresh;
      }
      fresh.stop();
    }
    throw new IllegalStateException(
        ("the node formed a cluster of its own at each of %d starts; its peers do not answer; "
                + "node=%s")
            .formatted(MOST_STARTS, name));
  }

  private static void awaitCoordinator(String name, List<ClusterMember> peers) {
    Boolean has =
        BlockingCall.poll(
            () -> ClusterSplit.haveCoordinators(peers) ? Boolean.TRUE : null, LONGEST_ELECTION);
    if (has == null) {
      throw new IllegalStateException("its peers have no coordinator; node=" + name);
    }
  }

  /** The cache manager of this member. */
  public DefaultCacheManager manager() {
    return manager;
  }

  /**
   * Disconnects the member as the death of its process would: peers see the socket of its failure
   * detector close and receive no more messages. {@link #stop()} then frees its resources.
   */
  public void unplug() {
    abandonTransactions();
    JChannel channel = channel();
    if (channel != null) {
      // Incoming messages stop first: the dying channel would otherwise report lost peers, and
      // Infinispan on this node would begin a recovery on its own.
      channel.setUpHandler(null);
      ProtocolStack stack = channel.getProtocolStack();
      stack.removeProtocol(FD_SOCK2.class);
      try {
        Util.shutdown(channel);
      } catch (Exception e) {
        throw new IllegalStateException("cannot close the cluster channel; node=" + name, e);
      }
    }
  }

  /** The channel by which the member reaches its peers; null after its end. */
  @Nullable JChannel channel() {
    return manager.getStatus().allowInvocations()
            && GlobalComponentRegistry.componentOf(manager, Transport.class)
                instanceof JGroupsTransport transport
        ? transport.getChannel()
        : null;
  }

  /**
   * Lets {@link #stop()} wait for no open transactions, as a dead process does not. By default a
   * cache that stops waits for them for 30 s.
   */
  public void abandonTransactions() {
    if (!manager.getStatus().allowInvocations()) {
      return; // A stopped manager has no cache names.
    }
    for (String cache : manager.getCacheNames()) {
      Configuration configuration = manager.getCacheConfiguration(cache);
      if (configuration != null) {
        configuration.transaction().cacheStopTimeout(0);
      }
    }
  }

  /**
   * Leaves the cluster in an orderly way and hands the data to the peers, unless the member is
   * unplugged.
   */
  public void stop() {
    manager.stop();
  }

  // The stack is the one that Infinispan ships, with two changes. Members find each other through a
  // table in this JVM, not by multicast, so two federations never meet and no discovery time-out is
  // needed. The failure detector listens on the next port; the default is 50000 above.
  private static String configuration(String cluster, String container, String name, int port) {
    return """
    <infinispan>
      <jgroups>
        <stack name="embedded" extends="tcp">
          <TCP bind_addr="%1$s" bind_port="%2$d" port_range="0" thread_pool.max_threads="50"/>
          <LOCAL_PING stack.combine="REPLACE" stack.position="MPING"/>
          <FD_SOCK2 offset="1" port_range="1"/>
        </stack>
      </jgroups>
      <cache-container name="%3$s" shutdown-hook="DONT_REGISTER" statistics="false">
        <transport stack="embedded" cluster="%4$s" node-name="%5$s"/>
        <jmx enabled="false"/>
        <metrics gauges="false" histograms="false"/>
      </cache-container>
    </infinispan>
    """
        .formatted(LOOPBACK, port, container, cluster, name);
  }
}
