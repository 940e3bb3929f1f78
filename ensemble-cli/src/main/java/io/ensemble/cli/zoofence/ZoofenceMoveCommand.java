package io.ensemble.cli.zoofence;

import io.ensemble.check.process.CommandException;
import io.ensemble.check.process.ExitCode;
import io.ensemble.cli.option.DurationConverter;
import io.ensemble.cli.output.ProgressLine;
import io.ensemble.cli.output.ReportOptions;
import io.ensemble.zoofence.deployment.DeploymentException;
import io.ensemble.zoofence.deployment.SubtreeMover;
import io.ensemble.zoofence.queue.QueueCommand.Credential;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

@Command(
    name = "move",
    description = {
      "Move a subtree to other ensembles while clients use it.",
      "Requests for the subtree wait until it is copied. Ephemeral znodes, containers and znodes "
          + "with a time to live cannot be moved."
    })
final class ZoofenceMoveCommand implements Callable<Integer> {

  @Mixin ReportOptions reporting = new ReportOptions();

  @Mixin ZoofenceOptions deployment = new ZoofenceOptions();

  @Parameters(index = "0", paramLabel = "PATH", description = "Root of the subtree.")
  String path = "";

  @Parameters(
      index = "1",
      arity = "1..*",
      paramLabel = "HOLDERS",
      description =
          "Ensembles that hold it afterwards, as in a flattening: names or numbers, *, hash N, or "
              + "levels KAPPA LAMBDA.")
  List<String> holders = List.of();

  @Option(
      names = "--auth",
      paramLabel = "SCHEME@REF",
      description =
          "Credentials that can read and change the whole subtree, as digest@file:PATH or "
              + "digest@env:NAME, which contain user:password; may be repeated.")
  List<String> auth = List.of();

  @Option(
      names = "--limit",
      paramLabel = "DURATION",
      converter = DurationConverter.class,
      defaultValue = "10m",
      description = "Time to wait for the move; default: 10m. The move continues afterwards.")
  Duration limit = Duration.ofMinutes(10);

  @Override
  public Integer call() throws InterruptedException {
    List<Credential> credentials =
        auth.stream().map(text -> ZoofenceOptions.credential("--auth", text)).toList();
    SubtreeMover moving = deployment.subtreeMover();
    try (ProgressLine progressLine = ProgressLine.on(reporting.err(), "moving " + path)) {
      var flattening = moving.move(path, String.join(" ", holders), credentials, limit);
      progressLine.finish();
      ZoofenceFlatteningCommand.report(reporting, flattening);
      return ExitCode.OK;
    } catch (DeploymentException e) {
      throw new CommandException(ExitCode.FAILED, String.valueOf(e.getMessage()));
    }
  }
}
