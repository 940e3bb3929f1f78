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
          "Try ZooFence: --sites one-server ensembles and --proxies proxies, each a process; or"
              + " those that --ensembles and --proxy name.")
  boolean wanted;

  @Option(
      names = "--proxies",
      paramLabel = "N",
      defaultValue = "2",
      description = "Proxies to start with --zoofence, 1 to 9; default: ${DEFAULT-VALUE}.")
  int proxies;

  @Option(
      names = "--ensembles",
      paramLabel = "HOSTS|HOSTS",
      description = "The ensembles of a deployment that others run, as for 'zoofence'.")
  @Nullable String ensembles;

  @Option(
      names = "--admin",
      paramLabel = "HOSTS",
      description = "Its administrative ensemble; the first of the others otherwise.")
  @Nullable String admin;

  @Option(
      names = "--proxy",
      paramLabel = "HOST:PORT",
      split = ",",
      description = "Its proxies, with commas.")
  @Nullable List<String> proxy;

  /** Whether the options request a trial of ZooFence; refuses options that contradict it. */
  boolean areWanted(CommandSpec command) {
    for (String other : wanted ? OF_OTHERS : OF_ZOOFENCE) {
      if (isTyped(command, other)) {
        throw usage(
            wanted
                ? other + " is not for --zoofence, which tries ensembles of ZooKeeper"
                : other + " is for --zoofence");
      }
    }
    if (!wanted) {
      return false;
    }
    if ((ensembles == null) != (proxy == null)) {
      throw usage(
          "--ensembles and --proxy go together: what others run is looked at directly, too");
    }
    if (isOfOthers() && (isTyped(command, "--sites") || isTyped(command, "--proxies"))) {
      throw usage("--sites and --proxies are started; got --ensembles too, which are there");
    }
    if (admin != null && !isOfOthers()) {
      throw usage("--admin is for --ensembles");
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
      throw usage("--sites wants 2 to 9 with --zoofence; got " + instances);
    }
    if (proxies < 1 || proxies > MOST) {
      throw usage("--proxies wants 1 to 9; got " + proxies);
    }
  }

  private static boolean isTyped(CommandSpec command, String option) {
    return command.commandLine().getParseResult().hasMatchedOption(option);
  }

  private static CommandException usage(String line) {
    return new CommandException(ExitCode.USAGE, line);
  }
}
