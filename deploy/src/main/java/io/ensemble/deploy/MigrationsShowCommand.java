package io.ensemble.deploy;

import io.ensemble.deploy.federation.Federation;
import java.io.PrintWriter;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Parameters;

@Command(name = "show", description = "Show the change of a cache that is under way.")
final class MigrationsShowCommand implements Callable<Integer> {

  @Mixin Reporting reporting = new Reporting();
  @Mixin FederationOption federation = new FederationOption();

  @Parameters(paramLabel = "NAME", description = "The cache's name.")
  String name = "";

  @Override
  public Integer call() {
    try (Federation connected = federation.connect()) {
      if (!connected.manager().getCacheNames().contains(name)) {
        throw connected.noSuchCache(name);
      }
      ChangeReport change =
          ChangeReport.all(connected.manager()).stream()
              .filter(one -> one.cache().equals(name))
              .findFirst()
              .orElseThrow(
                  () -> new CommandFailure("no change of cache '%s' is under way".formatted(name)));
      reporting.report(change, out -> show(out, change));
      return ExitCode.OK;
    }
  }

  private static void show(PrintWriter out, ChangeReport change) {
    Table.line(out, "cache", change.cache());
    Table.line(
        out,
        change.to().parts() == null ? "to configuration" : "to generation",
        String.valueOf(change.number()));
    ChangeReport.Placed from = change.from();
    if (from != null) {
      Table.line(out, "from", from.fullText());
    }
    Table.line(out, "to", change.to().fullText());
    Table.line(out, "step", change.text());
    if (!change.lost().isEmpty()) {
      Table.line(
          out, "stuck", ChangeReport.missingAt(change.lost()) + "; " + LostWatch.IF_IT_STAYS);
    }
    Table.line(out, "rate", change.rate() == null ? "no bound" : change.rate() + " keys a second");
    Table.line(out, "mover", "%s, turn %d".formatted(change.owner(), change.turn()));
    change.left().forEach(left -> Table.line(out, "to be removed", left));
  }
}
