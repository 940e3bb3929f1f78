package io.ensemble.cli.migrations;

import io.ensemble.check.federation.FederationConnection;
import io.ensemble.check.process.CommandException;
import io.ensemble.check.process.ExitCode;
import io.ensemble.cli.option.FederationOption;
import io.ensemble.cli.output.ReportOptions;
import io.ensemble.cli.output.TextTable;
import java.io.PrintWriter;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Parameters;

@Command(name = "show", description = "Show the change of a cache in progress.")
final class MigrationsShowCommand implements Callable<Integer> {

  @Mixin ReportOptions reporting = new ReportOptions();
  @Mixin FederationOption federation = new FederationOption();

  @Parameters(paramLabel = "NAME", description = "Name of the cache.")
  String name = "";

  @Override
  public Integer call() {
    try (FederationConnection connected = federation.connect()) {
      if (!connected.manager().getCacheNames().contains(name)) {
        throw connected.noSuchCache(name);
      }
      ChangeReport change =
          ChangeReport.all(connected.manager()).stream()
              .filter(one -> one.cache().equals(name))
              .findFirst()
              .orElseThrow(
                  () ->
                      new CommandException(
                          "no change of cache '%s' is in progress".formatted(name)));
      reporting.report(change, out -> show(out, change));
      return ExitCode.OK;
    }
  }

  private static void show(PrintWriter out, ChangeReport change) {
    TextTable.line(out, "cache", change.cache());
    TextTable.line(
        out,
        change.to().parts() == null ? "to configuration" : "to generation",
        String.valueOf(change.number()));
    ChangeReport.CacheState from = change.from();
    if (from != null) {
      TextTable.line(out, "from", from.fullText());
    }
    TextTable.line(out, "to", change.to().fullText());
    TextTable.line(out, "step", change.text());
    if (!change.lost().isEmpty()) {
      TextTable.line(
          out,
          "stuck",
          ChangeReport.missingAt(change.lost()) + "; " + LostStoreMonitor.IF_IT_STAYS);
    }
    TextTable.line(
        out, "rate", change.rate() == null ? "no limit" : change.rate() + " keys per second");
    TextTable.line(out, "mover", "%s, turn %d".formatted(change.owner(), change.turn()));
    change.left().forEach(left -> TextTable.line(out, "to be removed", left));
  }
}
