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
      "Remove a site from the catalog.",
      "Refused while caches are at the site; the message lists them, and those that have their "
          + "only copy there. Drain the site first. The site itself and its data stay."
    })
final class SitesRemoveCommand implements Callable<Integer> {

  @Mixin ReportOptions reporting = new ReportOptions();
  @Mixin FederationOption federation = new FederationOption();

  @Parameters(paramLabel = "NAME", description = "Name of the site.")
  String name = "";

  private record Removed(String site, boolean removed) {}

  @Override
  public Integer call() {
    try (EnsembleCacheManager manager = federation.existingManager()) {
      manager.membership().remove(name);
      reporting.report(new Removed(name, true), out -> out.printf("removed: site '%s'%n", name));
      return ExitCode.OK;
    }
  }
}
