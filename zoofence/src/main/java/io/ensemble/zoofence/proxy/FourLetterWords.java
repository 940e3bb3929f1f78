package io.ensemble.zoofence.proxy;

import io.ensemble.zoofence.flattening.InstanceSet;
import io.ensemble.zoofence.queue.executor.QueueCounts;
import io.netty.channel.Channel;
import io.netty.channel.group.ChannelGroup;
import java.util.Map;
import java.util.Set;
import java.util.function.Supplier;
import java.util.stream.Collectors;
import org.apache.zookeeper.Environment;
import org.apache.zookeeper.Version;
import org.jspecify.annotations.Nullable;

/**
 * The answers to ZooKeeper's four-letter words, in ZooKeeper's formats. Values that only one server
 * has, such as its last zxid and its number of znodes, are left out. Thread-safe.
 */
final class FourLetterWords {
  /** All words of ZooKeeper's servers. */
  private static final Set<String> KNOWN =
      Set.of(
          "conf", "cons", "crst", "dirs", "dump", "envi", "gtmk", "hash", "isro", "mntr", "ruok",
          "srst", "srvr", "stat", "stmk", "wchc", "wchp", "wchs");

  private final ProxyOptions options;
  private final ProxyLimits limits;
  private final ChannelGroup clients;
  private final ProxyStatistics statistics;
  private final Supplier<QueueCounts> queueCounts;

  /**
   * @param queueCounts the queues of this process
   */
  FourLetterWords(
      ProxyOptions options,
      ProxyLimits limits,
      ChannelGroup clients,
      ProxyStatistics statistics,
      Supplier<QueueCounts> queueCounts) {
    this.options = options;
    this.limits = limits;
    this.clients = clients;
    this.statistics = statistics;
    this.queueCounts = queueCounts;
  }

  /**
   * The answer, or null if the text is no word of ZooKeeper. A word that is not permitted, or that
   * a proxy does not have, gets the answer of a server that does not permit it.
   *
   * @param server the address of the proxy to which the client is connected
   */
  @Nullable String answer(String word, Listening server) {
    if (!KNOWN.contains(word)) {
      return null;
    }
    String answer = options.words().allows(word) ? permitted(word, server) : null;
    return answer == null
        ? word + " is not executed because it is not in the whitelist.\n"
        : answer;
  }

  private @Nullable String permitted(String word, Listening server) {
    return switch (word) {
      case "ruok" -> "imok";
      case "isro" -> "rw";
      case "srvr" -> version() + "\n" + summary();
      case "stat" -> version() + "\nClients:\n" + listClients() + "\n" + summary();
      case "envi" -> environment();
      case "conf" -> configuration(server);
      case "mntr" -> figures();
      default -> null;
    };
  }

  private static String version() {
    return "Zookeeper version: " + Version.getFullVersion() + ", through ZooFence";
  }

  private String summary() {
    return "Latency min/avg/max: "
        + statistics.latencies()
        + "\nReceived: "
        + statistics.received()
        + "\nSent: "
        + statistics.sent()
        + "\nConnections: "
        + countConnections()
        + "\nOutstanding: "
        + statistics.outstanding()
        + "\nMode: standalone\n";
  }

  /** The number of connections but the one that asks. */
  private int countConnections() {
    return Math.max(0, clients.size() - 1);
  }

  private String listClients() {
    var lines = new StringBuilder();
    for (Channel client : clients) {
      lines
          .append(' ')
          .append(client.remoteAddress())
          .append(client.config().isAutoRead() ? "[1]" : "[0]")
          .append(ClientTraffic.describe(client.attr(ClientTraffic.KEY).get()))
          .append('\n');
    }
    return lines.toString();
  }

  private static String environment() {
    return Environment.list().stream()
        .map(entry -> entry.getKey() + "=" + entry.getValue() + "\n")
        .collect(Collectors.joining("", "Environment:\n", ""));
  }

  private String configuration(Listening server) {
    return "clientPort="
        + server.port()
        + "\nsecureClientPort="
        + server.securePort()
        + "\nmaxClientCnxns="
        + options.maxClientConnections()
        + "\nmaxCnxns="
        + limits.connections()
        + "\nserverId=0\n";
  }

  private String figures() {
    var lines = new StringBuilder();
    line(lines, "zk_version", Version.getFullVersion());
    line(lines, "zk_server_state", "standalone");
    line(lines, "zk_num_alive_connections", countConnections());
    statistics.values().forEach((name, value) -> line(lines, "zk_" + name, value));
    QueueCounts counts = queueCounts.get();
    Map<InstanceSet, Integer> depths = counts.depths();
    line(lines, "zoofence_queues_led", counts.led());
    line(lines, "zoofence_queues_stopped", counts.stopped());
    line(lines, "zoofence_queue_depth", depths.values().stream().mapToInt(Integer::intValue).sum());
    depths.forEach((set, depth) -> line(lines, "zoofence_queue_depth_" + name(set), depth));
    return lines.toString();
  }

  /** The numbers of the instances of a queue, as in a flattening. */
  private static String name(InstanceSet set) {
    return set.numbers().stream()
        .map(number -> Integer.toString(number + 1))
        .collect(Collectors.joining("_"));
  }

  private static void line(StringBuilder lines, String name, Object value) {
    lines.append(name).append('\t').append(value).append('\n');
  }

  /**
   * Where a proxy listens.
   *
   * @param port the port for clients; -1 if there is none
   * @param securePort the port for clients with TLS; -1 if there is none
   */
  record Listening(int port, int securePort) {}
}
