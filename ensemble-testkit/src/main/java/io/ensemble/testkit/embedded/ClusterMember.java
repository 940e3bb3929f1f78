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
 * A cache manager that is a member of a cluster in this JVM, and can be cut off from it as by the
 * death of its process. Not thread-safe.
 */
public final class ClusterMember {

  static final String LOOPBACK = "127.0.0.1";

  /** A peer that is not connected to a failure detector yet is missed after 40 s and more. */
  private static final Duration LONGEST_ELECTION = Duration.ofMinutes(3);

  private static final int MOST_STARTS = 5;

  private final DefaultCacheManager manager;
  private final String name;

  private ClusterMember(DefaultCacheManager manager, String name) {
    this.manager = manager;
    this.name = name;
  }

  /**
   * Starts one, without caches.
   *
   * <p>A member that starts while its peers have no coordinator, because that one just died, may
   * form a cluster of its own. The clusters would never merge: {@code LOCAL_PING} does not report
   * members that start later. So this method waits until the peers have a running coordinator, and
   * restarts a member that is alone nevertheless.
   *
   * @param cluster whose members find each other, in this JVM only
   * @param container the name of the cache container
   * @param index of the member in it
   * @param port of which nobody else makes use, nor of the one after it
   * @param peers those that were started before; those of them that run are met
   * @throws IllegalStateException if it does not meet them
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
        "the node founds a cluster of its own at each of %d starts; its peers do not answer; node=%s"
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

  /** Its caches. */
  public DefaultCacheManager manager() {
    return manager;
  }

  /**
   * Cuts it off as the death of its process would: peers see its failure detector's socket close
   * and hear nothing more. {@link #stop()} then frees what is left.
   */
  public void unplug() {
    abandonTransactions();
    JChannel channel = channel();
    if (channel != null) {
      // Deaf first: what the dying channel says of its peers would set this node's Infinispan to
      // recovering alone.
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

  /** By which it reaches its peers; null after its end. */
  @Nullable JChannel channel() {
    return manager.getStatus().allowInvocations()
            && GlobalComponentRegistry.componentOf(manager, Transport.class)
                instanceof JGroupsTransport transport
        ? transport.getChannel()
        : null;
  }

  /**
   * Has its stop wait for no open transactions, as a dead process does not; by default a stopping
   * cache would, for 30 seconds.
   */
  public void abandonTransactions() {
    if (!manager.getStatus().allowInvocations()) {
      return; // One that has stopped does not know its caches any more.
    }
    for (String cache : manager.getCacheNames()) {
      Configuration configuration = manager.getCacheConfiguration(cache);
      if (configuration != null) {
        configuration.transaction().cacheStopTimeout(0);
      }
    }
  }

  /** Leaves in good order, handing its data to its peers, unless it is unplugged. */
  public void stop() {
    manager.stop();
  }

  // The stack is the one that Infinispan ships, with two changes: members find each other through a
  // table in this JVM in place of multicast (so two
  // federations never meet, and no discovery time-out is waited for), and the failure detector
  // listens on the next port in place of 50000 above.
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
