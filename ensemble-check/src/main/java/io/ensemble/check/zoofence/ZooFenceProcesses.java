package io.ensemble.check.zoofence;

import io.ensemble.check.faults.FaultableSites;
import io.ensemble.check.faults.PlannedFault;
import io.ensemble.check.faults.TrialFaultKind;
import io.ensemble.check.federation.SiteDescriptor;
import io.ensemble.check.process.CommandException;
import io.ensemble.check.znodes.ZnodeLayout;
import io.ensemble.testkit.link.Ports;
import io.ensemble.testkit.link.SiteLinkReport;
import io.ensemble.testkit.zookeeper.ZooKeeperProcess;
import io.ensemble.zoofence.link.InstanceServers;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.function.IntFunction;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;

/**
 * A deployment of ZooFence for a trial: each instance is a ZooKeeper in a process, on disk. Each
 * proxy is a process that runs {@code ./ensemble zoofence}, any of which may lead the queues.
 */
public final class ZooFenceProcesses implements FaultableSites {

  private static final Map<String, String> SETTINGS =
      Map.of(
          "tickTime", "500", "maxSessionTimeout", Integer.toString(ZooFenceTestbed.SESSION_MILLIS));

  /**
   * A killed process loses no data that the operating system has; failures of the machine are not
   * tested.
   */
  private static final List<String> OPTIONS =
      List.of("-XX:TieredStopAtLevel=1", "-Dzookeeper.forceSync=no");

  private final List<ZooKeeperProcess> instances;
  private final List<ProxyProcess> proxies = new ArrayList<>();
  private @Nullable ProxyProcess broken;

  private ZooFenceProcesses(List<ZooKeeperProcess> instances) {
    this.instances = instances;
  }

  /**
   * Starts the deployment.
   *
   * @param root the path below which all znodes are
   * @param patience the time-out of the proxies
   * @param directory the directory for the data of the instances, and for logs
   * @param program the main class that proxies run, with the arguments of {@code ./ensemble}; it
   *     ends when its standard input does
   */
  public static ZooFenceProcesses start(
      int instances, int proxies, String root, Duration patience, Path directory, String program) {
    try {
      Files.createDirectories(directory);
      ZooFenceProcesses started =
          new ZooFenceProcesses(
              startAll(
                  instances,
                  number ->
                      ZooKeeperProcess.start(
                          directory.resolve("instance-" + (number + 1)),
                          Ports.reserve(1),
                          OPTIONS,
                          SETTINGS)));
      try {
        started.serve(proxies, root, patience, directory, program);
      } catch (RuntimeException e) {
        started.close();
        throw e;
      }
      return started;
    } catch (IOException e) {
      throw new UncheckedIOException("cannot write below " + directory, e);
    } catch (IllegalStateException e) {
      throw new CommandException("an instance cannot be started: " + e.getMessage(), e);
    }
  }

  private void serve(int count, String root, Duration patience, Path directory, String program)
      throws IOException {
    Path rules = directory.resolve("flattening");
    Files.writeString(rules, ZnodeLayout.rules(root, instances.size()));
    List<String> arguments =
        List.of(
            "zoofence",
            "--ensembles",
            servers().stream().map(InstanceServers::connectString).collect(Collectors.joining("|")),
            "--flattening",
            rules.toString(),
            "--patience",
            patience.toMillis() + "ms",
            "--max-client-connections", // All clients of a check have one address.
            "0");
    proxies.addAll(
        startAll(
            count,
            number ->
                ProxyProcess.start(
                    program,
                    arguments,
                    Ports.reserve(1),
                    directory.resolve("proxy-" + (number + 1) + ".log"))));
  }

  private static <T extends AutoCloseable> List<T> startAll(int count, IntFunction<T> start) {
    List<CompletableFuture<T>> all =
        IntStream.range(0, count)
            .mapToObj(
                number ->
                    CompletableFuture.supplyAsync(
                        () -> start.apply(number), work -> new Thread(work, "check-start").start()))
            .toList();
    try {
      return all.stream().map(CompletableFuture::join).toList();
    } catch (CompletionException e) {
      for (CompletableFuture<T> one : all) {
        CompletableFuture<Void> unused = one.thenAccept(ZooFenceProcesses::end);
      }
      throw e.getCause() instanceof RuntimeException cause ? cause : e;
    }
  }

