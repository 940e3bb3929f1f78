package io.ensemble;

import io.ensemble.catalog.definition.StoredDefinition;
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
import io.ensemble.membership.CertificateMonitor;
import io.ensemble.membership.ReplicaLoad;
import io.ensemble.membership.SiteDecommission;
import io.ensemble.membership.SiteHealth;
import io.ensemble.membership.SiteHealthMonitor;
import io.ensemble.membership.SiteSelector;
import io.ensemble.membership.SiteUsage;
import io.ensemble.reconfiguration.Alterations;
import io.ensemble.reconfiguration.ChangeRun;
import io.ensemble.reconfiguration.SiteFailover;
import io.ensemble.schedule.Deadline;
import io.ensemble.site.Site;
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
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Consumer;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * The sites of a federation, as its catalog has them: they join, are drained of their caches, and
 * leave. A change made here is known to each process of the federation when that process needs the
 * site, and after five seconds at the latest.
 *
 * <p>Methods wait for the catalog, for some round trips each, and fail with {@link
 * CatalogException} if the catalog cannot be read or written. After that failure it is unknown
 * whether a change was made; the call may be repeated. Methods fail with {@link
 * NoSuchElementException} if a site is not in the catalog. Thread-safe.
 */
public final class Membership {

  private static final Duration LONGEST_FIGURES = Duration.ofSeconds(2);

  /** Longer than a catalog of several ZooKeepers waits for one of them. */
  private static final Duration LONGEST_NOTES = Duration.ofSeconds(30);

