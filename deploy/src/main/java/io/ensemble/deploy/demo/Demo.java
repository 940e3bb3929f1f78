package io.ensemble.deploy.demo;

import io.ensemble.CacheDefinition;
import io.ensemble.EnsembleCacheManager;
import io.ensemble.Mode;
import io.ensemble.cache.trust.Reserved;
import io.ensemble.catalog.StoredDefinition;
import io.ensemble.deploy.federation.Federation;
import io.ensemble.deploy.federation.LocalSites;
import io.ensemble.deploy.federation.Place;
import io.ensemble.deploy.federation.SiteNames;
import io.ensemble.site.Bytes;
import io.ensemble.testkit.embedded.EmbeddedFederation;
import io.ensemble.testkit.embedded.EmbeddedSite;
import io.ensemble.testkit.link.LineReport;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.function.Consumer;
import java.util.stream.Collectors;
import java.util.stream.IntStream;

/** The demonstration itself. Leaves nothing running. */
public final class Demo {

  private static final int THREADS = 8;
  private static final Duration LONGEST_RECOVERY = Duration.ofSeconds(60);
  private static final Duration LONGEST_ABSENCE = Duration.ofSeconds(15);
  private static final Duration WEAK_PATIENCE = Duration.ofSeconds(5);

  private final DemoPlan plan;
  private final YcsbRuns ycsb;
  private final Consumer<String> progress;
  private final Steps steps;
  private final List<YcsbRow> rows = new ArrayList<>();
  private List<LineReport> lines = List.of();

  /**
   * @param progress told in short lines what goes on, from several threads
   */
  public Demo(DemoPlan plan, YcsbRuns ycsb, Consumer<String> progress) {
    this.plan = plan;
    this.ycsb = ycsb;
    this.progress = progress;
    this.steps = new Steps(progress);
  }

  /** Runs it. A failed step ends it and stands last in the report. */
  public DemoReport run() {
    long begin = System.nanoTime();
    boolean ok = true;
    try {
      embedded();
    } catch (Steps.Stopped failed) {
      ok = false;
    }
    double seconds = Math.round((System.nanoTime() - begin) / 1e8) / 1e1;
    return new DemoReport(ok, seconds, plan, lines, steps.reports(), rows);
  }

  private void embedded() {
    try (EmbeddedFederation sites =
            steps.make(
                "start %d sites of %d nodes".formatted(plan.sites(), plan.nodes()),
                () -> LocalSites.start(plan.sitesToStart(), progress));
        EnsembleCacheManager manager = manager(sites)) {
      lines = sites.lines();
      List<Trial> trials = new ArrayList<>();
      try {
        steps.step("create a WEAK and an MWMR cache", () -> create(manager, trials));
        oneSiteFails(sites, manager, trials);
      } finally {
        trials.forEach(Trial::close);
      }
      for (YcsbRuns.Run run : ycsb.runs()) {
        steps.step(run.title(), () -> measured(run, LocalSites.places(sites)));
      }
    }
  }

  private EnsembleCacheManager manager(EmbeddedFederation sites) {
    return Federation.builder(LocalSites.places(sites))
        .schema(new OrderSchema())
        .localSite(sites.sites().get(0).name())
        .build();
  }

  private String create(EnsembleCacheManager manager, List<Trial> trials) {
    for (Mode mode : List.of(Mode.WEAK, Mode.MWMR)) {
      String name = "orders-" + mode.name().toLowerCase(Locale.ROOT);
      Duration patience = mode == Mode.WEAK ? WEAK_PATIENCE : Duration.ZERO;
      CacheDefinition definition =
          CacheDefinition.of(name, mode).sites(SiteNames.first(plan.sites())).build();
      trials.add(new Trial(name, manager.createCache(definition), THREADS, patience));
    }
    return trials.stream().map(Trial::name).collect(Collectors.joining(", "));
  }

