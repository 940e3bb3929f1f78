package io.ensemble.cli.migrations;

import io.ensemble.cli.option.FederationOption;
import io.ensemble.cli.output.ReportOptions;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;

@Command(name = "list", description = "List the changes of caches in progress.")
final class MigrationsListCommand implements Callable<Integer> {

  @Mixin ReportOptions reporting = new ReportOptions();
  @Mixin FederationOption federation = new FederationOption();

  @Override
  public Integer call() {
    return MigrationsCommand.list(reporting, federation);
  }
}
