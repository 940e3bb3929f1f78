package io.ensemble.testkit.process;

import io.ensemble.testkit.link.NodeLink;
import io.ensemble.testkit.link.Ports;
import io.ensemble.testkit.link.Relay;
import io.ensemble.testkit.process.child.JavaProgram;
import io.ensemble.testkit.process.child.OrphanProcess;
import io.ensemble.testkit.process.child.ProcessResumer;
import io.ensemble.testkit.process.child.Signals;
import java.io.IOException;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.function.IntFunction;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** One node: its process, its files, and its relay if it has one. Its site serializes the calls. */
final class ServerNode {

  private static final Logger log = LoggerFactory.getLogger(ServerNode.class);

  static final String LOOPBACK = "127.0.0.1";

  private static final Duration LONGEST_START = Duration.ofMinutes(2);
  private static final Duration LONGEST_FAREWELL = Duration.ofSeconds(30);
  private static final int POLL_MILLIS = 100;
  private static final int HEALTH_MILLIS = 2_000;

  /** The status is also in the node's {@code FailStop}. */
  private static final int DISK_FAILED = 114;

  private final String site;
  private final int index;
  private final ProcessOptions options;
  private final NodeFiles files;
  private final @Nullable SiteKeys keys;
  private final int port = Ports.reserve(1);
  private final int clusterPort = Ports.reserve(2);
  private final @Nullable Relay relay;
  private volatile @Nullable Process process;
  private volatile @Nullable NodeHealthClient healthClient;
  private volatile boolean stopped;
  private volatile boolean diskLow;
  private @Nullable ProcessResumer processResumer;
  private ServerLibrary library;
  private ClassArchive archive;
  private List<String> archiveOptions = List.of();

  /**
   * @param relays returns the relay in front of the node that serves a port; null for no relay
   */
  ServerNode(String site, int index, ProcessOptions options, @Nullable IntFunction<Relay> relays) {
    this.site = site;
    this.index = index;
    this.options = options;
    this.files = new NodeFiles(options.directory().resolve(site).resolve(String.valueOf(index)));
    this.library = options.library();
    this.archive = new ClassArchive(library);
    this.keys =
        options.security() == ProcessSecurity.OPEN
            ? null
            : FederationKeys.of(options.directory(), site, options.security());
    this.relay = relays == null ? null : relays.apply(port);
  }

  String name() {
    return site + "-" + index;
  }

  NodeFiles files() {
    return files;
  }

  int clusterPort() {
    return clusterPort;
  }

  /** The address for clients. */
  InetSocketAddress endpoint() {
    return InetSocketAddress.createUnresolved(
        LOOPBACK, relay == null ? port : relay.address().getPort());
  }

  NodeLink link() {
    if (relay == null) {
      throw new IllegalStateException("the node has no relay; node=" + name());
    }
    return relay.link();
  }

  /** The process started last; null if it was ended by this object. */
  @Nullable Process process() {
    return process;
  }

  boolean isAlive() {
    Process running = process;
    return running != null && running.isAlive();
  }

  boolean isStopped() {
    return stopped;
  }

  long pid() {
    Process running = process;
    if (running == null || !running.isAlive()) {
      throw new IllegalStateException("the node is not running; node=" + name());
    }
    return running.pid();
  }

  /** Uses other jars from the next start on. */
  void use(ServerLibrary next) {
    if (isAlive()) {
      throw new IllegalStateException("the node is running; node=" + name());
    }
    library = next;
    archive = new ClassArchive(next);
  }

