package io.ensemble.benchmarks.objects;

import io.ensemble.benchmarks.measure.Effort;
import io.ensemble.benchmarks.process.TemporaryDirectory;
import io.ensemble.testkit.link.Wan;
import io.ensemble.testkit.link.WideArea;
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

/** The servers, as far away as is wanted, and the processes with clients. */
final class Grounds implements AutoCloseable {

  /** What to close, last opened first. */
  private interface Step {
    void run();
  }

  private final Deque<Step> closing = new ArrayDeque<>();
  private final ProcessSite site;
  private final ZooKeeperServers memory;
  private final ZooKeeperServers disk;
  private final List<Worker> workers = new ArrayList<>();

  /** Starts all. */
  Grounds(Effort effort) {
    try {
      Path directory = kept(TemporaryDirectory.make("ensemble-objects"));
      Path shared = kept(TemporaryDirectory.inMemory("ensemble-objects"));
      WideArea area = new WideArea(Wan.NONE, line -> {});
      closing.push(area::close);
      effort.say("starting ZooKeeper, in memory in %s and on disk in %s", shared, directory);
      memory = ZooKeeperServers.inMemory(shared.resolve("memory"), area);
      closing.push(memory::close);
      disk = ZooKeeperServers.onDisk(directory.resolve("disk"), area);
      closing.push(disk::close);
      ProcessFederation federation =
          ProcessFederation.start(
              ProcessOptions.in(directory.resolve("nodes"), ServerLibrary.installed())
                  .withSiteNames(List.of("lyon"))
                  .withNodesPerSite(effort.nodes())
                  .withRelays(true)
                  .withProgress(line -> effort.say("%s", line)));
      closing.push(federation::close);
      site = federation.sites().get(0);
      for (int i = 0; i < effort.crowd().processes(); i++) {
        Worker worker = Worker.start(place(i));
        closing.push(worker::close);
        workers.add(worker);
      }
    } catch (RuntimeException failed) {
      close();
      throw failed;
    }
  }

  private Path kept(TemporaryDirectory directory) {
    closing.push(directory::close);
    return directory.path();
  }

  private Place place(int number) {
    return new Place(
        site.endpoints().stream().map(at -> at.getHostString() + ":" + at.getPort()).toList(),
        memory.server(number),
        disk.server(number));
  }

  List<Worker> workers() {
    return workers;
  }

  /** How far all servers are from all clients, from now on. Servers remain near each other. */
  void delay(Duration oneWay) {
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