  private void oneSiteFails(
      EmbeddedFederation sites, EnsembleCacheManager manager, List<Trial> trials) {
    EmbeddedSite doomed = sites.sites().get(plan.sites() - 1);
    String site = doomed.name();
    List<Order> orders = Orders.of(plan.seed(), 0, plan.records());
    List<Order> some = orders.subList(0, Math.max(1, plan.records() / 4));
    for (Trial trial : trials) {
      steps.step("write the orders: " + trial.name(), () -> written(trial, orders));
      steps.step("read them back: " + trial.name(), () -> read(trial));
    }
    steps.step("kill the whole site " + site, () -> killed(doomed));
    for (Trial trial : trials) {
      steps.step("work without it: " + trial.name(), () -> trial.work(some).toString());
    }
    steps.step("start " + site + " again", () -> empty(doomed, manager, trials));
    for (Trial trial : trials) {
      steps.step("refill " + site + ": " + trial.name(), () -> refilled(manager, trial, site));
    }
    for (Trial trial : trials) {
      steps.step(
          "rely on " + site + ": " + trial.name(), () -> relied(sites, doomed, manager, trial));
    }
  }

  private static String written(Trial trial, List<Order> orders) {
    trial.write(orders);
    return "%,d writes".formatted(orders.size());
  }

  private static String read(Trial trial) {
    return "%,d entries as written".formatted(trial.readAll());
  }

  private static String killed(EmbeddedSite site) {
    site.kill();
    if (site.isRunning()) {
      throw new VerificationFailure("the site still runs; site=" + site.name());
    }
    return "";
  }

  private static String empty(EmbeddedSite site, EnsembleCacheManager manager, List<Trial> trials) {
    site.restart();
    for (Trial trial : trials) {
      String store = store(manager, trial, site.name());
      if (site.holds(store)) {
        throw new VerificationFailure(
            "the site had to come back empty; site=" + site.name() + " store=" + store);
      }
    }
    return "it came back empty";
  }

  private static String refilled(EnsembleCacheManager manager, Trial trial, String site)
      throws InterruptedException {
    long keys =
        Probing.untilReached(
            () -> manager.recoverSite(trial.name(), site, LONGEST_RECOVERY), LONGEST_ABSENCE);
    if (keys < trial.entries()) {
      throw new VerificationFailure(
          "the site had to be given every entry; wanted %d, copied %d; cache=%s"
              .formatted(trial.entries(), keys, trial.name()));
    }
    return "%,d keys copied".formatted(keys);
  }

  /**
   * Cuts as many other sites off as the mode survives: then nothing can be read without the one
   * that was away. Tells besides how much each site stores.
   */
  private String relied(
      EmbeddedFederation sites, EmbeddedSite returned, EnsembleCacheManager manager, Trial trial) {
    List<EmbeddedSite> others = sites.sites().stream().filter(site -> site != returned).toList();
    CacheDefinition definition = stored(manager, trial).definition();
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
                        .formatted(site.name(), entries(site, store(manager, trial, site.name()))))
            .collect(Collectors.joining(", "));
    cut.forEach(EmbeddedSite::cut);
    try {
      int entries = trial.readAll();
      return "%,d entries read with %s cut off; stored: %s"
          .formatted(
              entries,
              cut.stream().map(EmbeddedSite::name).collect(Collectors.joining(" and ")),
              sizes);
    } finally {
      cut.forEach(EmbeddedSite::resume);
    }
  }

  /** How many entries of users a store holds. */
  private static int entries(EmbeddedSite site, String store) {
    List<byte[]> stored = site.stored(store); // Keys and values in turn.
    return (int)
        IntStream.range(0, stored.size() / 2)
            .filter(i -> !Reserved.isOne(Bytes.of(stored.get(2 * i))))
            .count();
  }

  private static StoredDefinition stored(EnsembleCacheManager manager, Trial trial) {
    return manager
        .stored(trial.name())
        .orElseThrow(() -> new VerificationFailure("the cache is gone; cache=" + trial.name()));
  }

  private static String store(EnsembleCacheManager manager, Trial trial, String site) {
    return stored(manager, trial)
        .store(site)
        .orElseThrow(
            () ->
                new VerificationFailure(
                    "the cache has no store there; cache=%s site=%s"
                        .formatted(trial.name(), site)));
  }

  private String measured(YcsbRuns.Run run, List<Place> sites) throws InterruptedException {
    YcsbRow row = ycsb.measure(run, sites, progress);
    rows.add(row);
    return "%,d operations, %,.0f a second".formatted(row.operations(), row.operationsPerSecond());
  }
}
