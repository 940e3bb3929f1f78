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
      "Bring a site back that has lost what it held, or refuses.",
      "Every cache that the site lost its store of gets a new one there, filled from the other sites"
          + " while clients work; so does a cache that has gone on without the site. Stores that are"
          + " unharmed stay. A store that refuses for good,"
          + " because too many nodes of the site died at once, is given up only with --give-up."
          + " May be repeated; fails when a cache could not be recovered."
    })
final class SitesRecoverCommand implements Callable<Integer> {

  @Mixin ReportOptions reporting = new ReportOptions();
  @Mixin FederationOption federation = new FederationOption();

  @Parameters(paramLabel = "NAME", description = "The site.")
  String site = "";

  @Option(
      names = "--give-up",
      description =
          "Remove stores that refuse, or whose node does not answer. Nothing is lost that a majority"
              + " acknowledged. What no other site has is: in WEAK, and in SWMR with --ack primary when"
              + " the site is the primary. Also"
              + " gives up what was written at this site alone, where by a copy of the definitions a"
              + " cache went on at both of its two sites.")
  boolean giveUp;

  @Option(
      names = "--timeout",
      paramLabel = "DURATION",
      defaultValue = "10m",
      converter = DurationConverter.class,
      description = "How long one cache may take; default: ${DEFAULT-VALUE}.")
  Duration timeout = Duration.ofMinutes(10);

  private record Report(String site, boolean ok, List<SiteRecovery.Recovered> caches) {}

  @Override
  public Integer call() {
    if (timeout.isZero()) {
      throw new CommandException(ExitCode.USAGE, "--timeout wants more than nothing");
    }
    try (ProgressLine progressLine = ProgressLine.on(reporting.err(), "recovering " + site);
        FederationConnection connected = federation.connect()) {
      if (!connected.state().siteNames().contains(site)
          && connected.manager().membership().entry(site).isEmpty()) {
        throw new CommandException(
            "there is no site '%s'; there are %s".formatted(site, connected.siteNames()));
      }
      List<SiteRecovery.Recovered> caches =
          new SiteRecovery(connected.manager(), site, giveUp, timeout).run(progressLine::show);
      progressLine.finish();
      boolean ok = caches.stream().noneMatch(SiteRecovery.Recovered::failed);
      Report report = new Report(site, ok, caches);
      reporting.report(report, out -> show(out, report));
      return ok ? ExitCode.OK : ExitCode.FAILED;
    }
  }

  private static void show(PrintWriter out, Report report) {
    if (report.caches().isEmpty()) {
      out.println("no cache is at " + report.site() + ": nothing to recover");
      return;
    }
    TextTable table =
        new TextTable("cache", "at " + report.site(), "keys copied", "time", "why not");
    report
        .caches()
        .forEach(
            cache ->
                table.row(
                    cache.cache(),
                    cache.failed() ? "FAILED" : cache.outcome(),
                    cache.keys() == null ? null : "%,d".formatted(cache.keys()),
                    "%.1f s".formatted(cache.seconds()),
                    cache.error() == null ? "" : cache.error()));
    table.print(out, Terminal.coloursOnOut());
  }
}
