package io.ensemble.benchmarks.versions;

import io.ensemble.benchmarks.contest.BenchmarkOptions;
import io.ensemble.benchmarks.etcd.EtcdServers;
import io.ensemble.benchmarks.process.CompilerOptions;
import io.ensemble.benchmarks.process.TemporaryDirectory;
import io.ensemble.testkit.link.WanProfile;
import io.ensemble.testkit.link.WanRelays;
import io.ensemble.testkit.process.ProcessFederation;
import io.ensemble.testkit.process.ProcessOptions;
import io.ensemble.testkit.process.ProcessSite;
import io.ensemble.testkit.process.ServerLibrary;
import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.List;
import java.util.Optional;
import org.infinispan.client.hotrod.RemoteCacheManager;
import org.infinispan.client.hotrod.configuration.ConfigurationBuilder;

/**
 * The servers, each a process, at an adjustable distance: a site, and etcd with as many servers if
 * it is a rival, in memory.
 */
final class VersionTestbed implements AutoCloseable {

  /** A step of the closing; the last opened resource is closed first. */
  private interface CloseAction {
    void run();
  }

  private static final int LONGEST_MILLIS = 60_000;

  private final Deque<CloseAction> closing = new ArrayDeque<>();
  private final ProcessSite site;
  private final RemoteCacheManager manager;
  private Optional<EtcdServers> etcd = Optional.empty();

  private VersionTestbed(BenchmarkOptions benchmarkOptions, boolean withEtcd) {
    try {
      TemporaryDirectory directory = TemporaryDirectory.make("ensemble-versions");
      closing.push(directory::close);
      if (withEtcd) {
        etcd = Optional.of(etcd(benchmarkOptions));
      }
      ProcessFederation federation =
          ProcessFederation.start(
              ProcessOptions.in(directory.path().resolve("nodes"), ServerLibrary.installed())
                  .withSiteNames(List.of("lyon"))
                  .withNodesPerSite(benchmarkOptions.nodes())
                  .withRelays(true)
                  .withJavaOptions(CompilerOptions.ofThisProcess())
                  .withProgress(line -> benchmarkOptions.say("%s", line)));
      closing.push(federation::close);
      site = federation.sites().get(0);
      manager = connected(site);
      closing.push(manager::close);
    } catch (RuntimeException failed) {
      close();
      throw failed;
    }
  }

  /** Starts a site. */
  static VersionTestbed of(BenchmarkOptions benchmarkOptions) {
    return new VersionTestbed(benchmarkOptions, false);
  }

  /** Starts a site, and as many servers of etcd. */
  static VersionTestbed withEtcd(BenchmarkOptions benchmarkOptions) {
    return new VersionTestbed(benchmarkOptions, true);
  }

  private EtcdServers etcd(BenchmarkOptions benchmarkOptions) {
    TemporaryDirectory memory = TemporaryDirectory.inMemory("ensemble-etcd");
    closing.push(memory::close);
    WanRelays area = new WanRelays(WanProfile.NONE, line -> {});
    closing.push(area::close);
    benchmarkOptions.say("starting etcd, in memory in %s", memory.path());
    EtcdServers servers =
        EtcdServers.start(
            benchmarkOptions.versions().etcd(),
            memory.path(),
            benchmarkOptions.nodes(),
            Optional.of(area));
    closing.push(servers::close);
    return servers;
  }

  private static RemoteCacheManager connected(ProcessSite site) {
    ConfigurationBuilder builder = new ConfigurationBuilder();
    for (InetSocketAddress node : site.endpoints()) {
      builder.addServer().host(node.getHostString()).port(node.getPort());
    }
    builder.socketTimeout(LONGEST_MILLIS);
    return new RemoteCacheManager(builder.build());
  }

  /** A versioned cache there, created if it does not exist. */
  MeasuredVersionedCache openCache(String name, VersionedCacheSetup setup) {
    return MeasuredVersionedCache.open(manager, name, setup);
  }

  /** The same, without its former content. */
  MeasuredVersionedCache openEmptyCache(String name, VersionedCacheSetup setup) {
    try (MeasuredVersionedCache former = openCache(name, setup)) {
      former.clear(); // Its settings as well.
    }
    return openCache(name, setup);
  }

  /** The etcd servers, which must exist. */
  EtcdServers etcd() {
    return etcd.orElseThrow();
  }

  /**
   * Sets the distance between all servers and their clients from now on. Servers remain near each
   * other.
   */
  void delay(Duration oneWay) {
    for (int i = 0; i < site.size(); i++) {
      site.link(i).delay(oneWay);
    }
    etcd.ifPresent(servers -> servers.delay(oneWay));
  }

  @Override
  public void close() {
    while (!closing.isEmpty()) {
      closing.pop().run();
    }
  }
}
