package io.ensemble.cli.migrations;

import io.ensemble.check.federation.FederationConnection;
import io.ensemble.check.process.ExitCode;
import io.ensemble.cli.option.FederationOption;
import io.ensemble.cli.output.ReportOptions;
import io.ensemble.cli.output.Terminal;
import io.ensemble.cli.output.TextTable;
import java.io.PrintWriter;
import java.util.List;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;

@Command(
    name = "migrations",
    description = {
      "Show, cancel, resume, restart or pace the changes of caches in progress: of their "
          + "configurations and of the parts of distributed caches.",
      "Without a command, or with 'list', lists the changes."
    },
    subcommands = {
      MigrationsListCommand.class,
      MigrationsShowCommand.class,
      MigrationsCancelCommand.class,
      MigrationsResumeCommand.class,
      MigrationsRestartCommand.class,
      MigrationsRateCommand.class
    })
public final class MigrationsCommand implements Callable<Integer> {

  @Mixin ReportOptions reporting = new ReportOptions();
  @Mixin FederationOption federation = new FederationOption();

  @Override
  public Integer call() {
    return list(reporting, federation);
  }

  static int list(ReportOptions reporting, FederationOption federation) {
    try (FederationConnection connected = federation.connect()) {
      List<ChangeReport> all = ChangeReport.all(connected.manager());
      reporting.report(new Migrations(all), out -> show(out, all));
      return ExitCode.OK;
    }
  }

  private static void show(PrintWriter out, List<ChangeReport> all) {
    if (all.isEmpty()) {
      out.println("no cache is being changed");
      return;
    }
    TextTable table =
        new TextTable("cache", "number", "from", "to", "step", "keys", "of", "rate", "turn");
    for (ChangeReport one : all) {
      ChangeReport.CacheState from = one.from();
      table.row(
          one.cache(),
          one.number(),
          from == null ? null : from.text(),
          one.to().text(),
          one.lost().isEmpty() ? one.step() : ChangeReport.missingAt(one.lost()),
          "%,d".formatted(one.copied()),
          one.of() == null ? null : "%,d".formatted(one.of()),
          one.rate() == null ? null : one.rate() + "/s",
          one.turn());
    }
    table.print(out, Terminal.coloursOnOut());
  }

  private record Migrations(List<ChangeReport> migrations) {}
}
