package io.ensemble.cli.sites;

import io.ensemble.check.federation.FederationConnection;
import io.ensemble.check.process.CommandException;
import io.ensemble.check.process.ExitCode;
import io.ensemble.cli.option.DurationConverter;
import io.ensemble.cli.option.FederationOption;
import io.ensemble.cli.output.ProgressLine;
import io.ensemble.cli.output.ReportOptions;
import io.ensemble.cli.output.Terminal;
import io.ensemble.cli.output.TextTable;
import java.io.PrintWriter;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

@Command(
    name = "recover",
    description = {
      "Recover a site that has lost its stores, or rejects requests.",
      "Each cache whose store the site has lost gets a new store there, refilled from other sites "
          + "while clients use it; also each cache that has continued without the site. Intact "
          + "stores stay. A store that rejects requests permanently, because too many nodes of the "
          + "site crashed together, is discarded only with --discard. May be repeated. Fails if a "
          + "cache could not be recovered."
    })
final class SitesRecoverCommand implements Callable<Integer> {

  @Mixin ReportOptions reporting = new ReportOptions();
  @Mixin FederationOption federation = new FederationOption();

  @Parameters(paramLabel = "NAME", description = "Name of the site.")
  String site = "";

  @Option(
      names = "--discard",
      description =
          "Discard stores that reject requests, or whose node does not answer. Writes that a "
              + "majority acknowledged are kept. Data that no other site has is lost: in WEAK, and "
              + "in SWMR with --ack primary if the site is the primary. Also discards writes at "
              + "this site alone, if a copy of the definitions let a cache continue at both of its "
              + "two sites.")
  boolean discard;

  @Option(
      names = "--timeout",
      paramLabel = "DURATION",
      defaultValue = "10m",
      converter = DurationConverter.class,
      description = "Timeout for one cache; default: ${DEFAULT-VALUE}.")
  Duration timeout = Duration.ofMinutes(10);

  private record Report(String site, boolean ok, List<SiteRecovery.SiteRecoveryReport> caches) {}

  @Override
  public Integer call() {
    if (timeout.isZero()) {
      throw new CommandException(ExitCode.USAGE, "--timeout must be above zero");
    }
    try (ProgressLine progressLine = ProgressLine.on(reporting.err(), "recovering " + site);
        FederationConnection connected = federation.connect()) {
      if (!connected.state().siteNames().contains(site)
          && connected.manager().membership().entry(site).isEmpty()) {
        throw new CommandException(
            "there is no site '%s'; known are %s".formatted(site, connected.siteNames()));
      }
      List<SiteRecovery.SiteRecoveryReport> caches =
          new SiteRecovery(connected.manager(), site, discard, timeout).run(progressLine::show);
      progressLine.finish();
      boolean ok = caches.stream().noneMatch(SiteRecovery.SiteRecoveryReport::hasFailed);
      Report report = new Report(site, ok, caches);
      reporting.report(report, out -> show(out, report));
      return ok ? ExitCode.OK : ExitCode.FAILED;
    }
  }

  private static void show(PrintWriter out, Report report) {
    if (report.caches().isEmpty()) {
      out.println("no cache is at " + report.site() + ": no recovery is needed");
      return;
    }
    TextTable table =
        new TextTable("cache", "at " + report.site(), "keys copied", "time", "reason");
    report
        .caches()
        .forEach(
            cache ->
                table.row(
                    cache.cache(),
                    cache.hasFailed() ? "FAILED" : cache.outcome(),
                    cache.keys() == null ? null : "%,d".formatted(cache.keys()),
                    "%.1f s".formatted(cache.seconds()),
                    cache.error() == null ? "" : cache.error()));
    table.print(out, Terminal.coloursOnOut());
  }
}
