package io.ensemble.benchmarks.objects;

import static java.nio.charset.StandardCharsets.US_ASCII;

import io.ensemble.testkit.link.Ports;
import io.ensemble.testkit.link.Relay;
import io.ensemble.testkit.link.SiteLink;
import io.ensemble.testkit.link.WanRelays;
import io.ensemble.testkit.parallel.Parallel;
import io.ensemble.testkit.zookeeper.ZooKeeperProcess;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.Socket;
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

  /** The command by which a server reports its counters. */
  private static final String FIGURES = "mntr";

  private static final int LONGEST_ANSWER_MILLIS = 30_000;

  private final ConcurrentLinkedQueue<ZooKeeperProcess> processes = new ConcurrentLinkedQueue<>();
  private final List<Integer> ports;
  private final List<Relay> relays;

  private ZooKeeperServers(Path directory, List<String> javaOptions, Optional<WanRelays> area) {
    ports = IntStream.range(0, SERVERS).mapToObj(i -> Ports.reserve(1)).toList();
    Map<String, String> settings =
        new TreeMap<>(
            Map.of("initLimit", "20", "syncLimit", "10", "4lw.commands.whitelist", FIGURES));
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

  /**
   * The number of messages that each server has received since its start, from clients and from the
   * other servers, without pings of the latter. ZooKeeper counts requests of clients, and at a
   * follower proposals and commits. By its protocol the leader also receives the requests of the
   * followers' clients, and an acknowledgement of each proposal from each follower.
   */
  List<Long> received() {
    return received(ports.stream().map(ZooKeeperServers::figures).toList());
  }

  /**
   * @param figures the counters of each server
   */
  static List<Long> received(List<Map<String, String>> figures) {
    long forwarded =
        figures.stream()
            .filter(server -> !isLeader(server))
            .mapToLong(
                server ->
                    count(server, "zk_packets_received")
                        + count(server, "zk_learner_proposal_received_count"))
            .sum();
    return figures.stream()
        .map(
            server ->
                count(server, "zk_packets_received")
                    + (isLeader(server)
                        ? forwarded
                        : count(server, "zk_learner_proposal_received_count")
                            + count(server, "zk_learner_commit_received_count")))
        .toList();
  }

  private static boolean isLeader(Map<String, String> server) {
    return "leader".equals(server.get("zk_server_state"));
  }

  private static long count(Map<String, String> server, String name) {
    return (long) Double.parseDouble(server.getOrDefault(name, "0"));
  }

  private static Map<String, String> figures(int port) {
    try (Socket socket = new Socket(InetAddress.getLoopbackAddress(), port)) {
      socket.setSoTimeout(LONGEST_ANSWER_MILLIS);
      socket.getOutputStream().write(FIGURES.getBytes(US_ASCII));
      socket.getOutputStream().flush();
      Map<String, String> figures = new TreeMap<>();
      for (String line :
          new String(socket.getInputStream().readAllBytes(), US_ASCII).split("\n", -1)) {
        int tab = line.indexOf('\t');
        if (tab > 0) {
          figures.put(line.substring(0, tab), line.substring(tab + 1));
        }
      }
      if (!figures.containsKey("zk_server_state")) {
        throw new IllegalStateException(
            "a ZooKeeper server does not report its state; port=%d answer=%s"
                .formatted(port, figures));
      }
      return figures;
    } catch (IOException e) {
      throw new UncheckedIOException("a ZooKeeper server does not answer; port=" + port, e);
    }
  }

  /** The processor time of each server so far, in the order in which the servers have started. */
  List<Duration> processorTimes() {
    return processes.stream().map(ZooKeeperProcess::processorTime).toList();
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
