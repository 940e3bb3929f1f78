package io.ensemble.benchmarks.objects;

import io.ensemble.benchmarks.contest.BenchmarkOptions;
import io.ensemble.benchmarks.etcd.EtcdServers;
import io.ensemble.benchmarks.objects.worker.WorkerEndpoints;
import io.ensemble.benchmarks.objects.worker.WorkerProcess;
import io.ensemble.benchmarks.process.TemporaryDirectory;
import io.ensemble.testkit.link.WanProfile;
import io.ensemble.testkit.link.WanRelays;
import io.ensemble.testkit.process.ProcessFederation;
import io.ensemble.testkit.process.ProcessOptions;
import io.ensemble.testkit.process.ProcessSite;
import io.ensemble.testkit.process.ServerLibrary;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.Optional;

/** The servers, at an adjustable distance, and the processes with clients. */
final class ObjectTestbed implements AutoCloseable {

  private static final int ETCD_SERVERS = 3;

  /** A step of the closing; the last opened resource is closed first. */
  private interface ClosingStep {
    void run();
  }

  private final Deque<ClosingStep> closing = new ArrayDeque<>();
  private final ProcessSite site;
  private final ZooKeeperServers memory;
  private final ZooKeeperServers disk;
  private Optional<EtcdServers> etcd = Optional.empty();
  private final Path catalog;

  /** Whether clients connect through relays, which cost processor time at every distance. */
  private final boolean isFar;

  private final List<WorkerProcess> workers = new ArrayList<>();

  /**
   * Starts all.
   *
   * @param hasEtcd whether servers of etcd are among them
   */
  ObjectTestbed(BenchmarkOptions benchmarkOptions, boolean hasEtcd) {
    isFar = benchmarkOptions.objectPlan().oneWayMillis().stream().anyMatch(millis -> millis > 0);
    try {
      Path directory = closeLater(TemporaryDirectory.make("ensemble-objects"));
      Path shared = closeLater(TemporaryDirectory.inMemory("ensemble-objects"));
      catalog = shared.resolve("catalog");
      Optional<WanRelays> area =
          isFar ? Optional.of(new WanRelays(WanProfile.NONE, line -> {})) : Optional.empty();
      area.ifPresent(relays -> closing.push(relays::close));
      benchmarkOptions.say(
          "starting ZooKeeper, in memory in %s and on disk in %s", shared, directory);
      memory = ZooKeeperServers.inMemory(shared.resolve("memory"), area);
      closing.push(memory::close);
      disk = ZooKeeperServers.onDisk(directory.resolve("disk"), area);
      closing.push(disk::close);
      if (hasEtcd) {
        Path memoryOfEtcd = closeLater(TemporaryDirectory.inMemory("ensemble-objects-etcd"));
        benchmarkOptions.say("starting etcd, in memory in %s", memoryOfEtcd);
        EtcdServers servers =
            EtcdServers.start(benchmarkOptions.versions().etcd(), memoryOfEtcd, ETCD_SERVERS, area);
        closing.push(servers::close);
        etcd = Optional.of(servers);
      }
      ProcessFederation federation =
          ProcessFederation.start(
              ProcessOptions.in(directory.resolve("nodes"), ServerLibrary.installed())
                  .withSiteNames(List.of("lyon"))
                  .withNodesPerSite(benchmarkOptions.nodes())
                  .withRelays(isFar)
                  .withProgress(line -> benchmarkOptions.say("%s", line)));
      closing.push(federation::close);
      site = federation.sites().get(0);
      for (int i = 0; i < benchmarkOptions.objectPlan().processes(); i++) {
        WorkerProcess worker = WorkerProcess.start(endpointsOf(i));
        closing.push(worker::close);
        workers.add(worker);
      }
    } catch (RuntimeException failed) {
      close();
      throw failed;
    }
  }

  private Path closeLater(TemporaryDirectory directory) {
    closing.push(directory::close);
    return directory.path();
  }

  private WorkerEndpoints endpointsOf(int number) {
    return new WorkerEndpoints(
        site.endpoints().stream().map(at -> at.getHostString() + ":" + at.getPort()).toList(),
        catalog.toString(),
        memory.server(number),
        disk.server(number),
        etcd.map(servers -> servers.server(number)).orElse(null));
  }

  List<WorkerProcess> workers() {
    return workers;
  }

  /**
   * Sets the distance between all servers and all clients from now on. Servers remain near each
   * other.
   */
  void delay(Duration oneWay) {
    if (!isFar) {
      return;
    }
    for (int i = 0; i < site.size(); i++) {
      site.link(i).delay(oneWay);
    }
    memory.delay(oneWay);
    disk.delay(oneWay);
    etcd.ifPresent(servers -> servers.delay(oneWay));
  }

  @Override
  public void close() {
    while (!closing.isEmpty()) {
      closing.pop().run();
    }
  }
}
