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
      "Delete a cache and all that it holds, for everyone.",
      "Of a distributed cache the parts stay, with what they hold; delete those afterwards. Shards"
          + " are deleted with their cache."
    })
final class CachesDeleteCommand implements Callable<Integer> {

  @Mixin ReportOptions reporting = new ReportOptions();
  @Mixin FederationOption federation = new FederationOption();

  @Parameters(paramLabel = "NAME", description = "The cache's name.")
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
