package io.ensemble.testkit.process;

import static java.nio.charset.StandardCharsets.UTF_8;

import io.ensemble.site.hotrod.HotRod;
import io.ensemble.testkit.keys.OwnerOnlyFiles;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import java.util.function.Predicate;
import java.util.regex.Pattern;
import java.util.stream.Stream;

/**
 * What one node has on disk: {@code conf} (written anew for each start), {@code data} (the server's
 * own), {@code log}, {@code pid} (the process that runs or ran here), {@code disk-low} (why it is
 * silent, while it is) and {@code complete}: the mark of a node that has all that its site has
 * acknowledged. Failures are {@link UncheckedIOException}.
 */
final class NodeFiles {

  private static final int LONGEST_WHY = 400;

  /** The node's {@code DiskWatch} knows it too. */
  private static final String DISK_LOW = "disk-low";

  private static final String DISK_RESERVE = "conf/disk-reserve";
  private static final String STARTED = "ISPN080001";

  /** What stands between two stacks. */
  private static final Pattern STACK = Pattern.compile("\\R\\R");

  private final Path root;

  NodeFiles(Path root) {
    this.root = root;
  }

  Path root() {
    return root;
  }

  Path serverLog() {
    return root.resolve("log").resolve("server.log");
  }

  Path consoleLog() {
    return root.resolve("log").resolve("console.log");
  }

  /** The stacks of its threads when it last did not start in time. */
  Path threads() {
    return root.resolve("log").resolve("threads.log");
  }

  /** Those of {@link #threads()} that are in some code; none if there is no such file. */
  Stream<String> stacksWith(String code) {
    try {
      return Files.exists(threads())
          ? STACK.splitAsStream(Files.readString(threads())).filter(stack -> stack.contains(code))
          : Stream.empty();
    } catch (IOException e) {
      return Stream.of("stacks cannot be read: " + e.getMessage());
    }
  }

  Path pid() {
    return root.resolve("pid");
  }

  private Path complete() {
    return root.resolve("complete");
  }

  private Path data() {
    return root.resolve("data");
  }

  /**
   * What the node says of its disk while that is low and the node silent for clients; empty while
   * it is not.
   */
  Optional<String> diskLow() {
    try {
      return Optional.of(Files.readString(root.resolve(DISK_LOW)));
    } catch (NoSuchFileException isNot) {
      return Optional.empty();
    } catch (IOException e) {
      return Optional.of(e.toString());
    }
  }

  /** How much is free on the disk that the data are, or will be, on. */
  long freeBytes() {
    return root.toFile().getUsableSpace();
  }

  /** What was set last; 0 where nothing was. */
  long diskReserve() {
    try {
      return Long.parseLong(Files.readString(root.resolve(DISK_RESERVE)).strip());
    } catch (NoSuchFileException isNone) {
      return 0;
    } catch (IOException | NumberFormatException e) {
      throw new UncheckedIOException(
          "a node's disk reserve cannot be read: " + e, new IOException(e));
    }
  }

  /** For whoever looks how the node is; the node itself is told. */
  void setDiskReserve(long bytes) {
    try {
      Files.writeString(root.resolve(DISK_RESERVE), String.valueOf(bytes));
    } catch (IOException e) {
      throw failed("cannot be written", e);
    }
  }

  /**
   * Forces what the server has written of itself to the disk: which caches it has, and that it has
   * run. The server forces the entries of a store only, and does not start again with half of the
   * rest, as a loss of power leaves it.
   */
  void forceState() {
    try (Stream<Path> files = Files.list(data())) {
      for (Path file : files.filter(Files::isRegularFile).toList()) {
        force(file);
      }
      force(data());
      force(root);
    } catch (IOException e) {
      throw failed("cannot be forced to the disk", e);
    }
  }

  private static void force(Path file) throws IOException {
    try (FileChannel channel = FileChannel.open(file, StandardOpenOption.READ)) {
      channel.force(true);
    } catch (NoSuchFileException gone) {
      // The server replaces its files.
    }
  }

