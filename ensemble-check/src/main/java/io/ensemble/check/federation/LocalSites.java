package io.ensemble.check.federation;

import io.ensemble.check.federation.SiteSecurity.Trust;
import io.ensemble.check.federation.SiteSecurity.User;
import io.ensemble.check.process.CommandException;
import io.ensemble.testkit.embedded.EmbeddedFederation;
import io.ensemble.testkit.process.ProcessFederation;
import io.ensemble.testkit.process.ProcessOptions;
import io.ensemble.testkit.process.ProcessSite;
import io.ensemble.testkit.process.ServerLibrary;
import java.io.UncheckedIOException;
import java.net.InetSocketAddress;
import java.nio.file.Path;
import java.util.List;
import java.util.function.Consumer;

/** Starts sites on this machine, and returns their addresses. */
public final class LocalSites {

  private static final int BREAKABLE_HEAP_MEGABYTES = 192;

  private LocalSites() {}

  /**
   * Starts sites in this process.
   *
   * @param progress receives short lines, from several threads
   */
  public static EmbeddedFederation start(LocalPlan plan, Consumer<String> progress) {
    return embedded(SiteNames.first(plan.sites()), plan, progress);
  }

  private static EmbeddedFederation embedded(
      List<String> names, LocalPlan plan, Consumer<String> progress) {
    return EmbeddedFederation.start(
        EmbeddedFederation.Options.defaults()
            .withSiteNames(names.toArray(String[]::new))
            .withNodesPerSite(plan.nodes())
            .withWan(plan.wan())
            .withProgress(progress));
  }

  /**
   * Starts the planned sites.
   *
   * @param scratch the directory for the logs of processes if the plan names no directory
   * @throws CommandException if that is not possible; the message has the reason
   */
  static LocalFederation start(LocalPlan plan, Path scratch, Consumer<String> progress) {
    return start(SiteNames.first(plan.sites()), plan, scratch, progress);
  }

  /** As the other method, with sites of these names. */
  static LocalFederation start(
      List<String> names, LocalPlan plan, Path scratch, Consumer<String> progress) {
    if (!plan.processes()) {
      return new LocalFederation.Embedded(embedded(names, plan, progress));
    }
    Path data = plan.data();
    try {
      ProcessOptions options =
          ProcessOptions.in(data == null ? scratch : data, ServerLibrary.installed())
              .withSiteNames(names)
              .withNodesPerSite(plan.nodes())
              .withPersistence(data != null)
              .withDiskReserve(plan.diskReserveBytes())
              .withWan(plan.wan())
              .withSecurity(plan.security())
              .withProgress(progress);
      return new LocalFederation.Processes(ProcessFederation.start(options), data != null);
    } catch (IllegalArgumentException | IllegalStateException | UncheckedIOException refused) {
      throw new CommandException(String.valueOf(refused.getMessage()), refused);
    }
  }

  /**
   * Starts nodes as processes for trials with faults. A relay is in front of each, so that its link
   * can fail, and their JVMs favour a short start over long-term speed.
   *
   * @param plan a plan with processes
   * @param directory the directory for their data and logs
   * @throws CommandException if they cannot be started; the message has the reason
   */
  public static LocalFederation.Processes startBreakable(
      LocalPlan plan, Path directory, Consumer<String> progress) {
    try {
      return new LocalFederation.Processes(
          ProcessFederation.start(
              ProcessOptions.in(directory, ServerLibrary.installed())
                  .withSiteNames(SiteNames.first(plan.sites()))
                  .withNodesPerSite(plan.nodes())
                  .withPersistence(true)
                  .withWan(plan.wan())
                  .withRelays(true)
                  .withHeapMegabytes(BREAKABLE_HEAP_MEGABYTES)
                  .withJavaOptions(List.of("-XX:TieredStopAtLevel=1"))
                  .withProgress(progress)),
          true);
    } catch (IllegalStateException | UncheckedIOException refused) {
      throw new CommandException(String.valueOf(refused.getMessage()), refused);
    }
  }

  /** The sites and their endpoints. */
  public static List<SiteDescriptor> places(EmbeddedFederation federation) {
    return federation.sites().stream().map(site -> place(site.name(), site.endpoints())).toList();
  }

  static SiteDescriptor place(String name, List<InetSocketAddress> endpoints) {
    return new SiteDescriptor(name, texts(endpoints));
  }

  static SiteDescriptor place(ProcessSite site) {
    return site.entrance()
        .map(
            by ->
                new SiteDescriptor(
                    site.name(),
                    texts(site.endpoints()),
                    by.user().map(User::of).orElse(null),
                    Trust.of(by)))
        .orElseGet(() -> place(site.name(), site.endpoints()));
  }

  private static List<String> texts(List<InetSocketAddress> endpoints) {
    return endpoints.stream().map(at -> at.getHostString() + ":" + at.getPort()).toList();
  }
}
