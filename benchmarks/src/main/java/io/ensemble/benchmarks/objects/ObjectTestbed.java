package io.ensemble.benchmarks.objects;

import io.ensemble.benchmarks.contest.BenchmarkOptions;
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

  /** A step of the closing; the last opened resource is closed first. */
  private interface ClosingStep {
    void run();
  }

  private final Deque<ClosingStep> closing = new ArrayDeque<>();
  private final ProcessSite site;
  private final ZooKeeperServers memory;
  private final ZooKeeperServers disk;
  private final Path catalog;

  /** Whether clients connect through relays, which cost processor time at every distance. */
  private final boolean isFar;

  private final List<WorkerProcess> workers = new ArrayList<>();

  /** Starts all. */
  ObjectTestbed(BenchmarkOptions benchmarkOptions) {
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
        disk.server(number));
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
  }

  @Override
  public void close() {
    while (!closing.isEmpty()) {
      closing.pop().run();
    }
  }
}
