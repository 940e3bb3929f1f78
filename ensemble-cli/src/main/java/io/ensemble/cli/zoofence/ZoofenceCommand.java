package io.ensemble.cli.zoofence;

import io.ensemble.check.process.CommandException;
import io.ensemble.check.process.ExitCode;
import io.ensemble.check.report.WorkDirectory;
import io.ensemble.cli.option.DurationConverter;
import io.ensemble.cli.output.ProgressLine;
import io.ensemble.cli.output.ReportOptions;
import io.ensemble.cli.service.FourLetterProbe;
import io.ensemble.cli.service.SystemdNotifier;
import io.ensemble.zoofence.deployment.Deployment;
import io.ensemble.zoofence.deployment.DeploymentException;
import io.ensemble.zoofence.deployment.NearestInstances;
import io.ensemble.zoofence.embedded.EmbeddedInstance;
import io.ensemble.zoofence.flattening.FlatteningText;
import io.ensemble.zoofence.link.InstanceServers;
import io.ensemble.zoofence.proxy.ProxyNode;
import io.ensemble.zoofence.proxy.ProxyOptions;
import io.ensemble.zoofence.session.routing.ReadPreference;
import java.io.IOException;
import java.net.BindException;
import java.net.InetSocketAddress;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicReference;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

@Command(
    name = "zoofence",
    subcommands = {
      ZoofenceFlatteningCommand.class,
      ZoofenceMoveCommand.class,
      ZoofenceRepairCommand.class
    },
    description = {
      "Serve several independent ZooKeeper ensembles as one, until it is stopped.",
      "Clients of ZooKeeper in any language connect to it as to a server. Several such processes "
          + "may serve the same ensembles; a client that reconnects to another process keeps its "
          + "session. It ends with Ctrl-C or SIGTERM."
    })
public final class ZoofenceCommand implements Callable<Integer> {

  @Mixin ReportOptions reporting = new ReportOptions();

  @Option(
      names = "--ensembles",
      paramLabel = "HOSTS|HOSTS",
      description =
          "Ensembles: a host and port each, several servers of one ensemble separated by commas, "
              + "optionally with a name as lyon=HOST:PORT.")
  @Nullable String ensembles;

  @Option(
      names = "--embedded",
      paramLabel = "N",
      description = "Run N one-server ensembles in this process instead, for tests.")
  int embedded;

  @Option(
      names = "--data",
      paramLabel = "DIR",
      description = "Data directory of embedded ensembles; default: the data is lost at exit.")
  @Nullable Path data;

  private final List<EmbeddedInstance> embeddedInstances = new CopyOnWriteArrayList<>();
  private final AtomicReference<@Nullable ProxyNode> proxy = new AtomicReference<>();
  private volatile @Nullable Path temporary;

  @Option(
      names = "--admin",
      paramLabel = "HOSTS",
      description = "Administrative ensemble; default: the first ensemble.")
  @Nullable String admin;

  @Mixin AdminAccessOption adminAccess = new AdminAccessOption();

  @Option(
      names = "--flattening",
      paramLabel = "FILE",
      description =
          "Rules that place paths on ensembles: a line for each, such as '/queues hash 1' or "
              + "'/lyon 1'. Default: all ensembles hold all paths.")
  @Nullable Path flattening;

  @Option(
      names = "--address",
      paramLabel = "HOST",
      defaultValue = "127.0.0.1",
      description = "Address to bind; default: 127.0.0.1.")
  String address = "127.0.0.1";

  @Option(
      names = "--port",
      paramLabel = "PORT",
      defaultValue = "2181",
      description = "Port; 0 for any free port. Default: 2181.")
  int port = 2181;

  @Option(
      names = "--no-executor",
      negatable = true,
      defaultValue = "true",
      fallbackValue = "false",
      description =
          "Do not take part in the election of the leader, which executes commands that concern "
              + "several ensembles; by default this process does.")
  boolean executor = true;

  @Option(
      names = "--patience",
      paramLabel = "DURATION",
      converter = DurationConverter.class,
      defaultValue = "10s",
      description = "Timeout of a request while an ensemble is not reachable; default: 10s.")
  Duration patience = Duration.ofSeconds(10);

  @Option(
      names = "--reads",
      paramLabel = "WHERE",
      defaultValue = "canonical",
      description =
          "Ensemble that serves reads of a path that several ensembles hold: 'canonical', the same "
              + "for all clients, or 'nearest', which may return older data. Default: canonical.")
  ReadPlacement reads = ReadPlacement.CANONICAL;

  @Option(
      names = "--nearest",
      paramLabel = "NAME",
      split = ",",
      description =
          "Nearest ensembles, the nearest first, with --reads nearest; default: measured.")
  List<String> nearest = List.of();

  @Mixin ProxyClientOptions clientOptions = new ProxyClientOptions();

  /** Where a path that several ensembles hold is read. */
  enum ReadPlacement {
    CANONICAL,
    NEAREST
  }

