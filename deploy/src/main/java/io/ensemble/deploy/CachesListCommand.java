package io.ensemble.deploy;

import io.ensemble.deploy.federation.Federation;
import java.io.PrintWriter;
import java.util.List;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;

@Command(name = "list", description = "List the caches of the federation.")
final class CachesListCommand implements Callable<Integer> {

  @Mixin Reporting reporting = new Reporting();
  @Mixin FederationOption federation = new FederationOption();

  @Override
  public Integer call() {
    try (Federation connected = federation.connect()) {
      List<CacheReport> caches =
          connected.manager().getCacheNames().stream()
              // One that is deleted between the two questions is simply not there.
              .flatMap(name -> connected.manager().stored(name).stream())
              .map(CacheReport::of)
              .toList();
      reporting.report(new Caches(caches), out -> show(out, caches));
      return ExitCode.OK;
    }
  }

  private static void show(PrintWriter out, List<CacheReport> caches) {
    if (caches.isEmpty()) {
      out.println("no caches");
      return;
    }
    Table table = new Table("cache", "mode", "sites", "acknowledged by", "deadline");
    caches.forEach(
        cache ->
            table.row(
                cache.name(),
                cache.mode(),
                String.join(",", cache.sites()),
                cache.acknowledgement(),
                cache.deadlineMillis() + " ms"));
    table.print(out, Terminal.coloursOnOut());
  }

  private record Caches(List<CacheReport> caches) {}
}
