package io.ensemble.cli.sites;

import io.ensemble.EnsembleCacheManager;
import io.ensemble.catalog.site.SiteEntry;
import io.ensemble.check.federation.LoginCheck;
import io.ensemble.check.federation.SiteStatus;
import io.ensemble.check.federation.SitesInCatalog;
import io.ensemble.check.process.CommandException;
import io.ensemble.check.process.ExitCode;
import io.ensemble.cli.option.FederationOption;
import io.ensemble.cli.output.ReportOptions;
import java.util.List;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

@Command(
    name = "add",
    description = {
      "Add a site to the catalog.",
      "Every process of the federation may then place caches at the site. Refused if a site of "
          + "this name exists, or if the site does not answer or the login fails."
    })
final class SitesAddCommand implements Callable<Integer> {

  @Mixin ReportOptions reporting = new ReportOptions();
  @Mixin FederationOption federation = new FederationOption();
  @Mixin SiteEntryOptions options = new SiteEntryOptions();

  @Parameters(paramLabel = "NAME", description = "Name of the site.")
  String name = "";

  @Option(names = "--no-check", description = "Add the site without a check that it answers.")
  boolean noCheck;

  @Option(
      names = "--if-absent",
      description =
          "Succeed without any change or check if a site of this name exists, whatever its "
              + "endpoints are.")
  boolean ifAbsent;

  private record Added(String site, boolean added) {}

  @Override
  public Integer call() {
    SiteEntry entry = options.entry(name);
    String catalog = federation.address();
    try (EnsembleCacheManager manager = federation.manager()) {
      if (ifAbsent && isRegistered(manager)) {
        reporting.report(new Added(name, false), out -> out.printf("exists: site '%s'%n", name));
        return ExitCode.OK;
      }
      if (!noCheck) {
        check(SiteStatus.of(SitesInCatalog.state(catalog, List.of(entry))).get(0));
      }
      manager.membership().add(entry);
      reporting.report(new Added(name, true), out -> out.printf("added: site '%s'%n", name));
      return ExitCode.OK;
    }
  }

  private boolean isRegistered(EnsembleCacheManager manager) {
    return manager.membership().sites().stream().anyMatch(site -> site.entry().name().equals(name));
  }

  private static void check(SiteStatus answer) {
    if (!answer.reachable()) {
      throw new CommandException(
          "no node of the site answers; site=%s: %s (--no-check adds the site without this check)"
              .formatted(answer.name(), answer.nodes().get(0).error()));
    }
    LoginCheck login = answer.login();
    if (login != null && !login.accepted()) {
      throw new CommandException(
          "the login at the site failed; site=%s user=%s: %s"
              .formatted(answer.name(), login.user(), login.error()));
    }
  }
}
