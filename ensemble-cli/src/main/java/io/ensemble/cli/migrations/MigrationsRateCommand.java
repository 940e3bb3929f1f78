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
    description =
        "Set the maximum number of keys that a change copies per second. Applies within "
            + "two seconds.")
final class MigrationsRateCommand implements Callable<Integer> {

  @Mixin ReportOptions reporting = new ReportOptions();
  @Mixin FederationOption federation = new FederationOption();

  @Parameters(index = "0", paramLabel = "NAME", description = "Name of the cache.")
  String name = "";

  @Parameters(index = "1", paramLabel = "N", description = "Keys per second; 0 for no limit.")
  long rate;

  @Override
  public Integer call() {
    if (rate < 0) {
      throw new CommandException(
          ExitCode.USAGE, "rate must be 0 or more keys per second; got " + rate);
    }
    try (FederationConnection connected = federation.connect()) {
      if (connected.manager().stored(name).isEmpty()) {
        throw connected.notConfigured(name, "paced");
      }
      connected.manager().changes().pace(name, rate);
      reporting.report(
          new RateReport(name, rate),
          out ->
              out.printf(
                  "paced: the change of cache '%s' copies %s%n",
                  name, rate == 0 ? "as fast as it can" : rate + " keys per second at most"));
      return ExitCode.OK;
    }
  }

  private record RateReport(String cache, long rate) {}
}
