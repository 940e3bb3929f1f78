package io.ensemble.cli.zoofence;

import io.ensemble.check.process.ExitCode;
import io.ensemble.cli.output.ReportOptions;
import io.ensemble.zoofence.flattening.Flattening;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.Callable;
import java.util.stream.Collectors;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;

@Command(
    name = "flattening",
    description = "Show which ensemble holds which paths, by number in the order of --ensembles.")
final class ZoofenceFlatteningCommand implements Callable<Integer> {

  @Mixin ReportOptions reporting = new ReportOptions();

  @Mixin ZoofenceOptions deployment = new ZoofenceOptions();

  @Override
  public Integer call() throws InterruptedException {
    report(reporting, deployment.subtreeMover().flattening());
    return ExitCode.OK;
  }

  static void report(ReportOptions reporting, Flattening flattening) {
    Map<String, String> rules =
        new TreeMap<>(
            flattening.rules().entrySet().stream()
                .collect(Collectors.toMap(Map.Entry::getKey, one -> one.getValue().toString())));
    reporting.report(
        new Rules(flattening.all().size(), rules),
        out ->
            out.println(
                rules.isEmpty() ? "every path on all of them" : flattening.toString().strip()));
  }

  private record Rules(int ensembles, Map<String, String> rules) {}
}