  /** Starts the process and returns immediately; {@code ended} runs when the process has ended. */
  void launch(String cluster, List<Integer> peerPorts, Runnable ended) {
    if (isAlive()) {
      throw new IllegalStateException("the node is running already; node=" + name());
    }
    files.prepare(
        new NodeConfiguration(
            site,
            cluster,
            name(),
            clusterPort,
            peerPorts,
            port,
            relay == null ? null : relay.address().getPort(),
            new NodeSecurity(keys)));
    files.setDiskReserve(reserveBytes());
    requireRoom();
    List<Path> torn = files.cutTornRecords();
    if (!torn.isEmpty()) {
      options
          .progress()
          .accept(
              "node %s: removed an incomplete record that a kill left: %s".formatted(name(), torn));
    }
    List<Path> restored = files.completeReplacements();
    if (!restored.isEmpty()) {
      options
          .progress()
          .accept(
              "node %s: renamed the temporary file of a replacement that a kill had interrupted: %s"
                  .formatted(name(), restored));
    }
    stopped = false;
    try {
      Process fresh =
          program()
              .process(arguments())
              .directory(files.root().toFile())
              .redirectErrorStream(true)
              .redirectOutput(files.consoleLog().toFile())
              .start();
      process = fresh;
      OrphanProcess.remember(files.pid(), fresh.toHandle());
      CompletableFuture<Void> unused =
          fresh
              .onExit()
              .thenRun(
                  () -> {
                    if (fresh.exitValue() == DISK_FAILED) {
                      alarm(
                          "node %s has stopped: a write to its disk failed; log=%s"
                              .formatted(name(), files.consoleLog()));
                    }
                    if (process
                        == fresh) { // This object has not ended it, or has not recorded that yet.
                      ended.run();
                    }
                  });
    } catch (IOException e) {
      throw new UncheckedIOException("a node cannot be started: " + e.getMessage(), e);
    }
  }

  /**
   * Requires enough free space: a node with a low disk at its start would be silent and never count
   * as started, without a visible reason.
   */
  private void requireRoom() {
    long wanted = reserveBytes() + reserveBytes() / 2;
    long free = files.freeBytes();
    if (free < wanted) {
      throw new IllegalStateException(
          ("a node with data on disk requires %d MB of free space to start, half as much again as "
                  + "its reserve; there are %d MB; free some space or use a smaller reserve; "
                  + "node=%s directory=%s")
              .formatted(wanted >> 20, free >> 20, name(), files.root()));
    }
  }

  private long reserveBytes() {
    return options.persistent() ? options.diskReserveBytes() : 0;
  }

  /**
   * Reports, once for each change, that the node has become silent because of its disk, or answers
   * again.
   */
  void reportDisk() {
    Optional<String> low = isAlive() ? files.diskLow() : Optional.empty();
    if (low.isPresent() != diskLow) {
      diskLow = low.isPresent();
      alarm(
          diskLow
              ? "node %s rejects clients: its disk space is low; %s".formatted(name(), low.get())
              : "node %s has disk space again".formatted(name()));
    }
  }

  private void alarm(String message) {
    log.warn(message);
    options.progress().accept(message);
  }

  private JavaProgram program() {
    // For many small JVMs on few cores: a collector without threads of its own.
    List<String> javaOptions =
        new ArrayList<>(
            List.of(
                "-Xms64m",
                "-Xmx" + options.heapMegabytes() + "m",
                "-XX:+UseSerialGC",
                "-XX:+ExitOnOutOfMemoryError",
                "-Djava.net.preferIPv4Stack=true",
                "-Dinfinispan.server.home.path=" + files.root()));
    if (reserveBytes() > 0) {
      javaOptions.add("-Densemble.disk.reserve=" + reserveBytes());
    }
    archiveOptions = archive.option();
    javaOptions.addAll(archiveOptions);
    javaOptions.addAll(options.javaOptions());
    javaOptions.addAll(JavaProgram.optionsOfNetty());
    return new JavaProgram(javaOptions, library.classPath(), ServerLibrary.MAIN);
  }

  private List<String> arguments() {
    return List.of(
        "-s", files.root().toString(), "-c", "infinispan.xml", "-l", "log4j2.xml", "-n", name());
  }

  /**
   * Waits until the node is healthy, or has started in a site in DEGRADED mode, which the node
   * cannot repair.
   *
   * @throws IllegalStateException if the node is neither; the message has the reason, and the file
   *     with the stacks of its threads if it ran and was not in time
   */
  void awaitStarted() {
    awaitStarted(LONGEST_START);
  }

  void awaitStarted(Duration longest) {
    Process running = process;
    long deadline = System.nanoTime() + longest.toNanos();
    while (!openHealthClient().isHealthy(HEALTH_MILLIS) && !isDegraded()) {
      if (running == null || hasEndedWithin(running, POLL_MILLIS)) {
        throw new IllegalStateException(
            "a node ended while it started; node=%s log=%s why=%s"
                .formatted(name(), files.serverLog(), files.firstError()));
      }
      Optional<String> low = files.diskLow();
      if (low.isPresent()) {
        throw new IllegalStateException(
            "the disk space of a node became low during its start; free some space; node=%s %s"
                .formatted(name(), low.get()));
      }
      if (System.nanoTime() - deadline > 0) {
        throw new IllegalStateException(
            "a node did not become healthy within %d s; node=%s log=%s why=%s %s"
                .formatted(
                    longest.toSeconds(),
                    name(),
                    files.serverLog(),
                    files.firstError(),
                    NodeDiagnostics.of(running, files)));
      }
    }
    if (options.persistent()) {
      files.forceState();
    }
  }

