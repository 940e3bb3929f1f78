package io.ensemble.cli.heat;

import io.ensemble.check.federation.FederationConnection;
import io.ensemble.check.process.ExitCode;
import io.ensemble.cli.option.FederationOption;
import io.ensemble.cli.output.ReportOptions;
import io.ensemble.cli.output.Terminal;
import io.ensemble.cli.output.TextTable;
import io.ensemble.cli.output.ValueFormatter;
import io.ensemble.heat.HeatMap;
import io.ensemble.heat.HeatMap.EstimatedCount;
import io.ensemble.heat.HeatMap.HeatInterval;
import io.ensemble.heat.HeatMap.HotKey;
import io.ensemble.heat.HeatMap.OriginLoad;
import io.ensemble.heat.HeatMap.SiteLoad;
import io.ensemble.heat.HeatMap.ValueSizes;
import io.ensemble.heat.HeatMaps;
import java.io.PrintWriter;
import java.time.Duration;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Parameters;

@Command(
    name = "heat",
    description = {
      "Show which keys of a cache are used most, by all processes that record their operations.",
      "Also the mix of reads and writes, the number of different keys, the sizes of values, and "
          + "the share of each site. Processes publish their operations once a minute."
    })
public final class HeatCommand implements Callable<Integer> {

  @Mixin ReportOptions reporting = new ReportOptions();
  @Mixin FederationOption federation = new FederationOption();

  @Parameters(paramLabel = "CACHE", description = "Name of the cache.")
  String cache = "";

  @Option(
      names = "--minutes",
      paramLabel = "N",
      defaultValue = "10",
      description = "Length of the period that ends now, 1 to 1440; default: ${DEFAULT-VALUE}.")
  int minutes;

  @Option(
      names = "--top",
      paramLabel = "N",
      defaultValue = "10",
      description = "Number of keys, 1 to 100; default: ${DEFAULT-VALUE}.")
  int top;

  @Override
  public Integer call() {
    check("--minutes", minutes, (int) HeatMaps.LONGEST.toMinutes());
    check("--top", top, HeatMaps.MOST_KEYS);
    try (FederationConnection connected = federation.connect()) {
      if (!connected.manager().getCacheNames().contains(cache)) {
        throw connected.noSuchCache(cache);
      }
      HeatMap map = HeatMaps.of(connected.manager()).read(cache, Duration.ofMinutes(minutes), top);
      reporting.report(HeatReport.of(map), out -> show(out, map));
      return ExitCode.OK;
    }
  }

  private void check(String option, int value, int most) {
    if (value < 1 || value > most) {
      throw new ParameterException(
          reporting.spec().commandLine(),
          "%s must be in [1, %d]; got %d".formatted(option, most, value));
    }
  }

  private void show(PrintWriter out, HeatMap map) {
    if (map.processes() == 0) {
      out.printf(
          "no operation on '%s' was published in the last %d min: only processes that record their "
              + "operations publish them (docs/heat-maps.md)%n",
          cache, minutes);
      return;
    }
    double operations = Math.max(1, map.operations());
    TextTable keys = new TextTable("key", "operations", "at least", "at most", "share");
    for (HotKey key : map.keys()) {
      EstimatedCount count = key.operations();
      keys.row(
          ValueFormatter.line(key.key()),
          number(count.estimate()),
          number(count.lower()),
          number(count.upper()),
          percent(count.estimate() / operations));
    }
    keys.print(out, Terminal.coloursOnOut());
    out.println();
    TextTable sites = new TextTable("site", "reads", "writes", "share");
    for (SiteLoad site : map.sites()) {
      sites.row(site.site(), number(site.reads()), number(site.writes()), percent(site.share()));
    }
    if (!map.sites().isEmpty()) {
      sites.print(out, Terminal.coloursOnOut());
      out.println();
    }
    TextTable origins = new TextTable("processes near", "processes", "reads", "writes");
    for (OriginLoad origin : map.origins()) {
      origins.row(
          origin.site().isEmpty() ? "(unknown)" : origin.site(),
          number(origin.processes()),
          number(origin.reads()),
          number(origin.writes()));
    }
    origins.print(out, Terminal.coloursOnOut());
    out.println();
    TextTable.line(
        out,
        "operations",
        "%,d: %,d reads, %,d writes (%s)"
            .formatted(
                map.operations(), map.reads(), map.writes(), percent(map.writes() / operations)));
    EstimatedCount distinct = map.distinctKeys();
    TextTable.line(
        out,
        "different keys",
        "about %,d (%,d to %,d)"
            .formatted(distinct.estimate(), distinct.lower(), distinct.upper()));
    ValueSizes sizes = map.sizes();
    if (sizes != null) {
      TextTable.line(
          out,
          "value sizes",
          "p50 %,d, p99 %,d, largest %,d bytes"
              .formatted(sizes.p50(), sizes.p99(), sizes.largest()));
    }
    TextTable.line(
        out,
        "published by",
        "%d processes, %s to %s".formatted(map.processes(), map.from(), map.to()));
    if (!map.isComplete()) {
      TextTable.line(
          out, "not complete", "the processes have too many windows: use a shorter period");
    }
    if (map.unreadable() > 0) {
      TextTable.line(out, "not readable", map.unreadable() + " windows, which are left out");
    }
  }

  private static String number(long number) {
    return String.format(Locale.ROOT, "%,d", number);
  }

  private static String percent(double share) {
    return String.format(Locale.ROOT, "%.1f %%", 100 * share);
  }

  /** The report as JSON. */
  private record HeatReport(
      String cache,
      String from,
      String to,
      int processes,
      long reads,
      long writes,
      List<HotKey> keys,
      EstimatedCount distinctKeys,
      @Nullable ValueSizes valueBytes,
      List<SiteLoad> sites,
      List<OriginLoad> origins,
      long intervalSeconds,
      List<IntervalReport> intervals,
      int unreadable,
      boolean complete) {

    static HeatReport of(HeatMap map) {
      return new HeatReport(
          map.cache(),
          map.from().toString(),
          map.to().toString(),
          map.processes(),
          map.reads(),
          map.writes(),
          map.keys(),
          map.distinctKeys(),
          map.sizes(),
          map.sites(),
          map.origins(),
          map.interval().toSeconds(),
          map.intervals().stream().map(IntervalReport::of).toList(),
          map.unreadable(),
          map.isComplete());
    }
  }

  private record IntervalReport(String start, long reads, long writes, List<Long> keys) {

    static IntervalReport of(HeatInterval interval) {
      return new IntervalReport(
          interval.start().toString(), interval.reads(), interval.writes(), interval.keys());
    }
  }
}
