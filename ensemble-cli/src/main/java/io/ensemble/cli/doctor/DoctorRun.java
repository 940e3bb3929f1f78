package io.ensemble.cli.doctor;

import io.ensemble.EnsembleCacheManager;
import io.ensemble.EnsembleCacheManagerBuilder;
import io.ensemble.catalog.definition.StoredDefinition;
import io.ensemble.check.doctor.CatalogFindings;
import io.ensemble.check.doctor.CertificateFindings;
import io.ensemble.check.doctor.ClockFindings;
import io.ensemble.check.doctor.ClockReading;
import io.ensemble.check.doctor.DiskFindings;
import io.ensemble.check.doctor.Finding;
import io.ensemble.check.doctor.PermissionFindings;
import io.ensemble.check.doctor.ReachabilityFindings;
import io.ensemble.check.doctor.VersionFindings;
import io.ensemble.check.federation.FederationConnection;
import io.ensemble.check.federation.SiteDescriptor;
import io.ensemble.check.federation.SitesInCatalog;
import io.ensemble.check.process.CommandException;
import io.ensemble.cli.option.FederationOption;
import io.ensemble.testkit.process.NodeDisk;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import java.util.function.UnaryOperator;
import org.jspecify.annotations.Nullable;

/**
 * One run of all checks. First the catalog is read, which names the sites and caches; then all
 * checks of sites and caches run concurrently. Takes at most twice the time of a check.
 */
final class DoctorRun {

  /** What has not closed by then ends with the program. */
  private static final Duration LONGEST_CLOSE = Duration.ofSeconds(5);

  /** Heartbeats are watched for 7 s; before, a connection is opened. */
  private static final Duration LEAST_WATCH = Duration.ofSeconds(10);

  private final FederationOption federation;
  private final @Nullable Path data;
  private final Duration longest;

  DoctorRun(FederationOption federation, @Nullable Path data, Duration longest) {
    this.federation = federation;
    this.data = data;
    this.longest = longest;
  }

  /** What the catalog said; without a catalog when it cannot be read. */
  private record CatalogRead(
      List<Finding> findings,
      @Nullable CatalogChecks checks,
      CatalogChecks.@Nullable Content content) {}

  /**
   * All findings, the worst first.
   *
   * @throws CommandException if no federation is named, or its file cannot be read
   */
  List<Finding> findings() {
    String address = federation.address();
    List<SiteDescriptor> described =
        federation.isCatalogNamed() ? List.of() : federation.file().read().sites();
    try (BoundedChecks checks = new BoundedChecks(longest)) {
      CatalogRead catalog =
          checks
              .start(
                  () -> read(address),
                  why -> new CatalogRead(List.of(CatalogFindings.failed(address, why)), null, null))
              .join();
      List<Finding> findings = new ArrayList<>(catalog.findings());
      findings.add(
          VersionFindings.ofJava("this program", System.getProperty("java.version", "unknown")));
      findings.addAll(concurrent(checks, address, described, catalog));
      findings.sort(Finding.WORST_FIRST);
      return findings;
    }
  }

  private static CatalogRead read(String address) {
    CatalogChecks checks = CatalogChecks.open(address);
    CatalogChecks.Content content = checks.content();
    if (checks.isMissing(content)) {
      BoundedChecks.close(checks, LONGEST_CLOSE);
      return new CatalogRead(List.of(CatalogFindings.missing(address)), null, null);
    }
    List<Finding> findings = new ArrayList<>(checks.records(content));
    findings.addAll(CatalogChecks.parts(content.inventory()));
    return new CatalogRead(findings, checks, content);
  }

  private List<Finding> concurrent(
      BoundedChecks checks, String address, List<SiteDescriptor> described, CatalogRead catalog) {
    Map<String, SiteDescriptor> sites = new LinkedHashMap<>();
    described.forEach(site -> sites.put(site.name(), site));
    CatalogChecks.Content content = catalog.content();
    if (content != null && !content.sites().isEmpty()) {
      SitesInCatalog.state(address, content.sites())
          .sites()
          .forEach(site -> sites.put(site.name(), site));
    }
    List<CompletableFuture<List<Finding>>> running = new ArrayList<>();
    List<CompletableFuture<SiteChecks.RestReport>> reports = new ArrayList<>();
    for (SiteDescriptor site : sites.values()) {
      SiteChecks asked;
      try {
        asked = new SiteChecks(site);
      } catch (CommandException invalid) {
        running.add(
            CompletableFuture.completedFuture(
                List.of(
                    ReachabilityFindings.invalid(
                        site.name(), String.valueOf(invalid.getMessage())))));
        continue;
      }
      startSite(checks, address, catalog.checks(), site, asked, running, reports);
    }
    startDisks(checks, sites.values().stream().toList(), running);
    CatalogChecks usable = catalog.checks();
    List<CompletableFuture<? extends AutoCloseable>> used = new ArrayList<>();
    if (content != null && usable != null && !sites.isEmpty()) {
      used.add(
          startFederation(
              checks, usable, content, List.copyOf(sites.keySet()), connection(address), running));
    }
    if (usable != null) {
      used.add(CompletableFuture.completedFuture(usable));
    }
    List<Finding> findings = new ArrayList<>();
    List<ClockReading> clocks = new ArrayList<>();
    for (CompletableFuture<SiteChecks.RestReport> report : reports) {
      SiteChecks.RestReport done = report.join();
      findings.addAll(done.findings());
      findings.addAll(done.unread());
      clocks.addAll(done.clocks());
    }
    findings.addAll(ClockFindings.ofNodes(clocks));
    findings.addAll(joined(running, used, LONGEST_CLOSE));
    return findings;
  }

