package io.ensemble.benchmarks.objects;

import io.ensemble.benchmarks.measure.Effort;
import io.ensemble.testkit.link.Wan;
import io.ensemble.testkit.link.WideArea;
import io.ensemble.testkit.process.ProcessFederation;
import io.ensemble.testkit.process.ProcessOptions;
import io.ensemble.testkit.process.ProcessSite;
import io.ensemble.testkit.process.ServerLibrary;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.Deque;
import java.util.List;
import java.util.stream.Stream;

/** The servers, as far away as is wanted, and the processes with clients. */
final class Grounds implements AutoCloseable {

  private static final Path IN_MEMORY = Path.of("/dev/shm");

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
      Path directory = temporary(Files.createTempDirectory("ensemble-objects"));
      Path shared =
          Files.isDirectory(IN_MEMORY)
              ? temporary(Files.createTempDirectory(IN_MEMORY, "ensemble-objects"))
              : directory;
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
    } catch (IOException e) {
      close();
      throw new UncheckedIOException("the servers cannot be started", e);
    } catch (RuntimeException failed) {
      close();
      throw failed;
    }
  }

  private Path temporary(Path directory) {
    closing.push(() -> remove(directory));
    return directory;
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

  private static void remove(Path directory) {
    try (Stream<Path> all = Files.walk(directory)) {
      for (Path each : all.sorted(Comparator.reverseOrder()).toList()) {
        Files.deleteIfExists(each);
      }
    } catch (IOException e) {
      throw new UncheckedIOException("cannot be removed; directory=" + directory, e);
    }
  }
}
