package io.ensemble.cli.zoofence;

import io.ensemble.check.process.CommandException;
import io.ensemble.check.process.ExitCode;
import io.ensemble.cli.option.DurationConverter;
import io.ensemble.zoofence.deployment.Deployment;
import io.ensemble.zoofence.deployment.DeploymentException;
import io.ensemble.zoofence.deployment.SubtreeMover;
import io.ensemble.zoofence.link.InstanceServers;
import java.time.Duration;
import java.util.List;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** The ZooFence deployment of a command. */
final class ZoofenceOptions {
  @Option(
      names = "--ensembles",
      paramLabel = "HOSTS|HOSTS",
      required = true,
      description = "Ensembles of the deployment, as given to its proxies.")
  String ensembles = "";

  @Option(
      names = "--admin",
      paramLabel = "HOSTS",
      description = "Administrative ensemble; default: the first ensemble.")
  @Nullable String admin;

  @Option(
      names = "--patience",
      paramLabel = "DURATION",
      converter = DurationConverter.class,
      defaultValue = "10s",
      description = "Timeout while an ensemble is not reachable; default: 10s.")
  Duration patience = Duration.ofSeconds(10);

  @Mixin AdminAccessOption adminAccess = new AdminAccessOption();

  /** The deployment, as one that moves subtrees. */
  SubtreeMover subtreeMover() throws InterruptedException {
    List<InstanceServers> instances = InstanceServers.read(ensembles);
    InstanceServers adminServers =
        admin == null ? instances.get(0) : InstanceServers.one("admin", admin, admin);
    try {
      return new SubtreeMover(
          Deployment.openExisting(instances, adminServers, patience, adminAccess.access()), patience);
    } catch (DeploymentException e) {
      throw new CommandException(ExitCode.FAILED, String.valueOf(e.getMessage()));
    }
  }
}
