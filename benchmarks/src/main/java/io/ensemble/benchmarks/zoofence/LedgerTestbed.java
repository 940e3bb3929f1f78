package io.ensemble.benchmarks.zoofence;

import io.ensemble.benchmarks.process.CompilerOptions;
import io.ensemble.benchmarks.process.LineProcess;
import io.ensemble.benchmarks.process.TemporaryDirectory;
import io.ensemble.testkit.link.Ports;
import io.ensemble.testkit.process.child.JavaProgram;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.TreeMap;
import java.util.function.Consumer;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import java.util.stream.Stream;

/**
 * Two deployments of BookKeeper, and the servers of their metadata. Three processes have a member
 * of a ZooKeeper ensemble and one of ZooFence's instances each. One process has ZooFence's proxy
 * and executor, and one has all bookies and clients, on a class path of its own. All ZooKeepers
 * store their data in memory.
 */
final class LedgerTestbed implements AutoCloseable {

  /** The systems for BookKeeper's metadata. */
  enum MetadataStore {
    /** An ensemble of three servers. */
    ZOOKEEPER("ZooKeeper"),
    /** Three instances of one server each, through the proxy. */
    ZOOFENCE("ZooFence");

    private final String title;

    MetadataStore(String title) {
      this.title = title;
    }

    String title() {
      return title;
    }
  }

  /** The system property with the location of BookKeeper's program. */
  static final String PROPERTY = "ensemble.bookkeeper";

  private static final int SERVERS = 3;

  /** Ledgers have consecutive numbers, of which these are the first digits. */
  private static final String FLATTENING =
      """
      /ledgers/00 1
      /ledgers/idgen 2
      /ledgers/available 3
      """;

  private static final Duration LONGEST_END = Duration.ofSeconds(20);
  private static final String MAIN = "io.ensemble.bookkeeper.BookKeeperMain";

  private final Deque<AutoCloseable> closing = new ArrayDeque<>();
  private final LineProcess bookKeeper;

  /** Starts all. */
  LedgerTestbed(LedgerPlan plan, Consumer<String> progress) {
    try {
      TemporaryDirectory directory = TemporaryDirectory.inMemory("ensemble-ledgers");
      closing.push(directory);
      List<Integer> members = ports(SERVERS);
      List<Integer> instances = ports(SERVERS);
      progress.accept("starting ZooKeepers in " + directory.path());
      servers(directory.path(), members, instances);
      int proxy = Ports.reserve(1);
      HostProgram node =
          closeLater(
              HostProgram.start(
                  HostNetwork.near(),
                  0,
                  ServersMain.class,
                  new HostServers(directory.path().toString(), List.of()),
                  List.of()));
      node.answer(ServersMain.SERVING);
      node.tell(
          new HostServers.DeploymentSpec(addresses(instances, "|"), FLATTENING, List.of(), proxy));
      node.answer(ServersMain.FOUNDED);
      progress.accept("starting bookies");
      bookKeeper =
          start(
              Files.createDirectories(directory.path().resolve("bookies")),
              Map.of(
                  MetadataStore.ZOOKEEPER,
                  addresses(members, ";"),
                  MetadataStore.ZOOFENCE,
                  "127.0.0.1:" + proxy),
              plan.bookies());
    } catch (IOException e) {
      close();
      throw new UncheckedIOException("BookKeeper did not start", e);
    } catch (RuntimeException failed) {
      close();
      throw failed;
    }
  }

  private <T extends AutoCloseable> T closeLater(T one) {
    closing.push(one);
    return one;
  }

  private static List<Integer> ports(int count) {
    return Stream.generate(() -> Ports.reserve(1)).limit(count).toList();
  }

  private static String addresses(List<Integer> ports, String between) {
    return ports.stream().map(port -> "127.0.0.1:" + port).collect(Collectors.joining(between));
  }

  private void servers(Path directory, List<Integer> members, List<Integer> instances) {
    Map<String, String> ensemble = new TreeMap<>(Map.of("initLimit", "20", "syncLimit", "10"));
    for (int i = 1; i <= SERVERS; i++) {
      int peer = Ports.reserve(2);
      ensemble.put("server." + i, "127.0.0.1:%d:%d".formatted(peer, peer + 1));
    }
    List<HostProgram> started = new ArrayList<>();
    for (int i = 0; i < SERVERS; i++) {
      HostServers of =
          new HostServers(
              directory.resolve("server" + i).toString(),
              List.of(
                  new HostServers.HostServer("instance", 1, instances.get(i), Map.of()),
                  new HostServers.HostServer("member", i + 1, members.get(i), ensemble)));
      started.add(
          closeLater(
              HostProgram.start(
                  HostNetwork.near(), i, ServersMain.class, of, HostServers.JAVA_OPTIONS)));
    }
    started.forEach(each -> each.answer(ServersMain.SERVING));
  }

  private LineProcess start(Path directory, Map<MetadataStore, String> addresses, int bookies)
      throws IOException {
    Path jar =
        Path.of(System.getProperty(PROPERTY, "bookkeeper-process/target/lib"))
            .resolve("ensemble-bookkeeper-process.jar");
    if (!Files.exists(jar)) {
      throw new IllegalStateException(
          "BookKeeper's program is not there: no file "
              + jar
              + "; './mvnw -pl bookkeeper-process package' makes it");
    }
    List<String> arguments = new ArrayList<>(List.of(directory.toString()));
    for (MetadataStore each : MetadataStore.values()) {
      arguments.addAll(
          List.of(
              name(each),
              addresses.getOrDefault(each, ""),
              IntStream.range(0, bookies)
                  .mapToObj(i -> String.valueOf(Ports.reserve(1)))
                  .collect(Collectors.joining(","))));
    }
    List<String> options = new ArrayList<>(JavaProgram.optionsOfNetty());
    options.addAll(CompilerOptions.ofThisProcess());
    options.addAll(List.of("-Xmx2g", "-XX:+ExitOnOutOfMemoryError", "-XX:+UseParallelGC"));
    LineProcess started =
        closeLater(
            LineProcess.start(
                new JavaProgram(options, jar.toString(), MAIN).process(arguments), LONGEST_END));
    started.answer("ready");
    return started;
  }

  private static String name(MetadataStore metadata) {
    return metadata.name().toLowerCase(Locale.ROOT);
  }

  /** Lets the program write ledgers; returns its result. */
  LedgerSlice write(MetadataStore on, int writers, int entries, int bytes, long warm, long millis) {
    try {
      bookKeeper.tell(
          "%s %d %d %d %d %d".formatted(name(on), writers, entries, bytes, warm, millis));
      return LedgerSlice.read(bookKeeper.answer("wrote "), millis);
    } catch (IOException e) {
      throw new UncheckedIOException("BookKeeper's program ended; see its output above", e);
    }
  }

  @Override
  public void close() {
    while (!closing.isEmpty()) {
      try {
        closing.pop().close();
      } catch (Exception e) {
        throw new IllegalStateException("cannot be closed", e);
      }
    }
  }
}
