package io.ensemble.benchmarks.zoofence;

import io.ensemble.benchmarks.process.TemporaryDirectory;
import io.ensemble.testkit.link.Ports;
import io.ensemble.testkit.wan.PathProfile;
import io.ensemble.testkit.wan.WanPlan;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.function.Consumer;
import java.util.stream.Collectors;
import java.util.stream.IntStream;

/**
 * All compared systems, started. Each of four sites has a process with three ZooKeeper servers: one
 * of those divided by hand, one of ZooFence's instances and one member of the spanning ensemble.
 * Another process there has the producers. A fifth host, which as in the paper belongs to no site,
 * has ZooFence's administrative ensemble of one server, and the executor. All servers store their
 * data in memory.
 */
final class QueueTestbed implements AutoCloseable {

  /** The number of sites in the paper. */
  static final int SITES = 4;

  private static final int CENTRE = 0;

  /**
   * The hosts of the testbed: one in the middle, one for each site's servers, and one for each
   * site's producers.
   */
  static WanPlan hosts(QueuePlan plan) {
    WanPlan hosts =
        WanPlan.of(
            PathProfile.of(plan.roundTrip()),
            IntStream.rangeClosed(0, 2 * SITES).mapToObj(HostNetwork::name).toArray(String[]::new));
    for (int site = 1; site <= SITES; site++) {
      hosts =
          hosts.with(
              HostNetwork.name(site),
              HostNetwork.name(producers(site)),
              PathProfile.of(plan.inSite()));
    }
    return hosts;
  }

  private static int producers(int site) {
    return SITES + site;
  }

  /** Ports of the servers of one host. */
  private record HostPorts(int own, int instance, int spanning, int peer) {
    static HostPorts reserve() {
      return new HostPorts(Ports.reserve(1), Ports.reserve(1), Ports.reserve(1), Ports.reserve(2));
    }
  }

  private final HostNetwork hostNetwork;
  private final Deque<AutoCloseable> closing = new ArrayDeque<>();
  private final List<HostPorts> ports =
      IntStream.rangeClosed(0, SITES).mapToObj(host -> HostPorts.reserve()).toList();
  private final List<HostProgram> programs = new ArrayList<>();
  private final List<HostProgram> producers = new ArrayList<>();

  /** Starts all. */
  QueueTestbed(HostNetwork hostNetwork, Consumer<String> progress) {
    this.hostNetwork = hostNetwork;
    try {
      TemporaryDirectory directory = TemporaryDirectory.inMemory("ensemble-queues");
      closing.push(directory);
      progress.accept("starting ZooKeepers in " + directory.path());
      List<HostProgram> servers = new ArrayList<>();
      for (int host = 0; host <= SITES; host++) {
        HostServers of =
            new HostServers(directory.path().resolve("host" + host).toString(), servers(host));
        servers.add(
            closeLater(
                HostProgram.start(
                    hostNetwork, host, ServersMain.class, of, HostServers.JAVA_OPTIONS)));
      }
      servers.forEach(each -> each.answer(ServersMain.SERVING));
      progress.accept("founding ZooFence, making queues");
      servers.get(CENTRE).tell(deploymentSpec());
      servers.get(CENTRE).answer(ServersMain.FOUNDED);
      for (int site = 1; site <= SITES; site++) {
        producers.add(
            closeLater(
                HostProgram.start(
                    hostNetwork, producers(site), ProducersMain.class, place(site), List.of())));
      }
    } catch (RuntimeException failed) {
      close();
      throw failed;
    }
  }

  private HostProgram closeLater(HostProgram program) {
    closing.push(program);
    programs.add(program);
    return program;
  }

  private List<HostServers.HostServer> servers(int host) {
    HostPorts at = ports.get(host);
    HostServers.HostServer instance =
        new HostServers.HostServer("instance", 1, at.instance(), standaloneSettings(host));
    if (host == CENTRE) {
      return List.of(instance);
    }
    return List.of(
        instance,
        new HostServers.HostServer("own", 1, at.own(), standaloneSettings(host)),
        new HostServers.HostServer("spanning", host, at.spanning(), memberSettings(host)));
  }

  private Map<String, String> standaloneSettings(int host) {
    return Map.of("clientPortAddress", hostNetwork.address(host));
  }

  private Map<String, String> memberSettings(int host) {
    Map<String, String> settings = new TreeMap<>(standaloneSettings(host));
    settings.putAll(Map.of("initLimit", "20", "syncLimit", "10"));
    for (int site = 1; site <= SITES; site++) {
      int peer = ports.get(site).peer();
      settings.put(
          "server." + site, "%s:%d:%d".formatted(hostNetwork.address(site), peer, peer + 1));
    }
    return settings;
  }

  /** The connect string of ZooFence's clients; the first of the instances is administrative. */
  private String zooFence() {
    return IntStream.rangeClosed(0, SITES)
        .mapToObj(
            host ->
                (host == CENTRE ? "centre=" : "site" + host + "=")
                    + at(host, ports.get(host).instance()))
        .collect(Collectors.joining("|"));
  }

  private String at(int host, int port) {
    return hostNetwork.address(host) + ":" + port;
  }

  private HostServers.DeploymentSpec deploymentSpec() {
    List<String> sites = IntStream.rangeClosed(1, SITES).mapToObj(site -> "site" + site).toList();
    StringBuilder rules = new StringBuilder();
    sites.forEach(site -> rules.append("/%s %s%n".formatted(site, site)));
    rules.append("%s %s%n".formatted(ProducerEndpoints.sharedQueue(), String.join(" ", sites)));
    List<String> paths = new ArrayList<>(sites.stream().map(site -> "/" + site).toList());
    // The second path is the first command of its set, so that the leader is known from the
    // beginning.
    paths.addAll(
        List.of(ProducerEndpoints.sharedQueue(), ProducerEndpoints.sharedQueue() + "/founded"));
    return new HostServers.DeploymentSpec(zooFence(), rules.toString(), paths, 0);
  }

  private ProducerEndpoints place(int site) {
    HostPorts at = ports.get(site);
    return new ProducerEndpoints(site, at(site, at.own()), at(site, at.spanning()), zooFence());
  }

  /** Lets all sites execute the task in parallel; returns their reports, in order. */
  List<QueueReport> runOnProducers(QueueTask task) {
    producers.forEach(each -> each.tell(task));
    return producers.stream()
        .map(each -> each.answer(ProducersMain.REPORT, QueueReport.class))
        .toList();
  }

  /** The processor time of all programs, including the idle systems. */
  Duration processorTime() {
    return programs.stream().map(HostProgram::processorTime).reduce(Duration.ZERO, Duration::plus);
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
