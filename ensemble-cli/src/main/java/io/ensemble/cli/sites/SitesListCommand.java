package io.ensemble.cli.sites;

import io.ensemble.EnsembleCacheManager;
import io.ensemble.Membership;
import io.ensemble.check.federation.SiteStatus;
import io.ensemble.check.federation.SitesInCatalog;
import io.ensemble.check.process.ExitCode;
import io.ensemble.cli.option.FederationOption;
import io.ensemble.cli.output.ReportOptions;
import io.ensemble.cli.output.Terminal;
import io.ensemble.cli.output.TextTable;
import io.ensemble.membership.SiteUsage;
import io.ensemble.site.SiteStatistics;
import java.io.PrintWriter;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.OptionalLong;
import java.util.concurrent.Callable;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;

@Command(
    name = "list",
    description = {
      "List the sites of the catalog: their settings, their caches, and whether they answer.",
      "A site answers if one of its nodes answers. The health and the tasks of a site, as its "
          + "maintaining process reports them, are as old as the last heartbeat of this process. "
          + "Succeeds also if sites do not answer."
    })
final class SitesListCommand implements Callable<Integer> {

  @Mixin ReportOptions reporting = new ReportOptions();
  @Mixin FederationOption federation = new FederationOption();

  private static final int SILENT_SECONDS = 10;

  /**
   * A site.
   *
   * @param onlyCopies those of its caches of which no other site has a store
   * @param entries the number of its entries, by the count of its nodes; null if unknown
   * @param requestsPerSecond the mean rate of its requests; null if unknown
   * @param pingMillis the time of the fastest node; null if none answers
   * @param care the findings of the process that runs its maintenance; empty if there is none
   */
  record Row(
      String name,
      String state,
      List<String> endpoints,
      Map<String, String> labels,
      List<String> caches,
      List<String> onlyCopies,
      @Nullable Long entries,
      @Nullable Long requestsPerSecond,
      boolean reachable,
      @Nullable Double pingMillis,
      Map<String, String> care) {}

  private record Report(String catalog, List<Row> sites) {}

  @Override
  public Integer call() {
    String catalog = federation.address();
    try (EnsembleCacheManager manager = federation.existingManager()) {
      List<Row> rows = rows(catalog, manager.membership());
      reporting.report(new Report(catalog, rows), out -> show(out, rows));
      return ExitCode.OK;
    }
  }

  private static List<Row> rows(String catalog, Membership membership) {
    List<SiteUsage> sites = membership.sites();
    if (sites.isEmpty()) {
      return List.of();
    }
    List<SiteStatus> answers =
        SiteStatus.of(SitesInCatalog.state(catalog, sites.stream().map(SiteUsage::entry).toList()));
    Map<String, Map<String, String>> notes = membership.notes();
    Map<String, SiteStatistics> figures = membership.figures();
    List<Row> rows = new ArrayList<>();
    for (int i = 0; i < sites.size(); i++) {
      String name = sites.get(i).entry().name();
      rows.add(
          row(
              sites.get(i),
              answers.get(i),
              figures.getOrDefault(name, SiteStatistics.UNKNOWN),
              notes.getOrDefault(name, Map.of())));
    }
    return rows;
  }

  private static Row row(
      SiteUsage site, SiteStatus answer, SiteStatistics figures, Map<String, String> notes) {
    return new Row(
        site.entry().name(),
        site.entry().state().name().toLowerCase(Locale.ROOT),
        site.entry().endpoints().stream().map(Object::toString).toList(),
        site.entry().labels(),
        site.caches(),
        site.only(),
        orNull(figures.entries()),
        orNull(figures.requestsPerSecond()),
        answer.usable(),
        answer.pingMillis(),
        notes);
  }

  private static void show(PrintWriter out, List<Row> rows) {
    if (rows.isEmpty()) {
      out.println("no sites");
      return;
    }
    TextTable table =
        new TextTable(
            "site",
            "state",
            "endpoints",
            "labels",
            "caches",
            "entries",
            "requests/s",
            "reachable",
            "ping",
            "suspicion",
            "care");
    rows.forEach(
        row ->
            table.row(
                row.name(),
                row.state(),
                String.join(",", row.endpoints()),
                orNull(
                    row.labels().entrySet().stream()
                        .map(label -> label.getKey() + "=" + label.getValue())
                        .collect(Collectors.joining(","))),
                orNull(String.join(",", row.caches())),
                number(row.entries()),
                number(row.requestsPerSecond()),
                row.reachable() ? "yes" : "no",
                row.pingMillis() == null ? null : "%.2f ms".formatted(row.pingMillis()),
                suspicion(row.care()),
                maintenanceText(row.care())));
    table.print(out, Terminal.coloursOnOut());
  }

  private static String maintenanceText(Map<String, String> care) {
    if (care.isEmpty()) {
      return "none";
    }
    long silent = Instant.now().getEpochSecond() - Long.parseLong(care.getOrDefault("at", "0"));
    return silent > SILENT_SECONDS
        ? "none for " + silent + " s"
        : care.getOrDefault("doing", "idle");
  }

  private static @Nullable String suspicion(Map<String, String> care) {
    return care.isEmpty() ? null : "%s, phi %s".formatted(care.get("state"), care.get("phi"));
  }

  private static @Nullable Long orNull(OptionalLong figure) {
    return figure.isPresent() ? figure.getAsLong() : null;
  }

  private static @Nullable String number(@Nullable Long figure) {
    return figure == null ? null : "%,d".formatted(figure);
  }

  private static @Nullable String orNull(String text) {
    return text.isEmpty() ? null : text;
  }
}
