package io.ensemble.cli.zoofence;

import io.ensemble.check.process.CommandException;
import io.ensemble.check.process.ExitCode;
import io.ensemble.cli.option.DurationConverter;
import io.ensemble.cli.output.ProgressLine;
import io.ensemble.cli.output.ReportOptions;
import io.ensemble.zoofence.deployment.DeploymentException;
import io.ensemble.zoofence.deployment.SubtreeMover;
import io.ensemble.zoofence.flattening.MovePreview;
import io.ensemble.zoofence.queue.QueueCommand.Credential;
import java.time.Duration;
import java.util.ArrayList;
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

  @Option(
      names = "--dry-run",
      description =
          "Show what would be copied and removed, and what would refuse the move; change nothing. "
              + "The exit code is that of a refused move if there is a reason.")
  boolean isDryRun;

  @Override
  public Integer call() throws InterruptedException {
    List<Credential> credentials =
        auth.stream().map(text -> ZoofenceOptions.credential("--auth", text)).toList();
    SubtreeMover moving = deployment.subtreeMover();
    if (isDryRun) {
      return preview(moving, credentials);
    }
    try (ProgressLine progressLine = ProgressLine.on(reporting.err(), "moving " + path)) {
      var flattening = moving.move(path, String.join(" ", holders), credentials, limit);
      progressLine.finish();
      ZoofenceFlatteningCommand.report(reporting, flattening);
      return ExitCode.OK;
    } catch (DeploymentException e) {
      throw new CommandException(ExitCode.FAILED, String.valueOf(e.getMessage()));
    }
  }

  private int preview(SubtreeMover moving, List<Credential> credentials)
      throws InterruptedException {
    try (ProgressLine progressLine = ProgressLine.on(reporting.err(), "reading " + path)) {
      MovePreview preview = moving.preview(path, String.join(" ", holders), credentials, limit);
      progressLine.finish();
      reporting.report(preview, out -> lines(preview).forEach(out::println));
      return preview.isRefused() ? ExitCode.FAILED : ExitCode.OK;
    } catch (DeploymentException e) {
      throw new CommandException(ExitCode.FAILED, String.valueOf(e.getMessage()));
    }
  }

  private List<String> lines(MovePreview preview) {
    var lines = new ArrayList<String>();
    lines.add(
        "%s: %d znodes, %d bytes of data".formatted(path, preview.znodes(), preview.dataBytes()));
    preview
        .copies()
        .forEach(
            (name, copies) ->
                lines.add(
                    "%s: creates %d znodes, %d bytes; %d further changes"
                        .formatted(name, copies.znodes(), copies.dataBytes(), copies.changes())));
    preview
        .removals()
        .forEach((name, count) -> lines.add("%s: removes %d znodes".formatted(name, count)));
    preview.refusals().forEach(reason -> lines.add("refused: " + reason));
    if (preview.refusalCount() > preview.refusals().size()) {
      lines.add(
          "refused: %d further reasons"
              .formatted(preview.refusalCount() - preview.refusals().size()));
    }
    lines.add("nothing was changed");
    return lines;
  }
}
