package io.ensemble;

import io.ensemble.catalog.record.CatalogException;
import io.ensemble.catalog.site.SiteAdmission;
import io.ensemble.catalog.site.SiteConfigurationFactory;
import io.ensemble.catalog.site.SiteEntry;
import io.ensemble.catalog.site.SiteEntry.State;
import io.ensemble.catalog.task.TaskEntries;
import io.ensemble.distribution.CacheParts;
import io.ensemble.maintenance.AutomaticRebuild;
import io.ensemble.maintenance.Maintenance;
import io.ensemble.maintenance.SiteMaintenance;
import io.ensemble.maintenance.StoreChecker;
import io.ensemble.maintenance.StoreRefiller;
import io.ensemble.manager.ManagerContext;
import io.ensemble.manager.OpenCaches;
import io.ensemble.membership.CachePlacer;
import io.ensemble.membership.CacheRelocation;
import io.ensemble.membership.CatalogView;
import io.ensemble.membership.SiteDecommission;
import io.ensemble.membership.SiteHealth;
import io.ensemble.membership.SiteHealthMonitor;
import io.ensemble.membership.SiteSelector;
import io.ensemble.membership.SiteUsage;
import io.ensemble.reconfiguration.Alterations;
import io.ensemble.reconfiguration.ChangeRun;
import io.ensemble.reconfiguration.SiteFailover;
import io.ensemble.site.SiteStatistics;
import io.ensemble.site.address.AddressPolicy;
import io.ensemble.site.address.AddressResolver;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.NoSuchElementException;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.function.Consumer;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * The sites of a federation, as its catalog has them: they join, are drained of their caches, and
 * leave. What is entered here is known to every process of the federation when it wants it, after
 * five seconds at the latest.
 *
 * <p>Methods wait for the catalog, some round trips each, and fail with {@link CatalogException}
 * when it cannot be had: whether a change was made then is not known, and it may be repeated. They
 * fail with {@link NoSuchElementException} when a site is not in the catalog. Thread-safe.
 */
public final class Membership {

  private static final Duration LONGEST_FIGURES = Duration.ofSeconds(2);

  /** Longer than a ZooKeeper that is made of several waits for one of them. */
  private static final Duration LONGEST_NOTES = Duration.ofSeconds(30);

  private final ManagerContext federation;
  private final OpenCaches caches;
  private final SiteFailover changes;
  private final Alterations alterations;
  private final CacheParts parts;
  private final CatalogView catalog;
  private final SiteDecommission exit;
  private final SiteHealthMonitor health;
  private @Nullable Maintenance maintenance;
  private @Nullable StoreRefiller refilling;
  private @Nullable AutomaticRebuild rebuilding;
  private @Nullable StoreChecker checking;

  Membership(
      ManagerContext federation,
      OpenCaches caches,
      SiteFailover changes,
      Alterations alterations,
      CacheParts parts,
      CachePlacer cachePlacer) {
    this.federation = federation;
    this.caches = caches;
    this.changes = changes;
    this.alterations = alterations;
    this.parts = parts;
    this.catalog = new CatalogView(federation, caches);
    this.exit = new SiteDecommission(catalog, alterations, cachePlacer);
    this.health =
        new SiteHealthMonitor(federation.sites(), federation.scheduler(), federation.registry());
    health.start();
  }

  /** Cares for the sites from now on. */
  void maintain(String owner, Duration beat) {
    maintenance = new Maintenance(means(beat), federation.entries(), tasks(), owner, beat);
    maintenance.start();
  }

  /**
   * Checks the stores of caches that are open here, from now on.
   *
   * @param refills whether those are refilled that a node has lost
   * @param rebuildAfter how long a node must be silent until the caches that it holds are rebuilt;
   *     empty where this process rebuilds nothing by itself
   */
  void check(Duration beat, boolean refills, Optional<Duration> rebuildAfter) {
    SiteMaintenance.Means means = means(beat);
    refilling = refills ? new StoreRefiller(means) : null;
    rebuilding =
        rebuildAfter
            .map(after -> new AutomaticRebuild(means, caches.redundancy(), after))
            .orElse(null);
    checking = new StoreChecker(means, caches.redundancy(), refilling, rebuilding);
    checking.start();
    if (rebuilding != null) {
      rebuilding.start();
    }
  }

  private SiteMaintenance.Means means(Duration beat) {
    return new SiteMaintenance.Means(federation, caches, changes, alterations, parts, exit, beat);
  }

  private TaskEntries tasks() {
    return federation
        .tasks()
        .orElseThrow(
            () -> new IllegalStateException("these definitions are no catalog that has tasks"));
  }

  /** Takes no change over any more: the movers of this process are about to resign theirs. */
  void endTakingOver() {
    if (rebuilding != null) {
      rebuilding.close();
    }
    if (maintenance != null) {
      maintenance.close();
    }
  }

  /** Watches and cares no more. */
  void close() {
    health.close();
    if (checking != null) {
      checking.close();
    }
    if (refilling != null) {
      refilling.close();
    }
  }

  /** What this process thinks of the sites that it uses, by name. Asks nobody. */
  public List<SiteHealth> health() {
    return health.now();
  }

