package io.ensemble.benchmarks.tree;

import io.ensemble.benchmarks.contest.BenchmarkOptions;
import io.ensemble.benchmarks.etcd.EtcdServers;
import io.ensemble.benchmarks.federation.RequestCount;
import io.ensemble.benchmarks.objects.ZooKeeperServers;
import io.ensemble.benchmarks.process.CompilerOptions;
import io.ensemble.benchmarks.process.TemporaryDirectory;
import io.ensemble.objects.AtomicObjectFactory;
import io.ensemble.objects.store.HotRodObjectStore;
import io.ensemble.testkit.link.WanProfile;
import io.ensemble.testkit.link.WanRelays;
import io.ensemble.testkit.process.ProcessFederation;
import io.ensemble.testkit.process.ProcessOptions;
import io.ensemble.testkit.process.ProcessSite;
import io.ensemble.testkit.process.ServerLibrary;
import io.ensemble.tree.NodeAccess;
import io.ensemble.tree.NodePermissions;
import io.ensemble.tree.SharedTree;
import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.Optional;
import org.infinispan.client.hotrod.RemoteCacheManager;
import org.infinispan.client.hotrod.configuration.ConfigurationBuilder;

/** The servers, each a process: a site, and the rivals in memory if they are measured. */
final class TreeTestbed implements AutoCloseable {

  /** A step of the closing; the last opened resource is closed first. */
  private interface EndingStep {
    void run();
  }

  private static final Duration LONGEST_TRANSACTION = Duration.ofMinutes(10);
  private static final int LONGEST_MILLIS = 60_000;
  private static final int CLIENT_CONNECTIONS = 64;
  private static final String CACHE = "trees";

  private final Deque<EndingStep> closing = new ArrayDeque<>();
  private final RequestCount requests = new RequestCount();
  private final List<AtomicObjectFactory> factories = new ArrayList<>();
  private Optional<EtcdServers> etcd = Optional.empty();
  private Optional<ZooKeeperServers> zooKeeper = Optional.empty();

  /**
   * Starts all.
   *
   * @param clients the number of factories; each has connections of its own, as a process would
   */
  TreeTestbed(BenchmarkOptions options, int clients, boolean withRivals) {
    try {
      TemporaryDirectory directory = TemporaryDirectory.make("ensemble-trees");
      closing.push(directory::close);
      if (withRivals) {
        startRivals(options);
      }
      ProcessFederation federation =
          ProcessFederation.start(
              ProcessOptions.in(directory.path().resolve("nodes"), ServerLibrary.installed())
                  .withSiteNames(List.of("lyon"))
                  .withNodesPerSite(options.nodes())
                  .withJavaOptions(CompilerOptions.ofThisProcess())
                  .withProgress(line -> options.say("%s", line)));
      closing.push(federation::close);
      for (int i = 0; i < clients; i++) {
        RemoteCacheManager manager = connected(federation.sites().get(0));
        closing.push(manager::close);
        AtomicObjectFactory factory =
            AtomicObjectFactory.builder(
                    new CountedObjectStore(
                        new HotRodObjectStore(HotRodObjectStore.cache(manager, CACHE)), requests))
                .timeout(Duration.ofSeconds(60))
                .build();
        closing.push(factory::close);
        factories.add(factory);
      }
    } catch (RuntimeException failed) {
      close();
      throw failed;
    }
  }

  private void startRivals(BenchmarkOptions options) {
    TemporaryDirectory memory = TemporaryDirectory.inMemory("ensemble-tree-etcd");
    closing.push(memory::close);
    TemporaryDirectory other = TemporaryDirectory.inMemory("ensemble-tree-zookeeper");
    closing.push(other::close);
    WanRelays area = new WanRelays(WanProfile.NONE, line -> {});
    closing.push(area::close);
    options.say("starting etcd and ZooKeeper, in memory in %s", memory.path());
    EtcdServers servers =
        EtcdServers.start(
            options.versions().etcd(), memory.path(), options.nodes(), Optional.of(area));
    closing.push(servers::close);
    etcd = Optional.of(servers);
    ZooKeeperServers ensemble = ZooKeeperServers.inMemory(other.path(), Optional.of(area));
    closing.push(ensemble::close);
    zooKeeper = Optional.of(ensemble);
  }

  private static RemoteCacheManager connected(ProcessSite site) {
    ConfigurationBuilder builder = new ConfigurationBuilder();
    for (InetSocketAddress node : site.endpoints()) {
      builder.addServer().host(node.getHostString()).port(node.getPort());
    }
    builder.socketTimeout(LONGEST_MILLIS).connectionPool().maxActive(CLIENT_CONNECTIONS);
    return new RemoteCacheManager(builder.build());
  }

  /**
   * Opens a tree in each process, with a root that all users can read, and no limit of attempts.
   */
  List<SharedTree> openForGuests(String name) {
    List<SharedTree> trees = new ArrayList<>();
    for (AtomicObjectFactory factory : factories) {
      trees.add(
          SharedTree.builder(factory, name)
              .rootPermissions(NodePermissions.of(SharedTree.ADMINISTRATOR, NodeAccess.READ))
              .maxAttempts(Integer.MAX_VALUE)
              .timeout(LONGEST_TRANSACTION)
              .open());
    }
    return trees;
  }

  /** The requests of all factories to the store. */
  RequestCount requests() {
    return requests;
  }

  List<AtomicObjectFactory> factories() {
    return factories;
  }

  EtcdServers etcd() {
    return etcd.orElseThrow();
  }

  ZooKeeperServers zooKeeper() {
    return zooKeeper.orElseThrow();
  }

  @Override
  public void close() {
    while (!closing.isEmpty()) {
      closing.pop().run();
    }
  }
}
