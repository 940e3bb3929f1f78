package io.ensemble.cli.migrations;

import io.ensemble.check.federation.FederationConnection;
import io.ensemble.check.process.CommandException;
import io.ensemble.check.process.ExitCode;
import io.ensemble.cli.option.FederationOption;
import io.ensemble.cli.output.ReportOptions;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Parameters;

@Command(
    name = "rate",
    description = "Set how many keys a second a change copies at most, within two seconds.")
final class MigrationsRateCommand implements Callable<Integer> {

  @Mixin ReportOptions reporting = new ReportOptions();
  @Mixin FederationOption federation = new FederationOption();

  @Parameters(index = "0", paramLabel = "NAME", description = "The cache's name.")
  String name = "";

  @Parameters(index = "1", paramLabel = "N", description = "Keys a second; 0 for no bound.")
  long rate;

  @Override
  public Integer call() {
    if (rate < 0) {
      throw new CommandException(ExitCode.USAGE, "a rate is 0 or more keys a second; got " + rate);
    }
    try (FederationConnection connected = federation.connect()) {
      if (connected.manager().stored(name).isEmpty()) {
        throw connected.notConfigured(name, "paced");
      }
      connected.manager().changes().pace(name, rate);
      reporting.report(
          new Paced(name, rate),
          out ->
              out.printf(
                  "paced: the change of cache '%s' copies %s%n",
                  name, rate == 0 ? "as fast as it can" : rate + " keys a second at most"));
      return ExitCode.OK;
    }
  }

  private record Paced(String cache, long rate) {}
}