  /**
   * Has {@code told} told, within a second, when this process thinks otherwise of a site than
   * before; on the scheduler, so it must not wait.
   *
   * @return closed to be told no more
   */
  public AutoCloseable listen(Consumer<SiteHealth> told) {
    return health.listen(told);
  }

  /** The sites that the catalog has, by name. */
  public List<SiteEntry> entries() {
    return catalog.entries();
  }

  /** A site; empty when the catalog has none of that name. */
  public Optional<SiteEntry> entry(String site) {
    return catalog.entry(site);
  }

  /** The sites that the catalog has, by name, and what is there. One read for each cache. */
  public List<SiteUsage> sites() {
    return catalog.uses();
  }

  /**
   * Enters a site. Nobody is asked whether it is there.
   *
   * @throws IllegalArgumentException if there is one of that name, or its entry cannot be used
   */
  public void add(SiteEntry site) {
    SiteConfigurationFactory.configuration(site);
    if (!catalog.create(site)) {
      throw new IllegalArgumentException("there is a site of that name; site=" + site.name());
    }
  }

  /**
   * Enters a site that somebody else has described, if {@code policy} allows its addresses, and at
   * addresses in place of names where it allows their network. Waits for names to be resolved. A
   * name may have another address by the time that it is connected to, and a site tells of nodes
   * elsewhere: build the manager with {@link EnsembleCacheManagerBuilder#siteAddresses}, too.
   *
   * @throws io.ensemble.site.address.AddressRefusedException if an address is not allowed
   * @throws IllegalArgumentException as the other method does, and if there is no such host
   */
  public void add(SiteEntry site, AddressPolicy policy) {
    add(SiteAdmission.of(site, policy, AddressResolver.SYSTEM));
  }

  /** Has caches come to a site again that was being drained. */
  public void serve(String site) {
    catalog.in(State.SERVING, site);
  }

  /**
   * What has to leave a site, after which no cache comes to it any more. Each is moved by {@link
   * #move}; ask again then, until nothing has to leave. May be repeated by anybody at any time: who
   * began it may be dead.
   *
   * @throws SiteInUseException if there are too few other sites for a cache, saying of each what
   *     was wanted and what there is; nothing was done
   */
  public List<CacheRelocation> drain(String site, SiteSelector choice) {
    return exit.drain(site, choice);
  }

  /**
   * As the other method: each cache goes where it would be placed now, by what was wished for it
   * when it was created by a wish. A site that does not answer within five seconds is chosen only
   * when there is no other; of a cache whose stores here are on disk, one that keeps them in memory
   * hardly else. {@link CacheRelocation#notes} say when either is so.
   */
  public List<CacheRelocation> drain(String site) {
    return exit.drain(site);
  }

  /**
   * What has still to leave a site that is being drained, as {@link #drain(String)} would say; none
   * if it is not being drained, or no more. Has nothing drained.
   */
  public List<CacheRelocation> leaving(String site) {
    return exit.leaving(site);
  }

  /**
   * Moves a cache, as {@link ChangeRun} says. A change of it that is under way is joined, and taken
   * over when whoever carries it out falls silent; it is what is returned.
   *
   * <p>Fails with {@link CatalogException} of {@link CatalogException.Reason#CHANGED} when the
   * cache has come to other sites since {@code leaving} was told: nothing was done, ask again.
   *
   * @throws UnsupportedOperationException if it cannot leave
   * @throws NoSuchElementException if the cache is gone
   */
  public ChangeRun move(CacheRelocation leaving) {
    return move(leaving, 0);
  }

  /**
   * As the other method, with so many keys a second copied at most while the cache serves as it
   * was; 0 for as many as can be.
   */
  public ChangeRun move(CacheRelocation leaving, long keysPerSecond) {
    return exit.move(leaving, keysPerSecond);
  }

  /**
   * What the process that cares for each site has found, by site: {@code state}, {@code phi},
   * {@code silent-ms}, {@code behind} ({@code no}, {@code perhaps}), what it is {@code doing}, and
   * {@code at} which second since 1970 by its clock: two seconds ago at most, unless it is dead.
   * Empty where no process has had maintenance on, and of a site whose task cannot be had: of a
   * catalog that is made of several ZooKeepers one may be away, which takes some ten seconds.
   */
  public Map<String, Map<String, String>> notes() {
    List<String> sites = entries().stream().map(SiteEntry::name).toList();
    Map<String, Map<String, String>> all = new TreeMap<>();
    caches
        .waitFor(() -> tasks().ofSites(sites), LONGEST_NOTES)
        .forEach((site, task) -> all.put(site, task.notes()));
    return all;
  }

  /**
   * What each site has to do, by the statistics of its nodes, as placement takes it: how many
   * entries it holds and how many requests it gets. Those that do not tell within two seconds are
   * not there. A request for each store of each site.
   */
  public Map<String, SiteStatistics> figures() {
    Set<String> names = entries().stream().map(SiteEntry::name).collect(Collectors.toSet());
    return CachePlacer.figures(federation, caches, names, LONGEST_FIGURES);
  }

  /**
   * Takes a site out of the catalog. What it holds is left as it is. While it is asked whether a
   * cache is there the site counts as being drained, so that none comes.
   *
   * @throws SiteInUseException if a cache is there, or comes there; the site is in the state that
   *     it was in before, also where somebody began to drain it meanwhile
   */
  public void remove(String site) {
    exit.remove(site);
  }
}
