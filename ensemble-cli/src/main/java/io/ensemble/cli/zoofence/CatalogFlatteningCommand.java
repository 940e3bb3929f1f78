package io.ensemble.cli.zoofence;

import io.ensemble.catalog.CatalogFlattening;
import io.ensemble.catalog.definition.ZooKeeperDefinitions;
import io.ensemble.check.process.CommandException;
import io.ensemble.check.process.ExitCode;
import io.ensemble.cli.output.ReportOptions;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

@Command(
    name = "flattening",
    description = {
      "Write the rules with which 'zoofence --flattening' places a catalog.",
      "The task of each site is at the ensemble of the site, all other records at the shared "
          + "ensemble."
    })
final class CatalogFlatteningCommand implements Callable<Integer> {

  @Mixin ReportOptions reporting = new ReportOptions();

  @Option(
      names = "--path",
      paramLabel = "PATH",
      defaultValue = ZooKeeperDefinitions.DEFAULT_PATH,
      description = "Path of the catalog in ZooKeeper; default: /ensemble.")
  String path = ZooKeeperDefinitions.DEFAULT_PATH;

  @Option(
      names = "--shared",
      paramLabel = "ENSEMBLE",
      required = true,
      description = "Shared ensemble of the sites, by its name or number.")
  String shared = "";

  @Parameters(
      arity = "1..*",
      paramLabel = "SITE=ENSEMBLE",
      description = "A site, and its ensemble.")
  Map<String, String> sites = new LinkedHashMap<>();

  @Override
  public Integer call() {
    String rules;
    try {
      rules = CatalogFlattening.rules(path, shared, sites);
    } catch (IllegalArgumentException e) {
      throw new CommandException(ExitCode.USAGE, String.valueOf(e.getMessage()));
    }
    reporting.report(new Rules(rules.lines().toList()), out -> out.print(rules));
    return ExitCode.OK;
  }

  private record Rules(List<String> flattening) {}
}
