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
import io.ensemble.membership.CacheRelocation;
import java.io.PrintWriter;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

@Command(
    name = "drain",
    description = {
      "Move all caches away from a site while clients use them.",
      "The site accepts no further caches. Each cache moves to where it would be placed now; "
          + "refused before any change if too few sites qualify. May be repeated after an "
          + "interruption, and then continues. Ends when the site has no caches."
    })
final class SitesDrainCommand implements Callable<Integer> {

  @Mixin ReportOptions reporting = new ReportOptions();
  @Mixin FederationOption federation = new FederationOption();

  @Parameters(paramLabel = "NAME", description = "Name of the site.")
  String name = "";

  @Option(
      names = "--timeout",
      paramLabel = "DURATION",
      defaultValue = "1h",
      converter = DurationConverter.class,
      description = "Timeout for one cache; default: ${DEFAULT-VALUE}.")
  Duration timeout = Duration.ofHours(1);

  @Option(
      names = "--rate",
      paramLabel = "N",
      defaultValue = "0",
      description =
          "Maximum number of keys copied per second while a cache serves; default: no limit.")
  long rate;

  @Option(
      names = "--undo",
      description = "Accept caches again instead; caches that have moved stay where they are.")
  boolean undo;

  @Option(
      names = "--no-wait",
      description = "Only begin: a process with maintenance, such as 'up', moves the caches.")
  boolean unwaited;

  private record Report(String site, boolean drained, List<SiteDrain.RelocationReport> caches) {}

  @Override
  public Integer call() {
    if (rate < 0) {
      throw new CommandException(
          ExitCode.USAGE, "--rate must be 0 or more keys per second; got " + rate);
    }
    if (timeout.isZero()) {
      throw new CommandException(ExitCode.USAGE, "--timeout must be above zero");
    }
    try (ProgressLine progressLine = ProgressLine.on(reporting.err(), "draining " + name);
        FederationConnection connected = federation.connect()) {
      if (undo) {
        connected.manager().membership().serve(name);
        reporting.report(
            new Report(name, false, List.of()), out -> out.printf("serving: site '%s'%n", name));
        return ExitCode.OK;
      }
      if (unwaited) {
        List<CacheRelocation> leaving = connected.manager().membership().drain(name);
        reporting.report(
            new Report(name, leaving.isEmpty(), List.of()),
            out -> {
              out.printf("draining: %d caches must leave %s%n", leaving.size(), name);
              leaving.forEach(cache -> note(out, cache.cache(), cache.notes()));
            });
        return ExitCode.OK;
      }
      List<SiteDrain.RelocationReport> moved =
          new SiteDrain(connected.manager(), name, timeout, rate)
              .run(progressLine::show, progressLine::show);
      progressLine.finish();
      Report report =
          new Report(name, moved.stream().allMatch(SiteDrain.RelocationReport::ok), moved);
      reporting.report(report, out -> show(out, report));
      return report.drained() ? ExitCode.OK : ExitCode.FAILED;
    }
  }

  private static void show(PrintWriter out, Report report) {
    if (!report.caches().isEmpty()) {
      TextTable table = new TextTable("cache", "from", "to", "moved", "keys", "time", "reason");
      report
          .caches()
          .forEach(
              cache ->
                  table.row(
                      cache.cache(),
                      String.join(",", cache.from()),
                      String.join(",", cache.to()),
                      cache.ok() ? "ok" : "FAILED",
                      "%,d".formatted(cache.keys()),
                      "%.1f s".formatted(cache.seconds()),
                      cache.error() == null ? "" : cache.error()));
      table.print(out, Terminal.coloursOnOut());
      report.caches().forEach(cache -> note(out, cache.cache(), cache.notes()));
    }
    out.println(
        report.drained()
            ? "drained: no cache is at " + report.site()
            : "not drained: caches are still at " + report.site());
  }

  private static void note(PrintWriter out, String cache, List<String> notes) {
    notes.forEach(note -> out.printf("note: %s: %s%n", cache, note));
  }
}
