package io.ensemble.testkit.wan;

import java.io.IOException;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.Predicate;

/**
 * A network namespace with a name in {@code ip netns}, with the file that programs in it see as
 * {@code /etc/hosts}.
 *
 * @param name as in {@code ip netns list}
 */
record NetworkNamespace(String name) {

  private static final Path ALL = Path.of("/run/netns");
  private static final Path FILES = Path.of("/etc/netns");
  private static final int KILLED_SECONDS = 10;

  /** Makes the namespace, with its loopback up. */
  void make(String hosts) {
    try {
      Files.createDirectories(files());
      Files.writeString(files().resolve("hosts"), hosts);
    } catch (IOException e) {
      throw new WanException("cannot write " + files() + ": " + e, e);
    }
    SystemCommand.run("ip", "netns", "add", name);
    ip("link", "set", "lo", "up");
  }

  /** The existing namespaces whose names match {@code wanted}. */
  static List<NetworkNamespace> existing(Predicate<String> wanted) {
    List<NetworkNamespace> found = new ArrayList<>();
    for (Path directory : List.of(ALL, FILES)) {
      if (Files.isDirectory(directory)) {
        try (DirectoryStream<Path> entries = Files.newDirectoryStream(directory)) {
          for (Path entry : entries) {
            NetworkNamespace one = new NetworkNamespace(String.valueOf(entry.getFileName()));
            if (wanted.test(one.name()) && !found.contains(one)) {
              found.add(one);
            }
          }
        } catch (IOException e) {
          throw new WanException("cannot read " + directory, e);
        }
      }
    }
    return found;
  }

  /** Runs {@code ip} inside the namespace. */
  String ip(String... arguments) {
    List<String> command = new ArrayList<>(List.of("ip", "-n", name));
    command.addAll(List.of(arguments));
    return SystemCommand.run(command.toArray(String[]::new));
  }

  /**
   * The command line that runs {@code command} in the namespace. The process is that of the command
   * itself.
   */
  List<String> command(List<String> command) {
    List<String> inside = new ArrayList<>(List.of("ip", "netns", "exec", name));
    inside.addAll(command);
    return inside;
  }

  /** Asks the processes in the namespaces to end, waits, and kills those that have not. */
  static void end(List<NetworkNamespace> namespaces, Duration patience) {
    List<ProcessHandle> asked = processes(namespaces);
    asked.forEach(ProcessHandle::destroy);
    await(asked, patience);
    // Repeated: a process that is killed may have started another meanwhile.
    for (List<ProcessHandle> left = processes(namespaces);
        !left.isEmpty();
        left = processes(namespaces)) {
      left.forEach(ProcessHandle::destroyForcibly);
      if (!await(left, Duration.ofSeconds(KILLED_SECONDS))) {
        throw new WanException("processes cannot be stopped; namespaces=" + namespaces);
      }
    }
  }

  /**
   * Kills the processes in the namespace, and removes it with its devices. No effect if it does not
   * exist.
   */
  void remove() {
    if (Files.exists(ALL.resolve(name))) {
      end(List.of(this), Duration.ZERO);
      if (!SystemCommand.succeeds("ip", "netns", "del", name) && Files.exists(ALL.resolve(name))) {
        throw new WanException("cannot remove the network namespace " + name);
      }
    }
    try {
      Files.deleteIfExists(files().resolve("hosts"));
      Files.deleteIfExists(files());
    } catch (IOException e) {
      throw new WanException("cannot remove " + files(), e);
    }
  }

  private Path files() {
    return FILES.resolve(name);
  }

  private static List<ProcessHandle> processes(List<NetworkNamespace> namespaces) {
    return namespaces.stream()
        .filter(one -> Files.exists(ALL.resolve(one.name())))
        .flatMap(one -> one.pids().lines())
        .map(line -> ProcessHandle.of(Long.parseLong(line.strip())))
        .flatMap(Optional::stream)
        .filter(process -> process.isAlive() && process.pid() != ProcessHandle.current().pid())
        .toList();
  }

  /** Another process may remove the namespace at the same time; then no process runs in it. */
  private String pids() {
    try {
      return SystemCommand.run("ip", "netns", "pids", name);
    } catch (WanException e) {
      if (Files.exists(ALL.resolve(name))) {
        throw e;
      }
      return "";
    }
  }

  private static boolean await(List<ProcessHandle> processes, Duration patience) {
    long deadline = System.nanoTime() + patience.toNanos();
    for (ProcessHandle process : processes) {
      try {
        process.onExit().get(Math.max(0, deadline - System.nanoTime()), TimeUnit.NANOSECONDS);
      } catch (TimeoutException | ExecutionException e) {
        return false;
      } catch (InterruptedException e) {
        Thread.currentThread().interrupt();
        return false;
      }
    }
    return true;
  }
}