  private static void end(AutoCloseable one) {
    try {
      one.close();
    } catch (Exception e) {
      // The process did not start, or ends with this process.
    }
  }

  /** The addresses of the instances. */
  private List<InstanceServers> servers() {
    return IntStream.range(0, instances.size())
        .mapToObj(
            number ->
                new InstanceServers(
                    Integer.toString(number + 1), List.of(instances.get(number).connectString())))
        .toList();
  }

  /** The addresses for clients. */
  private List<String> addresses() {
    return proxies.stream().map(ProxyProcess::address).toList();
  }

  /** The testbed, with znodes below {@code root}. */
  public ZooFenceTestbed testbed(String root) {
    return new ZooFenceTestbed(
        this, servers(), servers().get(0), addresses(), root, ZooFenceTestbed.SESSION_MILLIS);
  }

  @Override
  public List<SiteDescriptor> places() {
    return ZooFenceTestbed.places(servers());
  }

  @Override
  public int nodes() {
    return 1;
  }

  @Override
  public Set<TrialFaultKind> kinds() {
    return Set.of(
        TrialFaultKind.KILL, TrialFaultKind.PAUSE, TrialFaultKind.LEADER, TrialFaultKind.PROXY);
  }

  @Override
  public boolean killedSitesRemember() {
    return true;
  }

  @Override
  public List<SiteLinkReport> lines() {
    return List.of();
  }

  @Override
  public void begin(PlannedFault fault) {
    switch (fault.kind()) {
      case KILL -> instances.get(fault.site()).kill();
      case PAUSE -> instances.get(fault.site()).pause();
      case LEADER -> broken(leader(fault)).kill();
      case PROXY -> {
        ProxyProcess proxy = broken(any(fault));
        if (fault.kills()) {
          proxy.kill();
        } else {
          proxy.pause();
        }
      }
      default ->
          throw new IllegalArgumentException("the fault does not apply to a deployment: " + fault);
    }
  }

  @Override
  public void end(PlannedFault fault) {
    switch (fault.kind()) {
      case KILL -> instances.get(fault.site()).restart();
      case PAUSE -> instances.get(fault.site()).resume();
      case LEADER -> broken(null).restart();
      case PROXY -> {
        if (fault.kills()) {
          broken(null).restart();
        } else {
          broken(null).resume();
        }
      }
      default ->
          throw new IllegalArgumentException("the fault does not apply to a deployment: " + fault);
    }
  }

  /** Records the proxy with a fault, or returns the recorded one. */
  private synchronized ProxyProcess broken(@Nullable ProxyProcess proxy) {
    if (proxy != null) {
      broken = proxy;
    }
    if (broken == null) {
      throw new IllegalStateException("no proxy is affected by a fault");
    }
    return broken;
  }

  private ProxyProcess any(PlannedFault fault) {
    return proxies.get(fault.strength() % proxies.size());
  }

  private ProxyProcess leader(PlannedFault fault) {
    ProxyProcess most = any(fault);
    int led = 0;
    for (ProxyProcess one : proxies) {
      int own = one.queuesLed();
      if (own > led) {
        most = one;
        led = own;
      }
    }
    return most;
  }

  /** Whether all proxies serve and one leads; the first instance represents them. */
  @Override
  public boolean isBalanced(int site) {
    List<Integer> led = proxies.stream().map(ProxyProcess::queuesLed).toList();
    return led.stream().allMatch(queues -> queues >= 0) && led.stream().anyMatch(q -> q > 0);
  }

  @Override
  public boolean isDegraded(int site) {
    return false;
  }

  @Override
  public void close() {
    proxies.forEach(ProxyProcess::close);
    instances.forEach(ZooKeeperProcess::close);
  }
}
