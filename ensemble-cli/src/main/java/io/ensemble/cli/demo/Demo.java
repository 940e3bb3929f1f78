package io.ensemble.cli.demo;

import io.ensemble.CacheDefinition;
import io.ensemble.EnsembleCacheManager;
import io.ensemble.Mode;
import io.ensemble.StoreIntactException;
import io.ensemble.cache.lease.ReservedKey;
import io.ensemble.catalog.definition.StoredDefinition;
import io.ensemble.check.federation.FederationConnection;
import io.ensemble.check.federation.LocalSites;
import io.ensemble.check.federation.SiteDescriptor;
import io.ensemble.check.federation.SiteNames;
import io.ensemble.site.Bytes;
import io.ensemble.testkit.embedded.EmbeddedFederation;
import io.ensemble.testkit.embedded.EmbeddedSite;
import io.ensemble.testkit.link.SiteLinkReport;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.function.Consumer;
import java.util.stream.Collectors;
import java.util.stream.IntStream;

/** The demonstration itself. No process of it remains afterwards. */
public final class Demo {

  private static final int THREADS = 8;
  private static final Duration LONGEST_RECOVERY = Duration.ofSeconds(60);
  private static final Duration LONGEST_ABSENCE = Duration.ofSeconds(60);
  private static final Duration WEAK_PATIENCE = Duration.ofSeconds(5);

  private final DemoPlan plan;
  private final YcsbRuns ycsb;
  private final Consumer<String> progress;
  private final DemoSteps steps;
  private final List<YcsbRow> rows = new ArrayList<>();
  private List<SiteLinkReport> lines = List.of();

  /**
   * @param progress receives short lines about the progress, from several threads
   */
  public Demo(DemoPlan plan, YcsbRuns ycsb, Consumer<String> progress) {
    this.plan = plan;
    this.ycsb = ycsb;
    this.progress = progress;
    this.steps = new DemoSteps(progress);
  }

  /** Runs the demonstration. A failed step ends it and is the last one in the report. */
  public DemoReport run() {
    long begin = System.nanoTime();
    boolean ok = true;
    try {
      runEmbedded();
    } catch (DemoSteps.DemoStoppedException failed) {
      ok = false;
    }
    double seconds = Math.round((System.nanoTime() - begin) / 1e8) / 1e1;
    return new DemoReport(ok, seconds, plan, lines, steps.reports(), rows);
  }

  private void runEmbedded() {
    try (EmbeddedFederation sites =
            steps.make(
                "start %d sites of %d nodes".formatted(plan.sites(), plan.nodes()),
                () -> LocalSites.start(plan.sitesToStart(), progress));
        EnsembleCacheManager manager = manager(sites)) {
      lines = sites.lines();
      List<MapVerifier> trials = new ArrayList<>();
      try {
        steps.step("create a WEAK and an MWMR cache", () -> create(manager, trials));
        failOneSite(sites, manager, trials);
      } finally {
        trials.forEach(MapVerifier::close);
      }
      for (YcsbRuns.Run run : ycsb.runs()) {
        steps.step(run.title(), () -> measureYcsb(run, LocalSites.places(sites)));
      }
    }
  }

  private EnsembleCacheManager manager(EmbeddedFederation sites) {
    return FederationConnection.builder(LocalSites.places(sites))
        .schema(new OrderSchema())
        .localSite(sites.sites().get(0).name())
        .build();
  }

  private String create(EnsembleCacheManager manager, List<MapVerifier> trials) {
    for (Mode mode : List.of(Mode.WEAK, Mode.MWMR)) {
      String name = "orders-" + mode.name().toLowerCase(Locale.ROOT);
      Duration patience = mode == Mode.WEAK ? WEAK_PATIENCE : Duration.ZERO;
      CacheDefinition definition =
          CacheDefinition.of(name, mode).sites(SiteNames.first(plan.sites())).build();
      trials.add(new MapVerifier(name, manager.createCache(definition), THREADS, patience));
    }
    return trials.stream().map(MapVerifier::name).collect(Collectors.joining(", "));
  }

  private void failOneSite(
      EmbeddedFederation sites, EnsembleCacheManager manager, List<MapVerifier> trials) {
    EmbeddedSite doomed = sites.sites().get(plan.sites() - 1);
    String site = doomed.name();
    List<ShopOrder> orders = OrderGenerator.of(plan.seed(), 0, plan.records());
    List<ShopOrder> some = orders.subList(0, Math.max(1, plan.records() / 4));
    for (MapVerifier mapVerifier : trials) {
      steps.step("write orders: " + mapVerifier.name(), () -> writeOrders(mapVerifier, orders));
      steps.step("read the orders: " + mapVerifier.name(), () -> readOrders(mapVerifier));
    }
    steps.step("kill the whole site " + site, () -> killSite(doomed));
    for (MapVerifier mapVerifier : trials) {
      steps.step(
          "use the caches without it: " + mapVerifier.name(),
          () -> mapVerifier.work(some).toString());
    }
    steps.step("start " + site + " again", () -> restartEmpty(doomed, manager, trials));
    for (MapVerifier mapVerifier : trials) {
      steps.step(
          "refill " + site + ": " + mapVerifier.name(),
          () -> refillSite(manager, mapVerifier, site));
    }
    for (MapVerifier mapVerifier : trials) {
      steps.step(
          "read from " + site + ": " + mapVerifier.name(),
          () -> readFromReturnedSite(sites, doomed, manager, mapVerifier));
    }
  }

