package io.ensemble.cli.sites;

import io.ensemble.check.federation.LoginCheck;
import io.ensemble.check.federation.SiteStatus;
import io.ensemble.check.process.ExitCode;
import io.ensemble.cli.option.FederationOption;
import io.ensemble.cli.output.ReportOptions;
import io.ensemble.cli.output.Terminal;
import io.ensemble.cli.output.TextTable;
import java.io.PrintWriter;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;

@Command(
    name = "sites",
    subcommands = {
      SitesListCommand.class,
      SitesDisksCommand.class,
      SitesAddCommand.class,
      SitesDrainCommand.class,
      SitesRemoveCommand.class,
      SitesRecoverCommand.class
    },
    description = {
      "Show the sites, and whether they answer.",
      "Sends a ping to every node, and verifies the credentials of each site. Fails if no node of "
          + "a site answers, or if the credentials are rejected."
    })
public final class SitesCommand implements Callable<Integer> {

  @Mixin ReportOptions reporting = new ReportOptions();
  @Mixin FederationOption federation = new FederationOption();

  @Override
  public Integer call() {
    List<SiteStatus> sites = SiteStatus.of(federation.state());
    reporting.report(new Sites(sites), out -> show(out, sites));
    return sites.stream().allMatch(SiteStatus::usable) ? ExitCode.OK : ExitCode.FAILED;
  }

  private static void show(PrintWriter out, List<SiteStatus> sites) {
    TextTable table = new TextTable("site", "endpoint", "reachable", "ping", "reason");
    for (SiteStatus site : sites) {
      for (SiteStatus.Node node : site.nodes()) {
        Double ping = node.pingMillis();
        table.row(
            site.name(),
            node.endpoint(),
            node.reachable() ? "yes" : "no",
            ping == null ? null : "%.2f ms".formatted(ping),
            Objects.requireNonNullElse(node.error(), ""));
      }
      LoginCheck login = site.login();
      if (login != null) {
        table.row(
            site.name(),
            "as " + login.user(),
            login.accepted() ? "yes" : "no",
            null,
            Objects.requireNonNullElse(login.error(), ""));
      }
    }
    table.print(out, Terminal.coloursOnOut());
  }

  private record Sites(List<SiteStatus> sites) {}
}
