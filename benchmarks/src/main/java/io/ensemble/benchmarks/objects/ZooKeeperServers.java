package io.ensemble.benchmarks.objects;

import io.ensemble.testkit.link.Ports;
import io.ensemble.testkit.link.Relay;
import io.ensemble.testkit.link.SiteLink;
import io.ensemble.testkit.link.WanRelays;
import io.ensemble.testkit.parallel.Parallel;
import io.ensemble.testkit.zookeeper.ZooKeeperProcess;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.stream.IntStream;

/** A ZooKeeper ensemble of three servers, each a process. */
public final class ZooKeeperServers implements AutoCloseable {

  private static final int SERVERS = 3;

  private final ConcurrentLinkedQueue<ZooKeeperProcess> processes = new ConcurrentLinkedQueue<>();
  private final List<Integer> ports;
  private final List<Relay> relays;

  private ZooKeeperServers(Path directory, List<String> javaOptions, Optional<WanRelays> area) {
    ports = IntStream.range(0, SERVERS).mapToObj(i -> Ports.reserve(1)).toList();
    Map<String, String> settings = new TreeMap<>(Map.of("initLimit", "20", "syncLimit", "10"));
    for (int i = 0; i < SERVERS; i++) {
      int peer = Ports.reserve(2);
      settings.put("server." + (i + 1), "127.0.0.1:%d:%d".formatted(peer, peer + 1));
    }
    try {
      Parallel.forEach(
          IntStream.range(0, SERVERS).boxed().toList(),
          i -> {
            Path own = directory.resolve(String.valueOf(i + 1));
            number(own, i + 1);
            processes.add(ZooKeeperProcess.start(own, ports.get(i), javaOptions, settings));
          });
      relays =
          area.stream()
              .flatMap(relayed -> ports.stream().map(port -> relayed.before(port, SiteLink.DIRECT)))
              .toList();
    } catch (RuntimeException failed) {
      close();
      throw failed;
    }
  }

  /**
   * An ensemble that forces each write to the disk before it is acknowledged, as by default.
   *
   * @param area the relays in front of the servers; empty for none
   */
  public static ZooKeeperServers onDisk(Path directory, Optional<WanRelays> area) {
    return new ZooKeeperServers(directory, List.of(), area);
  }

  /**
   * An ensemble that does not force writes to the disk.
   *
   * @param directory on a file system in memory, if there is one
   * @param area the relays in front of the servers; empty for none
   */
  public static ZooKeeperServers inMemory(Path directory, Optional<WanRelays> area) {
    return new ZooKeeperServers(directory, List.of("-Dzookeeper.forceSync=no"), area);
  }

  private static void number(Path directory, int number) {
    try {
      Path data = Files.createDirectories(directory.resolve("data"));
      Files.writeString(data.resolve("myid"), String.valueOf(number));
    } catch (IOException e) {
      throw new UncheckedIOException("a server cannot be numbered; directory=" + directory, e);
    }
  }

  /** The server that process {@code number} uses; processes are assigned in turn. */
  public String server(int number) {
    int server = number % SERVERS;
    int port = relays.isEmpty() ? ports.get(server) : relays.get(server).address().getPort();
    return "127.0.0.1:" + port;
  }

  /** Sets its distance from its clients from now on. */
  public void delay(Duration oneWay) {
    relays.forEach(relay -> relay.link().delay(oneWay));
  }

  @Override
  public void close() {
    processes.forEach(ZooKeeperProcess::close);
  }
}
