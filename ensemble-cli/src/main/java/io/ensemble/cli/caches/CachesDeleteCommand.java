package io.ensemble.cli.caches;

import io.ensemble.check.federation.FederationConnection;
import io.ensemble.check.process.ExitCode;
import io.ensemble.cli.option.FederationOption;
import io.ensemble.cli.output.ReportOptions;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Parameters;

@Command(
    name = "delete",
    description = {
      "Delete a cache with all its entries, for all clients.",
      "The parts of a distributed cache stay, with their entries; delete them afterwards. Shards "
          + "are deleted with their cache."
    })
final class CachesDeleteCommand implements Callable<Integer> {

  @Mixin ReportOptions reporting = new ReportOptions();
  @Mixin FederationOption federation = new FederationOption();

  @Parameters(paramLabel = "NAME", description = "Name of the cache.")
  String name = "";

  @Override
  public Integer call() {
    try (FederationConnection connected = federation.connect()) {
      if (!connected.manager().deleteCache(name)) {
        throw connected.noSuchCache(name);
      }
      reporting.report(new Deleted(name, true), out -> out.printf("deleted: cache '%s'%n", name));
      return ExitCode.OK;
    }
  }

  private record Deleted(String cache, boolean deleted) {}
}
