package io.ensemble.cli.sites;

import io.ensemble.EnsembleCacheManager;
import io.ensemble.check.process.ExitCode;
import io.ensemble.cli.option.FederationOption;
import io.ensemble.cli.output.ReportOptions;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Parameters;

@Command(
    name = "remove",
    description = {
      "Take a site out of the catalog.",
      "Refused while caches are there, naming them, and which of them have their only copy there:"
          + " drain it first. The site itself goes on, with whatever it holds."
    })
final class SitesRemoveCommand implements Callable<Integer> {

  @Mixin ReportOptions reporting = new ReportOptions();
  @Mixin FederationOption federation = new FederationOption();

  @Parameters(paramLabel = "NAME", description = "The site.")
  String name = "";

  private record Removed(String site, boolean removed) {}

  @Override
  public Integer call() {
    try (EnsembleCacheManager manager = federation.managerOfPresent()) {
      manager.membership().remove(name);
      reporting.report(new Removed(name, true), out -> out.printf("removed: site '%s'%n", name));
      return ExitCode.OK;
    }
  }
}
