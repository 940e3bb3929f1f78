package io.ensemble.check.zoofence;

import io.ensemble.check.faults.FaultFreeSites;
import io.ensemble.check.faults.FaultableSites;
import io.ensemble.check.faults.PlannedFault;
import io.ensemble.check.faults.TrialFaultKind;
import io.ensemble.check.federation.SiteDescriptor;
import io.ensemble.check.trial.ClientLauncher;
import io.ensemble.check.trial.ClientThread;
import io.ensemble.check.znodes.ZnodeClient;
import io.ensemble.check.znodes.ZnodeLayout;
import io.ensemble.check.znodes.ZooFenceProgram;
import io.ensemble.testkit.link.SiteLinkReport;
import io.ensemble.zoofence.deployment.Deployment;
import io.ensemble.zoofence.embedded.EmbeddedInstance;
import io.ensemble.zoofence.link.InstanceServers;
import io.ensemble.zoofence.proxy.ProxyNode;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.Comparator;
import java.util.List;
import java.util.Set;
import java.util.function.IntFunction;
import java.util.function.Supplier;
import java.util.stream.IntStream;

/**
 * A deployment in this JVM, with relays between its parts that inject faults. The process that
 * leads the most queues can end, with all its connections.
 */
final class PlantedZooFence implements FaultableSites {
  static final Duration PATIENCE = Duration.ofMillis(500);

  /**
   * Client threads, which close their sessions when they end: no process exit does that for them.
   */
  static final ClientLauncher CLIENTS =
      ClientThread.launcher(
          (in, out) ->
              ZooFenceProgram.run(in, out, clients -> clients.forEach(ZnodeClient::close)));

  private static final int COUNT = 2;
  private static final int SESSION_MILLIS = 3_000;
  private static final String ROOT = "/ensemble-check-planted";

  private final List<EmbeddedInstance> instances = new ArrayList<>();
  private final List<FrameRelay> fronts = new ArrayList<>();
  private final List<Node> nodes = new ArrayList<>();
  private Node ended;

  /** The equivalent of one process, and the relays between it and the instances. */
  private final class Node {
    final List<FrameRelay> relays = new ArrayList<>();
    final Deployment deployment;
    ProxyNode node;

    Node(IntFunction<FrameRelay.Lie> toInstances) throws Exception {
      List<InstanceServers> heard = new ArrayList<>();
      for (EmbeddedInstance one : instances) {
        int number = heard.size();
        FrameRelay relay = new FrameRelay(one::port, () -> toInstances.apply(number));
        relays.add(relay);
        heard.add(new InstanceServers(Integer.toString(number + 1), List.of(relay.address())));
      }
      deployment =
          Deployment.join(
              heard, heard.get(0), ZnodeLayout.rules(ROOT, COUNT), Duration.ofSeconds(20));
      serve();
    }

    void serve() throws InterruptedException {
      node =
          ProxyNode.serve(
              deployment,
              new InetSocketAddress(InetAddress.getLoopbackAddress(), 0),
              true,
              PATIENCE);
    }

    void end() {
      for (FrameRelay relay : relays) {
        quietly(relay::cut);
      }
      node.close();
    }
  }

  private interface Closing {
    void run() throws IOException;
  }

  private static void quietly(Closing closing) {
    try {
      closing.run();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /**
   * @param toClients the faults between proxies and their clients
   * @param toInstances the faults between each instance and its proxies and executors
   */
  PlantedZooFence(
      Path directory, Supplier<FrameRelay.Lie> toClients, IntFunction<FrameRelay.Lie> toInstances)
      throws Exception {
    for (int i = 0; i < COUNT; i++) {
      instances.add(EmbeddedInstance.start(Files.createDirectories(directory.resolve("i" + i)), 0));
    }
    for (int i = 0; i < COUNT; i++) {
      Node node = new Node(toInstances);
      nodes.add(node);
      fronts.add(new FrameRelay(() -> node.node.address().getPort(), toClients));
    }
  }

  ZooFenceTestbed ground() {
    return new ZooFenceTestbed(
        this,
        servers(),
        servers().get(0),
        fronts.stream().map(FrameRelay::address).toList(),
        ROOT,
        SESSION_MILLIS);
  }

  /** The same deployment, as one that another process runs. */
  ZooFenceTestbed ofOthers() {
    ZooFenceTestbed own = ground();
    return new ZooFenceTestbed(
        FaultFreeSites.ofSomebody(places()),
        own.instances(),
        own.admin(),
        own.proxies(),
        own.root(),
        own.sessionMillis());
  }

  /** Disconnects the proxies from all clients. */
  void hideProxies() {
    fronts.forEach(front -> quietly(front::close));
  }

  /** Whether a path exists at any instance. */
  boolean has(String path) {
    return instances.stream().anyMatch(i -> i.server().getZKDatabase().getNode(path) != null);
  }

  private List<InstanceServers> servers() {
    return IntStream.range(0, COUNT)
        .mapToObj(i -> instances.get(i).servers(Integer.toString(i + 1)))
        .toList();
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
    return Set.of(TrialFaultKind.LEADER);
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
    ended = Collections.max(nodes, Comparator.comparingInt(one -> one.node.queuesLed()));
    ended.end();
  }

  @Override
  public void end(PlannedFault fault) {
    try {
      ended.serve();
    } catch (InterruptedException e) {
      throw new IllegalStateException(e);
    }
  }

  @Override
  public boolean isBalanced(int site) {
    return true;
  }

  @Override
  public boolean isDegraded(int site) {
    return false;
  }

  @Override
  public void close() {
    nodes.forEach(Node::end);
    nodes.forEach(one -> one.relays.forEach(relay -> quietly(relay::close)));
    fronts.forEach(front -> quietly(front::close));
    instances.forEach(EmbeddedInstance::close);
  }
}
