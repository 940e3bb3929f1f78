package io.ensemble.cli.check;

import io.ensemble.check.faults.FaultFreeSites;
import io.ensemble.check.process.CommandException;
import io.ensemble.check.process.ExitCode;
import io.ensemble.check.zoofence.ZooFenceTestbed;
import io.ensemble.zoofence.link.InstanceServers;
import java.util.List;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;

/** Whether ZooFence is under test, and which deployment. */
final class ZooFenceTrialOptions {
  private static final List<String> OF_OTHERS =
      List.of(
          "--mode",
          "--ack",
          "--shards",
          "--near",
          "--listen",
          "--listeners",
          "--only-check",
          "--federation",
          "--catalog",
          "--object",
          "--versioned",
          "--store",
          "--stored",
          "--nodes",
          "--processes",
          "--latency",
          "--bandwidth");
  private static final List<String> OF_ZOOFENCE =
      List.of("--proxies", "--ensembles", "--admin", "--proxy");
  private static final int FEWEST_INSTANCES = 2;
  private static final int MOST = 9;

  @Option(
      names = "--zoofence",
      description =
          "Test ZooFence: --sites one-server ensembles and --proxies proxies, each a process; or "
              + "those of --ensembles and --proxy.")
  boolean wanted;

  @Option(
      names = "--proxies",
      paramLabel = "N",
      defaultValue = "2",
      description =
          "Number of proxies to start with --zoofence, 1 to 9; default: ${DEFAULT-VALUE}.")
  int proxies;

  @Option(
      names = "--ensembles",
      paramLabel = "HOSTS|HOSTS",
      description = "Ensembles of an existing deployment, as for 'zoofence'.")
  @Nullable String ensembles;

  @Option(
      names = "--admin",
      paramLabel = "HOSTS",
      description = "Administrative ensemble of the deployment; default: the first ensemble.")
  @Nullable String admin;

  @Option(
      names = "--proxy",
      paramLabel = "HOST:PORT",
      split = ",",
      description = "Proxies of the deployment, separated by commas.")
  @Nullable List<String> proxy;

  /** Whether the options request a trial of ZooFence; refuses options that contradict it. */
  boolean areWanted(CommandSpec command) {
    for (String other : wanted ? OF_OTHERS : OF_ZOOFENCE) {
      if (isTyped(command, other)) {
        throw usage(
            wanted
                ? other + " is not supported with --zoofence, which tests ensembles of ZooKeeper"
                : other + " requires --zoofence");
      }
    }
    if (!wanted) {
      return false;
    }
    if ((ensembles == null) != (proxy == null)) {
      throw usage(
          "--ensembles and --proxy must be used together, because an existing deployment is also "
              + "read directly");
    }
    if (isOfOthers() && (isTyped(command, "--sites") || isTyped(command, "--proxies"))) {
      throw usage("--sites and --proxies start a deployment and exclude --ensembles");
    }
    if (admin != null && !isOfOthers()) {
      throw usage("--admin requires --ensembles");
    }
    return true;
  }

  /** Whether the deployment belongs to others. */
  boolean isOfOthers() {
    return ensembles != null && proxy != null;
  }

  /** The testbed of that deployment. */
  ZooFenceTestbed ofOthers(String root) {
    List<InstanceServers> instances = InstanceServers.read(String.valueOf(ensembles));
    InstanceServers office =
        admin == null ? instances.get(0) : InstanceServers.one("admin", admin, admin);
    return new ZooFenceTestbed(
        FaultFreeSites.ofSomebody(ZooFenceTestbed.places(instances)),
        instances,
        office,
        proxy == null ? List.of() : proxy,
        root,
        ZooFenceTestbed.SESSION_MILLIS);
  }

  /** Refuses numbers of processes that are out of their bounds. */
  void requireBounds(int instances) {
    if (instances < FEWEST_INSTANCES || instances > MOST) {
      throw usage("--sites must be in [2, 9] with --zoofence; got " + instances);
    }
    if (proxies < 1 || proxies > MOST) {
      throw usage("--proxies must be in [1, 9]; got " + proxies);
    }
  }

  private static boolean isTyped(CommandSpec command, String option) {
    return command.commandLine().getParseResult().hasMatchedOption(option);
  }

  private static CommandException usage(String line) {
    return new CommandException(ExitCode.USAGE, line);
  }
}