  /** Waits until the node may report another state, or has ended. */
  void pause() {
    Process running = process;
    if (running != null) {
      boolean unused = hasEndedWithin(running, POLL_MILLIS);
    }
  }

  /** The diagnostics of a node that is not healthy; for the end of a message. */
  String evidence() {
    Process running = process;
    return running == null ? "the node is not running" : NodeDiagnostics.of(running, files);
  }

  /** The credentials with which a client enters; empty if any client may. */
  Optional<ProcessSiteAccess> entrance() {
    return Optional.ofNullable(keys).map(SiteKeys::entrance);
  }

  private boolean isDegraded() {
    return files.hasLoggedStart() && health().filter(NodeHealth::isDegraded).isPresent();
  }

  /** The report of the node about itself; empty if it is silent. */
  Optional<NodeHealth> health() {
    return isAlive() && !stopped ? openHealthClient().health(HEALTH_MILLIS) : Optional.empty();
  }

  private NodeHealthClient openHealthClient() {
    NodeHealthClient known = healthClient;
    if (known == null) {
      known = NodeHealthClient.at(port, keys);
      healthClient = known;
    }
    return known;
  }

  /** Kills the process as {@code kill -9}. Returns when the process has ended. */
  void kill() {
    Process running = process;
    if (running != null) {
      running.destroyForcibly();
      if (!hasEndedWithin(running, Math.toIntExact(LONGEST_FAREWELL.toMillis()))) {
        throw new IllegalStateException("a killed node is still running; node=" + name());
      }
      clearProcess(false);
    }
  }

  /**
   * Kills the process, whatever calls on the node are under way, and waits a limited time for its
   * end.
   */
  void abandon() {
    Process running = process;
    if (running != null) {
      running.destroyForcibly();
      boolean unused = hasEndedWithin(running, HEALTH_MILLIS);
    }
  }

  /** Lets the process end in an orderly way; kills it when that takes too long. */
  void terminate() {
    Process running = process;
    if (running != null) {
      resume();
      running.destroy();
      if (!hasEndedWithin(running, Math.toIntExact(LONGEST_FAREWELL.toMillis()))) {
        kill();
        return;
      }
      clearProcess(true);
    }
  }

  private void clearProcess(boolean orderly) {
    process = null;
    stopped = false;
    resumeIfPaused();
    archive.publishOrDelete(archiveOptions, orderly);
    try {
      Files.deleteIfExists(files.pid());
    } catch (IOException e) {
      // A stale file does no harm: it also names the start time of its process.
    }
  }

  /**
   * Cuts the node off from {@code peers}, in both directions, and connects it to all others.
   * Returns immediately.
   */
  void ignore(Set<String> peers) {
    Process running = process;
    if (running == null) {
      throw new IllegalStateException("the node is not running; node=" + name());
    }
    try {
      OutputStream input = running.getOutputStream();
      input.write(("ignore " + String.join(" ", peers) + "\n").getBytes(StandardCharsets.UTF_8));
      input.flush();
    } catch (IOException e) {
      throw new UncheckedIOException(
          "the command could not be sent to the node; node=" + name(), e);
    }
  }

  void stop() {
    if (stopped) {
      throw new IllegalStateException("the node is paused already; node=" + name());
    }
    processResumer =
        ProcessResumer.of(pid()); // Made in advance: a stopped process cannot even end.
    stopped = true;
    Signals.stop(pid());
  }

  void resume() {
    resumeIfPaused();
    stopped = false;
  }

  private void resumeIfPaused() {
    ProcessResumer waiting = processResumer;
    processResumer = null;
    if (waiting != null) {
      waiting.close();
    }
  }

  private static boolean hasEndedWithin(Process process, int millis) {
    try {
      return process.waitFor(millis, TimeUnit.MILLISECONDS);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new IllegalStateException("interrupted while waiting for a node", e);
    }
  }
}
