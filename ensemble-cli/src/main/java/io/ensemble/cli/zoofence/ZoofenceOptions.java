package io.ensemble.cli.zoofence;

import static java.nio.charset.StandardCharsets.UTF_8;

import io.ensemble.check.process.CommandException;
import io.ensemble.check.process.ExitCode;
import io.ensemble.cli.option.DurationConverter;
import io.ensemble.site.hotrod.configuration.Secret;
import io.ensemble.zoofence.deployment.Deployment;
import io.ensemble.zoofence.deployment.DeploymentException;
import io.ensemble.zoofence.deployment.QueueRepair;
import io.ensemble.zoofence.deployment.SubtreeMover;
import io.ensemble.zoofence.link.InstanceServers;
import io.ensemble.zoofence.queue.QueueCommand.Credential;
import java.nio.CharBuffer;
import java.nio.file.Path;
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
    return new SubtreeMover(open(), patience);
  }

  /** The deployment, as one whose ensembles differ. */
  QueueRepair repairing(List<String> auth) throws InterruptedException {
    List<Credential> credentials = auth.stream().map(text -> credential("--auth", text)).toList();
    return new QueueRepair(open(), patience, credentials);
  }

  /** Checks that an ensemble has this name; null is no name. */
  void checkName(@Nullable String name) {
    List<String> names =
        InstanceServers.read(ensembles).stream().map(InstanceServers::name).toList();
    if (name != null && !names.contains(name)) {
      throw new CommandException(
          ExitCode.USAGE,
          "no ensemble is named '" + name + "'; known are " + String.join(", ", names));
    }
  }

  private Deployment open() throws InterruptedException {
    List<InstanceServers> instances = InstanceServers.read(ensembles);
    InstanceServers adminServers =
        admin == null ? instances.get(0) : InstanceServers.one("admin", admin, admin);
    try {
      return Deployment.openExisting(instances, adminServers, patience, adminAccess.access());
    } catch (DeploymentException e) {
      throw new CommandException(ExitCode.FAILED, String.valueOf(e.getMessage()));
    }
  }

  /** Reads a credential from an option, whose name is for the message. */
  static Credential credential(String option, String text) {
    int at = text.indexOf('@');
    String reference = text.substring(at + 1);
    Secret proof;
    if (at > 0 && reference.startsWith("file:")) {
      proof = Secret.inFile(Path.of(reference.substring("file:".length())));
    } else if (at > 0 && reference.startsWith("env:")) {
      proof = Secret.inVariable(reference.substring("env:".length()));
    } else {
      throw new CommandException(
          ExitCode.USAGE,
          option + " must be SCHEME@file:PATH or SCHEME@env:NAME, never a password");
    }
    try {
      return new Credential(text.substring(0, at), UTF_8.encode(CharBuffer.wrap(proof.get())));
    } catch (IllegalStateException e) {
      throw new CommandException(ExitCode.USAGE, option + ": " + e.getMessage());
    }
  }
}
