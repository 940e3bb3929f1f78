package io.ensemble.cli.caches;

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

@Command(name = "list", description = "List the caches of the federation.")
final class CachesListCommand implements Callable<Integer> {

  @Mixin ReportOptions reporting = new ReportOptions();
  @Mixin FederationOption federation = new FederationOption();

  @Override
  public Integer call() {
    try (FederationConnection connected = federation.connect()) {
      List<CacheReport> caches =
          connected.manager().getCacheNames().stream()
              // A cache that is deleted between the two queries is left out.
              .flatMap(name -> connected.manager().stored(name).stream())
              .map(CacheReport::of)
              .toList();
      List<DistributionReport> distributed =
          connected.manager().getCacheNames().stream()
              .flatMap(name -> connected.manager().distribution(name).stream())
              .map(DistributionReport::of)
              .toList();
      reporting.report(new Caches(caches, distributed), out -> show(out, caches, distributed));
      return ExitCode.OK;
    }
  }

  private static void show(
      PrintWriter out, List<CacheReport> caches, List<DistributionReport> distributed) {
    if (caches.isEmpty() && distributed.isEmpty()) {
      out.println("no caches");
      return;
    }
    TextTable table =
        new TextTable(
            "cache",
            "mode",
            distributed.isEmpty() ? "sites" : "sites or parts",
            "acknowledged by",
            "deadline");
    caches.forEach(
        cache ->
            table.row(
                cache.name(),
                cache.mode(),
                String.join(",", cache.sites()),
                cache.acknowledgement(),
                cache.deadlineMillis() + " ms"));
    distributed.forEach(
        cache ->
            table.row(cache.name(), cache.mode(), String.join(",", cache.parts()), null, null));
    table.print(out, Terminal.coloursOnOut());
  }

  private record Caches(List<CacheReport> caches, List<DistributionReport> distributed) {}
}