  @Override
  public Integer call() throws InterruptedException, IOException {
    if ((ensembles == null) == (embedded == 0) || embedded < 0) {
      throw new CommandException(ExitCode.USAGE, "requires either --ensembles or --embedded N");
    }
    // Invalid options are reported before any process starts.
    List<InstanceServers> named = ensembles == null ? null : InstanceServers.read(ensembles);
    String rules = rules(named);
    checkNearest(named);
    adminAccess.access();
    ProxyOptions options = clientOptions.options(address, port);
    Runtime.getRuntime().addShutdownHook(new Thread(this::end, "zoofence-down"));
    ProxyNode node;
    List<InstanceServers> instances;
    try {
      instances = named == null ? startEmbedded() : named;
      InstanceServers office =
          admin == null ? instances.get(0) : InstanceServers.one("admin", admin, admin);
      node = serve(instances, office, rules, options);
      proxy.set(node);
    } catch (Exception e) {
      end();
      throw e;
    }
    String served = address + ":" + node.address().getPort();
    InetSocketAddress secureAddress = node.secureAddress();
    String secure = secureAddress == null ? null : address + ":" + secureAddress.getPort();
    reporting.report(
        new Serving(
            served,
            secure,
            instances.stream().map(ZoofenceCommand::line).toList(),
            node.deployment().flattening().toString()),
        out -> {
          instances.forEach(one -> out.println(line(one)));
          out.println(
              node.deployment().flattening().rules().isEmpty()
                  ? "every path on all of them"
                  : node.deployment().flattening().toString().strip());
          if (secure != null) {
            out.println("TLS at " + secure);
          }
          out.println("serving at " + served + "; Ctrl-C ends it");
        });
    try (SystemdNotifier unused =
        SystemdNotifier.start(System.getenv(), new FourLetterProbe(node.address()))) {
      new CountDownLatch(1).await();
    }
    return ExitCode.OK;
  }

  private @Nullable String rules(@Nullable List<InstanceServers> named) {
    if (flattening == null) {
      return null;
    }
    List<String> names =
        named == null
            ? IntStream.rangeClosed(1, embedded).mapToObj(Integer::toString).toList()
            : named.stream().map(InstanceServers::name).toList();
    try {
      String rules = Files.readString(flattening);
      FlatteningText.read(rules, names);
      return rules;
    } catch (IOException e) {
      throw new CommandException(ExitCode.USAGE, "cannot read the flattening " + flattening);
    }
  }

  private void checkNearest(@Nullable List<InstanceServers> named) {
    if (!nearest.isEmpty() && reads != ReadPlacement.NEAREST) {
      throw new CommandException(ExitCode.USAGE, "--nearest requires --reads nearest");
    }
    NearestInstances.ofNames(named == null ? embeddedServers() : named, nearest);
  }

  private List<InstanceServers> embeddedServers() {
    return IntStream.rangeClosed(1, embedded)
        .mapToObj(number -> new InstanceServers(Integer.toString(number), List.of("embedded:1")))
        .toList();
  }

  private ReadPreference reads(List<InstanceServers> instances) throws InterruptedException {
    if (reads == ReadPlacement.CANONICAL) {
      return ReadPreference.CANONICAL;
    }
    return nearest.isEmpty()
        ? NearestInstances.measure(instances, patience)
        : NearestInstances.ofNames(instances, nearest);
  }

  private ProxyNode serve(
      List<InstanceServers> instances,
      InstanceServers office,
      @Nullable String rules,
      ProxyOptions options)
      throws InterruptedException {
    try (ProgressLine progressLine = ProgressLine.on(reporting.err(), "joining")) {
      Deployment deployment =
          Deployment.join(instances, office, rules, patience, adminAccess.access());
      progressLine.finish();
      return ProxyNode.serve(deployment, options, executor, patience, reads(instances));
    } catch (Exception e) {
      if (e instanceof DeploymentException || e instanceof BindException) {
        throw new CommandException(
            ExitCode.FAILED, e.getMessage() + " (" + address + ":" + port + ")");
      }
      throw e;
    }
  }

  private List<InstanceServers> startEmbedded() throws IOException, InterruptedException {
    Path home = data;
    if (home == null) {
      home = Files.createTempDirectory("zoofence");
      temporary = home;
    }
    var instances = new ArrayList<InstanceServers>();
    for (int number = 1; number <= embedded; number++) {
      Path directory = Files.createDirectories(home.resolve("ensemble" + number));
      EmbeddedInstance one = EmbeddedInstance.start(directory, 0);
      embeddedInstances.add(one);
      instances.add(one.servers(Integer.toString(number)));
    }
    return instances;
  }

  /** Closes what was started, and removes the directory of ensembles that need not last. */
  private synchronized void end() {
    List<AutoCloseable> started = new ArrayList<>(embeddedInstances);
    ProxyNode node = proxy.getAndSet(null);
    if (node != null) {
      started.add(0, node);
    }
    embeddedInstances.clear();
    for (AutoCloseable one : started) {
      try {
        one.close();
      } catch (Exception e) {
        // The others are closed all the same; the process ends.
      }
    }
    Path home = temporary;
    if (home != null) {
      WorkDirectory.remove(home);
    }
  }

  private static String line(InstanceServers servers) {
    return servers.name() + ": " + String.join(" ", servers.addresses());
  }

  private record Serving(
      String address, @Nullable String secureAddress, List<String> ensembles, String flattening) {}
}
