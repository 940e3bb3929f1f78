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
 * The files of one node: {@code conf} (written anew for each start), {@code data} (the server's
 * own), {@code log}, {@code pid} (the process that runs or ran here), {@code disk-low} (the reason
 * why the node is silent, while it is) and {@code complete}. The last one marks a node that holds
 * every write that its site has acknowledged. Failures are {@link UncheckedIOException}.
 */
final class NodeFiles {

  private static final int LONGEST_WHY = 400;

  /** The name is also in the node's {@code DiskWatch}. */
  private static final String DISK_LOW = "disk-low";

  private static final String DISK_RESERVE = "conf/disk-reserve";
  private static final String STARTED = "ISPN080001";

  /** The separator of two stacks. */
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

  /** The stacks of its threads when it last failed to start in time. */
  Path threads() {
    return root.resolve("log").resolve("threads.log");
  }

  /** The stacks in {@link #threads()} that contain {@code code}; none if there is no such file. */
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
   * The report of the node about its disk while space is low and the node answers no client; empty
   * otherwise.
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

  /** The free space of the disk that holds, or will hold, the data. */
  long freeBytes() {
    return root.toFile().getUsableSpace();
  }

  /** The reserve that was set last; 0 if none was. */
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

  /**
   * Stores the reserve for processes that inspect the node; the node itself receives it as an
   * option.
   */
  void setDiskReserve(long bytes) {
    try {
      Files.writeString(root.resolve(DISK_RESERVE), String.valueOf(bytes));
    } catch (IOException e) {
      throw failed("cannot be written", e);
    }
  }

  /**
   * Forces the state files of the server to the disk: its caches, and the fact that it has run. The
   * server itself forces only the entries of a store. It does not start again with half of the
   * state files, as a loss of power may leave them.
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

  /** Creates the directories and writes the configuration. */
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

  /** Truncates records that a kill has torn. Returns the files concerned. */
  List<Path> cutTornRecords() {
    try {
      return TornRecords.truncate(data());
    } catch (IOException e) {
      throw failed("cannot be repaired", e);
    }
  }

  /** Completes what a kill has interrupted. Returns the files that were restored. */
  List<Path> completeReplacements() {
    try {
      return InterruptedReplacement.complete(data());
    } catch (IOException e) {
      throw failed("cannot be repaired", e);
    }
  }

  boolean hasData() {
    return Files.isDirectory(data());
  }

  boolean isComplete() {
    return Files.exists(complete());
  }

  /**
   * Marks the node as complete, or removes the mark. The change is on the disk when this returns: a
   * mark that a loss of power restored would be taken as true.
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

  /** Removes the data of the server; the mark is removed first. */
  void wipe() {
    wipe(entry -> false);
  }

  /**
   * As {@link #wipe}, but keeps stores that only this node has. The peers restore all others, and
   * this node's data of those may be old.
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

  /** Whether the server has logged that it is up. */
  boolean hasLoggedStart() {
    return lines(serverLog()).anyMatch(line -> line.contains(STARTED));
  }

  /** The first error in its logs, as the reason why it does not run; empty if there is none. */
  String firstError() {
    return Stream.of(serverLog(), consoleLog())
        .flatMap(NodeFiles::lines)
        .filter(line -> line.matches(".*\\b(FATAL|ERROR|Exception|Error|Cannot)\\b.*"))
        .findFirst()
        .map(line -> line.length() > LONGEST_WHY ? line.substring(0, LONGEST_WHY) + "…" : line)
        .orElse("");
  }

  /** The end of its log, one line for each entry. */
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