  /** Makes the directories and writes the configuration. */
  void prepare(NodeConfiguration configuration) {
    try {
      for (String directory : List.of("conf", "data", "lib", "log")) {
        Files.createDirectories(root.resolve(directory));
      }
      Files.deleteIfExists(serverLog());
      Files.deleteIfExists(root.resolve(DISK_LOW));
      Path server = root.resolve("conf").resolve("infinispan.xml");
      if (configuration.security().keys() == null) {
        Files.writeString(server, configuration.server());
      } else {
        OwnerOnlyFiles.write(server, configuration.server());
      }
      Files.writeString(root.resolve("conf").resolve("log4j2.xml"), configuration.logging());
    } catch (IOException e) {
      throw failed("cannot be written", e);
    }
  }

  /** Cuts off what a kill has torn; the files that it was in. */
  List<Path> cutTornRecords() {
    try {
      return TornRecords.cut(data());
    } catch (IOException e) {
      throw failed("cannot be mended", e);
    }
  }

  boolean hasData() {
    return Files.isDirectory(data());
  }

  boolean isComplete() {
    return Files.exists(complete());
  }

  /**
   * Marks the node as complete, or takes the mark away. Either is on the disk when this returns: a
   * mark that a loss of power brought back would be believed.
   */
  void setComplete(boolean wanted) {
    try {
      if (!wanted) {
        if (Files.deleteIfExists(complete())) {
          force(root);
        }
      } else if (!isComplete()) {
        Files.writeString(complete(), "");
        force(root);
      }
    } catch (IOException e) {
      throw failed("cannot be marked", e);
    }
  }

  /** Removes what the server has kept, and the mark before it. */
  void wipe() {
    wipe(entry -> false);
  }

  /**
   * As {@link #wipe}, but for stores that this node alone has: its peers bring back all others, and
   * what it has kept of those may be old.
   */
  void wipeShared() {
    wipe(entry -> HotRod.isOnOneNode(entry.getFileName().toString()));
  }

  private void wipe(Predicate<Path> kept) {
    setComplete(false);
    if (!Files.exists(data())) {
      return;
    }
    try (Stream<Path> entries = Files.list(data())) {
      List<Path> removed = entries.filter(kept.negate()).toList();
      for (Path entry : removed) {
        remove(entry);
      }
      if (isEmpty(data())) {
        Files.delete(data());
      }
    } catch (IOException e) {
      throw failed("cannot be wiped", e);
    }
  }

  private static boolean isEmpty(Path directory) throws IOException {
    try (Stream<Path> entries = Files.list(directory)) {
      return entries.findAny().isEmpty();
    }
  }

  private static void remove(Path tree) throws IOException {
    try (Stream<Path> all = Files.walk(tree)) {
      for (Path each : all.sorted(Comparator.reverseOrder()).toList()) {
        Files.delete(each);
      }
    }
  }

  /** Whether the server has written that it is up. */
  boolean saysItHasStarted() {
    return lines(serverLog()).anyMatch(line -> line.contains(STARTED));
  }

  /** The first complaint in its logs, to tell why it does not run; empty if there is none. */
  String complaint() {
    return Stream.of(serverLog(), consoleLog())
        .flatMap(NodeFiles::lines)
        .filter(line -> line.matches(".*\\b(FATAL|ERROR|Exception|Error|Cannot)\\b.*"))
        .findFirst()
        .map(line -> line.length() > LONGEST_WHY ? line.substring(0, LONGEST_WHY) + "…" : line)
        .orElse("");
  }

  /** The end of what it has logged, a line each. */
  String lastLines(int count) {
    List<String> all = lines(serverLog()).toList();
    return String.join("\n", all.subList(Math.max(0, all.size() - count), all.size()));
  }

  private static Stream<String> lines(Path log) {
    try {
      return Files.exists(log) ? Files.readAllLines(log, UTF_8).stream() : Stream.empty();
    } catch (IOException e) {
      return Stream.of("Cannot read " + log + ": " + e);
    }
  }

  private UncheckedIOException failed(String what, IOException cause) {
    return new UncheckedIOException("a node's directory " + what + ": " + cause, cause);
  }
}
