package io.ensemble.cli.explain;

import io.ensemble.EnsembleCacheManager;
import io.ensemble.catalog.definition.StoredDefinition;
import io.ensemble.catalog.definition.StoredPlacement;
import io.ensemble.check.federation.FederationConnection;
import io.ensemble.check.process.CommandException;
import io.ensemble.check.process.ExitCode;
import io.ensemble.cli.explain.PlacementReport.Decision;
import io.ensemble.cli.option.FederationOption;
import io.ensemble.cli.output.ReportOptions;
import io.ensemble.cli.output.TextTable;
import io.ensemble.placement.PlacementImpossibleException;
import io.ensemble.placement.PlacementPolicy;
import java.io.PrintWriter;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Parameters;

@Command(
    name = "placement",
    description = {
      "Explain why a cache is at its sites.",
      "Shows the decision when the cache was created, and the decision now, with a reason for each "
          + "site. Then sites and near caches are advised, by where the operations of the last hour "
          + "came from, if processes record them (see 'heat'). Nothing is moved."
    })
final class ExplainPlacementCommand implements Callable<Integer> {

  @Mixin ReportOptions reporting = new ReportOptions();
  @Mixin FederationOption federation = new FederationOption();

  @Parameters(paramLabel = "NAME", description = "Name of the cache.")
  String name = "";

  @Override
  public Integer call() {
    try (FederationConnection connected = federation.connect()) {
      EnsembleCacheManager manager = connected.manager();
      if (manager.distribution(name).isPresent()) {
        throw new CommandException(
            "the cache is distributed, only its parts are placed: %s; cache=%s"
                .formatted(manager.distribution(name).orElseThrow().parts(), name));
      }
      StoredDefinition stored = manager.stored(name).orElseThrow(() -> connected.noSuchCache(name));
      List<String> sites = stored.definition().siteNames();
      Optional<StoredPlacement> kept = manager.placement(name);
      PlacementPolicy policy =
          kept.map(StoredPlacement::wish)
              .orElseGet(() -> PlacementPolicy.copies(name, sites.size()).build());
      PlacementReport report =
          new PlacementReport(
              name,
              sites,
              kept.map(known -> PlacementReport.text(known.wish())).orElse(null),
              kept.map(Decision::of).orElse(null),
              currentDecision(manager, policy),
              AdviceReport.of(manager, stored, name));
      reporting.report(report, out -> show(out, report));
      return ExitCode.OK;
    }
  }

  private static Decision currentDecision(EnsembleCacheManager manager, PlacementPolicy policy) {
    try {
      return Decision.of(manager.place(policy));
    } catch (PlacementImpossibleException impossible) {
      List<String> reasons = new ArrayList<>();
      impossible.reasons().forEach((site, why) -> reasons.add(site + ": " + why));
      reasons.sort(null);
      return new Decision(List.of(), reasons);
    }
  }

  private static void show(PrintWriter out, PlacementReport report) {
    TextTable.line(out, "cache", report.name());
    TextTable.line(out, "sites", String.join(",", report.sites()));
    Decision then = report.then();
    if (then == null) {
      TextTable.line(out, "at creation", "nothing: its sites were given by name");
    } else {
      TextTable.line(out, "policy", String.valueOf(report.wish()));
      show(out, "at creation", then);
    }
    show(out, then == null ? "best now" : "decided now", report.now());
    report.advice().show(out);
  }

  private static void show(PrintWriter out, String when, Decision decision) {
    TextTable.line(
        out,
        when,
        decision.sites().isEmpty()
            ? "too few sites may hold it"
            : String.join(",", decision.sites()));
    decision.reasons().forEach(reason -> out.println("  " + reason));
  }
}