  /** Connects as other commands do, and without the work of a process that uses caches. */
  private Callable<EnsembleCacheManager> connection(String address) {
    UnaryOperator<EnsembleCacheManagerBuilder> passive =
        builder -> builder.refilling(false).maintenance(false);
    return () ->
        federation.isCatalogNamed()
            ? FederationConnection.inCatalog(SitesInCatalog.state(address), null, passive).manager()
            : FederationConnection.connect(federation.file().read(), null, passive).manager();
  }

  private static void startSite(
      BoundedChecks checks,
      String address,
      @Nullable CatalogChecks catalog,
      SiteDescriptor site,
      SiteChecks asked,
      List<CompletableFuture<List<Finding>>> running,
      List<CompletableFuture<SiteChecks.RestReport>> reports) {
    String name = site.name();
    running.add(
        checks.start(
            () -> asked.reachability(address),
            why -> List.of(ReachabilityFindings.invalid(name, why))));
    running.add(
        checks.start(
            () -> asked.certificates(Instant.now()),
            why -> List.of(CertificateFindings.unreadable(name, why))));
    reports.add(
        checks.start(
            asked::rest,
            why -> {
              List<Finding> unknown = new ArrayList<>(VersionFindings.of(name, null, null, why));
              unknown.add(PermissionFindings.unknown(name, why));
              return new SiteChecks.RestReport(
                  unknown, List.of(), List.of(ClockFindings.unknown(name, why)));
            }));
    if (catalog != null) {
      running.add(
          checks.start(
              "stores",
              name,
              "see docs/operations.md#stores",
              () -> catalog.stores(asked.configuration())));
    }
  }

  private void startDisks(
      BoundedChecks checks,
      List<SiteDescriptor> sites,
      List<CompletableFuture<List<Finding>>> running) {
    Path directory = data;
    if (directory == null) {
      running.add(
          CompletableFuture.completedFuture(
              sites.stream()
                  .map(
                      site ->
                          site.isOnDisk()
                              ? DiskFindings.unknown(site.name())
                              : DiskFindings.inMemory(site.name()))
                  .toList()));
      return;
    }
    running.add(
        checks.start(
            "disks",
            directory.toString(),
            "give the DIR of 'up --data'",
            () -> {
              List<Finding> disks =
                  NodeDisk.in(directory).stream()
                      .map(
                          disk ->
                              DiskFindings.of(
                                  disk.site() + "-" + disk.node(),
                                  disk.freeBytes(),
                                  disk.reserveBytes(),
                                  disk.silent()))
                      .toList();
              if (disks.isEmpty()) {
                throw new CommandException("the directory has no data of a federation");
              }
              return disks;
            }));
  }

  private static CompletableFuture<EnsembleCacheManager> startFederation(
      BoundedChecks checks,
      CatalogChecks catalog,
      CatalogChecks.Content content,
      List<String> sites,
      Callable<EnsembleCacheManager> connection,
      List<CompletableFuture<List<Finding>>> running) {
    running.add(
        checks.startWatch(
            "owners",
            "all sites",
            "see docs/operations.md#owners",
            LEAST_WATCH,
            () -> catalog.owners(sites)));
    CompletableFuture<EnsembleCacheManager> manager =
        checks.start(
            connection,
            why -> {
              throw new CommandException(why);
            });
    running.add(
        checks.startWatch(
            "changes",
            "all caches",
            "see docs/changes.md",
            LEAST_WATCH,
            () -> new CacheChecks(manager.join()).changes()));
    for (StoredDefinition cache : content.inventory().caches()) {
      String name = cache.definition().name();
      running.add(
          checks.start(
              "redundancy",
              name,
              "./ensemble caches describe " + name,
              () -> List.of(new CacheChecks(manager.join()).redundancy(name))));
    }
    return manager;
  }

  /**
   * The findings of all checks. Then the resources are closed, on a thread of their own: a check
   * that ran out of time completes on the timer of the JDK, which must never wait.
   *
   * @param used what the checks use; one that could not be opened is not closed
   */
  static List<Finding> joined(
      List<CompletableFuture<List<Finding>>> running,
      List<CompletableFuture<? extends AutoCloseable>> used,
      Duration longestClose) {
    List<Finding> findings = new ArrayList<>();
    running.forEach(one -> findings.addAll(one.join()));
    for (CompletableFuture<? extends AutoCloseable> each : used) {
      if (each.isDone() && !each.isCompletedExceptionally()) {
        BoundedChecks.close(each.join(), longestClose);
      }
    }
    return findings;
  }
}