  private final ManagerContext federation;
  private final OpenCaches caches;
  private final SiteFailover changes;
  private final Alterations alterations;
  private final CacheParts parts;
  private final CatalogView catalog;
  private final SiteDecommission exit;
  private final SiteHealthMonitor health;
  private final CertificateMonitor certificates;
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
    this.certificates =
        new CertificateMonitor(federation.sites(), federation.scheduler(), federation.registry());
    certificates.start();
  }

  /** Starts maintenance of the sites. */
  void maintain(String owner, Duration beat) {
    maintenance = new Maintenance(means(beat), federation.entries(), tasks(), owner, beat);
    maintenance.start();
  }

  /**
   * Starts the checks of the stores of caches that are open here.
   *
   * @param refills whether stores that a node has lost are refilled
   * @param rebuildAfter how long a node must be silent until caches with a replica there are
   *     rebuilt; empty if this process does not rebuild automatically
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
            () -> new IllegalStateException("definitions other than a catalog have no tasks"));
  }

  /**
   * Takes no further changes over, because the movers of this process are about to release theirs.
   */
  void endTakingOver() {
    if (rebuilding != null) {
      rebuilding.close();
    }
    if (maintenance != null) {
      maintenance.close();
    }
  }

  /** Ends the monitors and the checks. */
  void close() {
    health.close();
    certificates.close();
    if (checking != null) {
      checking.close();
    }
    if (refilling != null) {
      refilling.close();
    }
  }

  /** The health of the sites that this process uses, by name, as it sees them. Sends no request. */
  public List<SiteHealth> health() {
    return health.now();
  }

  /**
   * Registers {@code told} for changes in this process's view of the health of a site. The listener
   * is called within a second, on the scheduler, so it must not block.
   *
   * @return ends the registration when it is closed
   */
  public AutoCloseable listen(Consumer<SiteHealth> told) {
    return health.listen(told);
  }

  /** The sites in the catalog, by name. */
  public List<SiteEntry> entries() {
    return catalog.entries();
  }

  /** A site; empty if the catalog has none of that name. */
  public Optional<SiteEntry> entry(String site) {
    return catalog.entry(site);
  }

  /** The sites in the catalog, by name, with the caches at each. One read for each cache. */
  public List<SiteUsage> sites() {
    return catalog.uses();
  }

  /**
   * Adds a site to the catalog. No request is sent to the site.
   *
   * @throws IllegalArgumentException if there is a site of that name, or the entry cannot be used
   */
  public void add(SiteEntry site) {
    SiteConfigurationFactory.configuration(site);
    if (!catalog.create(site)) {
      throw new IllegalArgumentException("a site of this name exists; site=" + site.name());
    }
  }

  /**
   * Adds a site that an untrusted party has described, if {@code policy} allows its addresses.
   * Where the policy allows their network, names are replaced by their addresses. Waits for names
   * to be resolved. A name may have another address by the time of a connection, and a site may
   * report nodes elsewhere. Therefore build the manager with {@link
   * EnsembleCacheManagerBuilder#siteAddresses} too.
   *
   * @throws io.ensemble.site.address.AddressRefusedException if an address is not allowed
   * @throws IllegalArgumentException as the other method, and if there is no such host
   */
  public void add(SiteEntry site, AddressPolicy policy) {
    add(SiteAdmission.of(site, policy, AddressResolver.SYSTEM));
  }

  /** Ends the draining of a site: caches may be placed there again. */
  public void serve(String site) {
    catalog.in(State.SERVING, site);
  }

  /**
   * Begins to drain a site and returns the caches that have to leave; from now on no cache is
   * placed there. Move each by {@link #move}, then call this again, until no cache has to leave.
   * Any process may repeat the call at any time, because the process that began may be dead.
   *
   * @throws SiteInUseException if there are too few other sites for a cache. Says for each cache
   *     which sites it requires and which there are; nothing was done
   */
  public List<CacheRelocation> drain(String site, SiteSelector choice) {
    return exit.drain(site, choice);
  }

  /**
   * As the other method: each cache moves to its best present placement, by the placement policy
   * with which it was created, if any. A site that does not answer within five seconds is chosen
   * only if there is no other. For a cache whose stores here are on disk, a site that keeps them in
   * memory is a last choice. {@link CacheRelocation#notes} report either case.
   */
  public List<CacheRelocation> drain(String site) {
    return exit.drain(site);
  }

  /**
   * The caches that still have to leave a site that is being drained, as {@link #drain(String)}
   * would return. Empty if the site is not being drained. Does not begin to drain the site.
   */
  public List<CacheRelocation> leaving(String site) {
    return exit.leaving(site);
  }

  /**
   * Moves a cache, as {@link ChangeRun} describes. If the cache is being changed already, the
   * result is that change: this call joins it, and takes it over if its mover falls silent.
   *
   * <p>Fails with {@link CatalogException} of {@link CatalogException.Reason#CHANGED} if the cache
   * has moved to other sites since {@code leaving} was computed. Nothing was done; compute it
   * again.
   *
   * @throws UnsupportedOperationException if the cache cannot leave
   * @throws NoSuchElementException if the cache is gone
   */
  public ChangeRun move(CacheRelocation leaving) {
    return move(leaving, 0);
  }

  /**
   * As the other method, with a limit on the keys that are copied in a second while the former
   * configuration serves; 0 for no limit.
   */
  public ChangeRun move(CacheRelocation leaving, long keysPerSecond) {
    return exit.move(leaving, keysPerSecond);
  }

  /**
   * The notes of the process that maintains each site, by site. Keys: {@code state}, {@code phi},
   * {@code silent-ms}, {@code behind} ({@code no}, {@code perhaps}), the activity {@code doing},
   * and the time {@code at} in seconds since 1970 by the clock of that process. The notes are at
   * most two seconds old, unless the process is dead. Empty if no process runs maintenance, and for
   * a site whose task cannot be read. In a catalog of several ZooKeepers one may be away, which
   * takes about ten seconds.
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
   * The load of each site, by the statistics of its nodes, as placement uses it: the number of
   * entries and of requests. Sites that do not answer within two seconds are left out. One request
   * for each store of each site.
   */
  public Map<String, SiteStatistics> figures() {
    Set<String> names = entries().stream().map(SiteEntry::name).collect(Collectors.toSet());
    return CachePlacer.figures(federation, caches, names, LONGEST_FIGURES);
  }

  /**
   * The load of each replica of {@code cache} in the configuration that serves, by the statistics
   * of its node: from all clients, not of this process alone. Replicas that do not answer within
   * two seconds, or that keep no statistics, are left out. One request for each replica, all at the
   * same time. Its outcome counts for {@link #health}.
   */
  public Map<String, ReplicaLoad> figures(StoredDefinition cache) {
    StoredDefinition served = cache.served();
    Deadline deadline = Deadline.after(LONGEST_FIGURES, federation.scheduler());
    return caches.waitFor(() -> replicaFigures(served, deadline), LONGEST_NOTES);
  }

  private CompletionStage<Map<String, ReplicaLoad>> replicaFigures(
      StoredDefinition cache, Deadline deadline) {
    List<String> replicas = cache.definition().sites();
    return federation
        .sites()
        .learn(replicas)
        .thenCompose(
            known -> {
              Map<String, ReplicaLoad> loads = new ConcurrentHashMap<>();
              return CompletableFuture.allOf(
                      replicas.stream()
                          .map(replica -> addFigures(cache, replica, deadline, loads))
                          .toArray(CompletableFuture<?>[]::new))
                  .thenApply(all -> new TreeMap<>(loads));
            });
  }

  private CompletableFuture<?> addFigures(
      StoredDefinition cache, String replica, Deadline deadline, Map<String, ReplicaLoad> loads) {
    Optional<Site> site = federation.sites().find(replica);
    Optional<String> store = cache.store(replica);
    if (site.isEmpty() || store.isEmpty()) {
      return CompletableFuture.completedFuture(null);
    }
    long begin = federation.scheduler().nanos();
    return site.get()
        .figures(store.get(), deadline)
        .thenAccept(
            statistics -> {
              if (statistics.entries().isPresent()) {
                Duration took = Duration.ofNanos(federation.scheduler().nanos() - begin);
                loads.put(replica, new ReplicaLoad(took, statistics));
              }
            })
        .exceptionally(silent -> null)
        .toCompletableFuture();
  }

  /**
   * Removes a site from the catalog. Its stores are left unchanged. While Ensemble checks whether a
   * cache is there, the site counts as being drained, so that no cache is placed there.
   *
   * @throws SiteInUseException if a cache is there, or is placed there meanwhile. The site is in
   *     the state that it was in before, even if a drain began meanwhile
   */
  public void remove(String site) {
    exit.remove(site);
  }
}
