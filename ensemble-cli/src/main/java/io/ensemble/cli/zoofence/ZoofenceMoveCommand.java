package io.ensemble.cli.zoofence;

import static java.nio.charset.StandardCharsets.UTF_8;

import io.ensemble.check.process.CommandException;
import io.ensemble.check.process.ExitCode;
import io.ensemble.cli.option.DurationConverter;
import io.ensemble.cli.output.ProgressLine;
import io.ensemble.cli.output.ReportOptions;
import io.ensemble.site.hotrod.configuration.Secret;
import io.ensemble.zoofence.deployment.DeploymentException;
import io.ensemble.zoofence.deployment.SubtreeMover;
import io.ensemble.zoofence.queue.QueueCommand.Credential;
import java.nio.CharBuffer;
import java.nio.file.Path;
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
    List<Credential> credentials = auth.stream().map(text -> credential("--auth", text)).toList();
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
