package io.ensemble.cli.zoofence;

import io.ensemble.check.process.CommandException;
import io.ensemble.check.process.ExitCode;
import io.ensemble.cli.output.ProgressLine;
import io.ensemble.cli.output.ReportOptions;
import io.ensemble.zoofence.deployment.DeploymentException;
import io.ensemble.zoofence.deployment.QueueRepair;
import io.ensemble.zoofence.deployment.QueueRepair.Difference;
import java.io.PrintWriter;
import java.util.List;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

@Command(
    name = "repair",
    description = {
      "Show znodes that differ at the ensembles that hold them, and make them equal.",
      "A queue stops when its ensembles differ, which a client that bypasses ZooFence can cause. "
          + "Without --apply nothing is changed. Exit code 1 if differences remain."
    })
final class ZoofenceRepairCommand implements Callable<Integer> {

  @Mixin ReportOptions reporting = new ReportOptions();

  @Mixin ZoofenceOptions deployment = new ZoofenceOptions();

  @Option(
      names = "--from",
      paramLabel = "NAME",
      description =
          "Ensemble whose znodes the others receive. What does not exist there is removed at the "
              + "others, with everything below it.")
  @Nullable String source;

  @Option(
      names = "--path",
      paramLabel = "PATH",
      defaultValue = "/",
      description =
          "Root of the znodes to compare; default: /. Stopped queues continue after a repair of /; "
              + "--apply refuses another path while a queue that can change it has stopped.")
  String path = "/";

  @Option(names = "--apply", description = "Make the changes; requires --from.")
  boolean apply;

  @Option(
      names = "--auth",
      paramLabel = "SCHEME@REF",
      description =
          "Credentials that can read and change the znodes, as digest@file:PATH or "
              + "digest@env:NAME, which contain user:password; may be repeated.")
  List<String> auth = List.of();

  @Override
  public Integer call() throws InterruptedException {
    if (apply && source == null) {
      throw new CommandException(ExitCode.USAGE, "--apply requires --from NAME");
    }
    deployment.checkName(source);
    QueueRepair repair = deployment.repairing(auth);
    try (ProgressLine progressLine =
        ProgressLine.on(reporting.err(), apply ? "repairing" : "comparing")) {
      List<Difference> found = repair.findDifferences(path);
      List<Difference> remaining = apply && source != null ? repair.repair(path, source) : found;
      progressLine.finish();
      reporting.report(
          new Repair(apply, source, found, remaining), out -> print(out, found, remaining));
      return remaining.isEmpty() ? ExitCode.OK : ExitCode.FAILED;
    } catch (DeploymentException e) {
      throw new CommandException(ExitCode.FAILED, String.valueOf(e.getMessage()));
    }
  }

  private void print(PrintWriter out, List<Difference> found, List<Difference> remaining) {
    if (found.isEmpty() && remaining.isEmpty()) {
      out.println("no differences");
      return;
    }
    for (Difference difference : found) {
      out.println(difference.subject());
      difference
          .states()
          .forEach(
              (name, state) ->
                  out.println("  " + name + ": " + state + markChange(difference, state)));
    }
    if (apply) {
      out.println(
          remaining.isEmpty()
              ? "repaired: all ensembles have what " + source + " has"
              : remaining.size() + " differences remain; " + source + " does not hold the znodes");
      remaining.forEach(difference -> out.println("  " + difference.subject()));
    } else {
      out.println("nothing was changed; to repair, add --from NAME --apply");
    }
  }

  /** Marks in a dry run the ensembles that a repair would change. */
  private String markChange(Difference difference, String state) {
    String chosen = source == null ? null : difference.states().get(source);
    return apply || chosen == null || chosen.equals(state) ? "" : " (to be changed)";
  }

  private record Repair(
      boolean applied,
      @Nullable String source,
      List<Difference> differences,
      List<Difference> remaining) {}
}