  private static String writeOrders(MapVerifier mapVerifier, List<ShopOrder> orders) {
    mapVerifier.write(orders);
    return "%,d writes".formatted(orders.size());
  }

  private static String readOrders(MapVerifier mapVerifier) {
    return "%,d entries as written".formatted(mapVerifier.readAll());
  }

  private static String killSite(EmbeddedSite site) {
    site.kill();
    if (site.isRunning()) {
      throw new VerificationException("the site still runs; site=" + site.name());
    }
    return "";
  }

  private static String restartEmpty(
      EmbeddedSite site, EnsembleCacheManager manager, List<MapVerifier> trials) {
    site.restart();
    for (MapVerifier mapVerifier : trials) {
      String store = storeName(manager, mapVerifier, site.name());
      if (site.holds(store)) {
        throw new VerificationException(
            "the site must be empty after its restart; site=" + site.name() + " store=" + store);
      }
    }
    return "the site is up and empty";
  }

  private static String refillSite(
      EnsembleCacheManager manager, MapVerifier mapVerifier, String site)
      throws InterruptedException {
    long keys;
    try {
      keys =
          SiteProbeRetry.untilReached(
              () -> manager.recoverSite(mapVerifier.name(), site, LONGEST_RECOVERY),
              LONGEST_ABSENCE);
    } catch (StoreIntactException refilled) {
      return "this process has refilled it in the background";
    }
    if (keys < mapVerifier.entries()) {
      throw new VerificationException(
          "all entries must be copied to the site; expected %d, copied %d; cache=%s"
              .formatted(mapVerifier.entries(), keys, mapVerifier.name()));
    }
    return "%,d keys copied".formatted(keys);
  }

  /**
   * Cuts off as many other sites as the mode survives: then reads need the site that was away. Also
   * returns the sizes of the sites' stores.
   */
  private String readFromReturnedSite(
      EmbeddedFederation sites,
      EmbeddedSite returned,
      EnsembleCacheManager manager,
      MapVerifier mapVerifier) {
    List<EmbeddedSite> others = sites.sites().stream().filter(site -> site != returned).toList();
    CacheDefinition definition = storedDefinition(manager, mapVerifier).definition();
    int spare =
        definition.mode() == Mode.WEAK
            ? others.size()
            : definition.sites().size() - definition.majority();
    List<EmbeddedSite> cut = others.subList(0, spare);
    String sizes =
        sites.sites().stream()
            .map(
                site ->
                    "%s %,d"
                        .formatted(
                            site.name(),
                            countEntries(site, storeName(manager, mapVerifier, site.name()))))
            .collect(Collectors.joining(", "));
    cut.forEach(EmbeddedSite::cut);
    try {
      int entries = mapVerifier.readAll();
      return "%,d entries read with %s cut off; stored: %s"
          .formatted(
              entries,
              cut.stream().map(EmbeddedSite::name).collect(Collectors.joining(" and ")),
              sizes);
    } finally {
      cut.forEach(EmbeddedSite::resume);
    }
  }

  /** The number of users' entries in a store. */
  private static int countEntries(EmbeddedSite site, String store) {
    List<byte[]> stored = site.stored(store); // Keys and values alternate.
    return (int)
        IntStream.range(0, stored.size() / 2)
            .filter(i -> !ReservedKey.isOne(Bytes.of(stored.get(2 * i))))
            .count();
  }

  private static StoredDefinition storedDefinition(
      EnsembleCacheManager manager, MapVerifier mapVerifier) {
    return manager
        .stored(mapVerifier.name())
        .orElseThrow(
            () -> new VerificationException("the cache is gone; cache=" + mapVerifier.name()));
  }

  private static String storeName(
      EnsembleCacheManager manager, MapVerifier mapVerifier, String site) {
    return storedDefinition(manager, mapVerifier)
        .store(site)
        .orElseThrow(
            () ->
                new VerificationException(
                    "the cache has no store there; cache=%s site=%s"
                        .formatted(mapVerifier.name(), site)));
  }

  private String measureYcsb(YcsbRuns.Run run, List<SiteDescriptor> sites)
      throws InterruptedException {
    YcsbRow row = ycsb.measure(run, sites, progress);
    rows.add(row);
    return "%,d operations, %,.0f a second".formatted(row.operations(), row.operationsPerSecond());
  }
}
