package io.ensemble.benchmarks.etcd;

import static java.nio.charset.StandardCharsets.UTF_8;

import io.ensemble.testkit.link.Ports;
import io.ensemble.testkit.link.Relay;
import io.ensemble.testkit.link.SiteLink;
import io.ensemble.testkit.link.WanRelays;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import java.util.stream.Collectors;
import java.util.stream.IntStream;

/** A cluster of etcd servers, each a process, that ends with this one. Needs a POSIX shell. */
public final class EtcdServers implements AutoCloseable {

  /** Waits for the end of its standard input while the server runs, and kills the server then. */
  private static final String UNTIL_CLOSED = "\"$@\" & server=$!; cat >/dev/null; kill -9 $server";

  private static final Duration LONGEST_START = Duration.ofSeconds(60);
  private static final byte[] PROBE = "probe".getBytes(UTF_8);

  private final List<Process> processes = new ArrayList<>();
  private final List<EtcdMember> members;
  private final List<Relay> relays;

  private record EtcdMember(String name, int clients, int peers) {
    String clientUrl() {
      return "http://127.0.0.1:" + clients;
    }

    String peerUrl() {
      return "http://127.0.0.1:" + peers;
    }
  }

  private EtcdServers(Path program, Path directory, int size, Optional<WanRelays> area) {
    members =
        IntStream.range(0, size)
            .mapToObj(i -> new EtcdMember("etcd" + i, Ports.reserve(1), Ports.reserve(1)))
            .toList();
    try {
      for (EtcdMember member : members) {
        processes.add(start(program, directory, member, members));
      }
      for (EtcdMember member : members) {
        awaitServing(processes.get(members.indexOf(member)), member, directory);
      }
      relays =
          area.stream()
              .flatMap(
                  relayed ->
                      members.stream().map(m -> relayed.before(m.clients(), SiteLink.DIRECT)))
              .toList();
    } catch (RuntimeException failed) {
      close();
      throw failed;
    }
  }

  /**
   * Starts the servers, and waits until they serve.
   *
   * @param program the program of etcd
   * @param directory the directory of their data: in memory or on a disk, which decides the cost of
   *     a write
   * @param area the relays in front of the servers; empty for none
   * @throws IllegalStateException if they do not start; the message names their log
   */
  public static EtcdServers start(
      Path program, Path directory, int size, Optional<WanRelays> area) {
    return new EtcdServers(program, directory, size, area);
  }

  private static Process start(
      Path program, Path directory, EtcdMember member, List<EtcdMember> all) {
    List<String> command = new ArrayList<>(List.of("sh", "-c", UNTIL_CLOSED, "sh"));
    command.addAll(
        List.of(
            program.toString(),
            "--name=" + member.name(),
            "--data-dir=" + directory.resolve(member.name()),
            "--listen-client-urls=" + member.clientUrl(),
            "--advertise-client-urls=" + member.clientUrl(),
            "--listen-peer-urls=" + member.peerUrl(),
            "--initial-advertise-peer-urls=" + member.peerUrl(),
            "--initial-cluster="
                + all.stream()
                    .map(m -> m.name() + "=" + m.peerUrl())
                    .collect(Collectors.joining(",")),
            "--initial-cluster-state=new",
            "--log-level=warn",
            "--logger=zap"));
    try {
      ProcessBuilder builder = new ProcessBuilder(command);
      builder.environment().keySet().removeIf(name -> name.startsWith("ETCD_"));
      return builder
          .redirectErrorStream(true)
          .redirectOutput(directory.resolve(member.name() + ".log").toFile())
          .start();
    } catch (IOException e) {
      throw new UncheckedIOException("etcd cannot be started; program=" + program, e);
    }
  }

  private static void awaitServing(Process process, EtcdMember member, Path directory) {
    long end = System.nanoTime() + LONGEST_START.toNanos();
    try (EtcdClient client = new EtcdClient("127.0.0.1:" + member.clients())) {
      while (true) {
        try {
          client.get(PROBE, 0, false);
          return;
        } catch (RuntimeException notYet) {
          if (System.nanoTime() - end > 0) {
            throw new IllegalStateException(
                "etcd does not serve; its log says:\n" + log(member, directory), notYet);
          }
          pause(process);
        }
      }
    }
  }

  /** Waits a little, or until the server has ended. */
  private static void pause(Process process) {
    try {
      boolean unused = process.waitFor(100, TimeUnit.MILLISECONDS);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new IllegalStateException("interrupted while etcd started", e);
    }
  }

  private static String log(EtcdMember member, Path directory) {
    try {
      return Files.readString(directory.resolve(member.name() + ".log"));
    } catch (IOException e) {
      return "no content, because the log cannot be read: " + e.getMessage();
    }
  }

  /** The server that client {@code number} connects to; clients are assigned in turn. */
  public String server(int number) {
    int server = number % members.size();
    int port =
        relays.isEmpty() ? members.get(server).clients() : relays.get(server).address().getPort();
    return "127.0.0.1:" + port;
  }

  /** The number of servers. */
  public int size() {
    return members.size();
  }

  /** Sets the distance between servers and clients from now on. Servers remain near each other. */
  public void delay(Duration oneWay) {
    relays.forEach(relay -> relay.link().delay(oneWay));
  }

  @Override
  public void close() {
    for (Process process : processes) {
      try {
        process.getOutputStream().close();
        if (!process.waitFor(10, TimeUnit.SECONDS)) {
          process.destroyForcibly();
        }
      } catch (IOException e) {
        process.destroyForcibly();
      } catch (InterruptedException e) {
        Thread.currentThread().interrupt();
        process.destroyForcibly();
      }
    }
  }
}
