package io.ensemble.bookkeeper;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.io.BufferedReader;
import java.io.InputStreamReader;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.logging.Level;
import java.util.logging.Logger;
import java.util.stream.Stream;
import org.apache.bookkeeper.client.api.BookKeeper;
import org.apache.bookkeeper.conf.ClientConfiguration;

/**
 * Runs clusters of BookKeeper, one on each of several ZooKeepers, with their bookies and clients.
 *
 * <p>The arguments are a directory, and for each ZooKeeper a name, {@code HOST:PORT;HOST:PORT} and
 * the ports of the bookies, {@code PORT,PORT}. The program prints {@code ready} when the clusters
 * run. To each line {@code NAME WRITERS ENTRIES BYTES WARM-MILLIS MILLIS} the program answers
 * {@code wrote} and the result of {@link LedgerWriters#run}. The program ends when its standard
 * input ends.
 */
public final class BookKeeperMain {

  /** A strong reference: the JDK collects loggers, and their levels, that are not referenced. */
  private static final Logger ROOT = Logger.getLogger("");

  static final int PATIENCE_SECONDS = 30;

  private BookKeeperMain() {}

  /** The main method. */
  public static void main(String[] args) {
    ROOT.setLevel(Level.OFF); // A new bookie logs each file that it misses as severe.
    int status = 0;
    try (BufferedReader tasks = new BufferedReader(new InputStreamReader(System.in, UTF_8))) {
      Map<String, MetadataCluster> clusters = new LinkedHashMap<>();
      for (int at = 1; at + 2 < args.length; at += 3) {
        String metadata = "zk+hierarchical://" + args[at + 1] + "/ledgers";
        Bookies unused =
            Bookies.start(
                metadata,
                Stream.of(args[at + 2].split(",", -1)).map(Integer::valueOf).toList(),
                Files.createDirectories(Path.of(args[0], args[at])));
        clusters.put(args[at], new MetadataCluster(metadata, new ArrayList<>()));
      }
      System.out.println("ready");
      for (String line = tasks.readLine(); line != null; line = tasks.readLine()) {
        System.out.println("wrote " + execute(clusters, line));
      }
    } catch (Exception e) {
      e.printStackTrace();
      status = 1;
    }
    System.exit(status); // No data of the bookies is needed after the run.
  }

  /**
   * One cluster.
   *
   * @param clients one client for each writer used so far, each with a session of its own
   */
  private record MetadataCluster(String metadata, List<BookKeeper> clients) {

    List<BookKeeper> clients(int count) throws Exception {
      while (clients.size() < count) {
        ClientConfiguration settings = new ClientConfiguration();
        settings.setMetadataServiceUri(metadata);
        // Other work on the machine makes it slow, which is not a failure.
        settings.setAddEntryTimeout(PATIENCE_SECONDS);
        settings.setClientConnectTimeoutMillis(PATIENCE_SECONDS * 1000);
        settings.setZkTimeout(PATIENCE_SECONDS * 1000);
        settings.setNumIOThreads(1);
        settings.setNumWorkerThreads(1);
        clients.add(BookKeeper.newBuilder(settings).build());
      }
      return clients.subList(0, count);
    }
  }

  private static String execute(Map<String, MetadataCluster> clusters, String line)
      throws Exception {
    String[] fields = line.split(" ", -1);
    MetadataCluster cluster = clusters.get(fields[0]);
    if (cluster == null || fields.length != 6) {
      throw new IllegalArgumentException("expected a cluster and five numbers; got " + line);
    }
    return LedgerWriters.run(
        cluster.clients(Integer.parseInt(fields[1])),
        Integer.parseInt(fields[2]),
        Integer.parseInt(fields[3]),
        Long.parseLong(fields[4]),
        Long.parseLong(fields[5]));
  }
}
