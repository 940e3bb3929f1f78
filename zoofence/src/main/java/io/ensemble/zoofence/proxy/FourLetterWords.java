package io.ensemble.zoofence.proxy;

import io.ensemble.zoofence.queue.executor.QueueCounts;
import io.netty.channel.group.ChannelGroup;
import org.apache.zookeeper.Version;
import org.jspecify.annotations.Nullable;

/** The four-letter words of ZooKeeper that a proxy can answer. */
final class FourLetterWords {
  private FourLetterWords() {}

  /**
   * The answer, or null if the text is no such word.
   *
   * @param queueCounts the queues of this process
   */
  static @Nullable String answer(String word, ChannelGroup clients, QueueCounts queueCounts) {
    int connections = Math.max(0, clients.size() - 1);
    return switch (word) {
      case "ruok" -> "imok";
      case "srvr", "stat" ->
          "Zookeeper version: "
              + Version.getFullVersion()
              + ", through ZooFence\nConnections: "
              + connections
              + "\nMode: standalone\n";
      case "mntr" ->
          "zk_version\t"
              + Version.getFullVersion()
              + "\nzk_server_state\tstandalone\nzk_num_alive_connections\t"
              + connections
              + "\nzoofence_queues_led\t"
              + queueCounts.led()
              + "\nzoofence_queues_stopped\t"
              + queueCounts.stopped()
              + "\n";
      case "isro" -> "rw";
      default -> null;
    };
  }
}
