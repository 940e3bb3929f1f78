package io.ensemble.maintenance;

import io.ensemble.Mode;
import io.ensemble.StoreIntactException;
import io.ensemble.cache.RepairableEngine;
import io.ensemble.cache.SiteRepair;
import io.ensemble.cache.SiteRepair.MissedKeyCount;
import io.ensemble.catalog.definition.StoredDefinition;
import io.ensemble.catalog.record.CatalogException;
import io.ensemble.catalog.site.SiteEntry;
import io.ensemble.detect.SuspicionLevel;
import io.ensemble.distribution.CacheParts;
import io.ensemble.manager.ManagerContext;
import io.ensemble.manager.OpenCaches;
import io.ensemble.membership.SiteDecommission;
import io.ensemble.placement.ReplicaName;
import io.ensemble.reconfiguration.Alterations;
import io.ensemble.reconfiguration.SiteFailover;
import io.ensemble.schedule.Deadline;
import io.ensemble.site.Site;
import io.ensemble.site.hotrod.configuration.SiteStorage;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.function.BooleanSupplier;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The maintenance that a process performs for one site. As the task's owner it recovers stores that
 * the site has lost, and compares caches whose writes the site may have missed. The owner also
 * updates the site's endpoints, and moves caches away while the site is drained. Owner or not, the
 * process copies to the site those missed writes that this process knows of.
 *
 * <p>A step that runs twice, or late, is rejected by the catalog or changes nothing: recovery and
 * moves end with a compare-and-set, and any process may settle a key. {@link #maintain} blocks, and
 * is called by one thread at a time.
 */
public final class SiteMaintenance {

  /**
   * How long a store must be missing: this number of beats in memory, the duration below on disk. A
   * site that starts from its disk reports no stores at first.
   */
  static final int MISSING_IN_MEMORY = 2;

  public static final Duration MISSING_ON_DISK = Duration.ofSeconds(60);

  static final int KEYS_PER_SECOND = 2_000;

  private static final Logger LOG = LoggerFactory.getLogger(SiteMaintenance.class);
  static final Duration LONGEST_QUESTION = Duration.ofSeconds(5);
  static final Duration LONGEST_RECOVERY = Duration.ofMinutes(30);
  private static final Duration LONGEST_COMPARISON = Duration.ofHours(6);

  /**
   * The components of a manager that maintenance uses.
   *
   * @param beat the time between passes
   */
  public record Means(
      ManagerContext federation,
      OpenCaches caches,
      SiteFailover changes,
      Alterations alterations,
      CacheParts parts,
      SiteDecommission exit,
      Duration beat) {}

  private final Means means;
  private final String name;
  private final TaskLease lease;

  private volatile SiteEntry entry;
  private volatile String activity = "";
  private volatile boolean mayBeBehind = true; // The state before the start is unknown.

  // All fields below are used only by the thread that runs {@link #maintain}.
  private final Map<String, Long> missingSince = new HashMap<>();
  private final MaintenanceFailureLog maintenanceFailureLog;
  private final MaintenanceRetry maintenanceRetry;
  private final Set<String> comparedStores = new TreeSet<>();
  private boolean wasLeased;
  private final EndpointUpdater nodes;
  private final SiteStoreProbe stores;
  private final SiteDraining draining;

  SiteMaintenance(Means means, SiteEntry entry, TaskLease lease) {
    this.means = means;
    this.name = entry.name();
    this.entry = entry;
    this.lease = lease;
    this.nodes = new EndpointUpdater(means, name);
    this.stores = new SiteStoreProbe(means, name);
    this.maintenanceFailureLog = new MaintenanceFailureLog(LOG, name);
    this.maintenanceRetry = new MaintenanceRetry(maintenanceFailureLog, this::nanos);
    this.draining = new SiteDraining(means, name);
  }

  String name() {
    return name;
  }

  TaskLease lease() {
    return lease;
  }

  void update(SiteEntry newEntry) {
    entry = newEntry;
  }

  /** The notes for other processes. */
  Map<String, String> notes() {
    SuspicionLevel health = site().map(Site::health).orElse(SuspicionLevel.UNASKED);
    Map<String, String> notes = new TreeMap<>();
    notes.put("at", String.valueOf(means.federation().scheduler().epochMicros() / 1_000_000));
    notes.put("state", health.state().name().toLowerCase(Locale.ROOT));
    notes.put("phi", "%.1f".formatted(Math.min(health.phi(), 999)));
    notes.put("silent-ms", String.valueOf(health.silentNanos() / 1_000_000));
    notes.put("behind", mayBeBehind ? "perhaps" : "no");
    if (!activity.isEmpty()) {
      notes.put("doing", activity);
    }
    return notes;
  }

  private Optional<Site> site() {
    return means.federation().sites().find(name);
  }

  /** For the thread that runs {@link #maintain}, and for its other steps for this site. */
  MaintenanceFailureLog failureLog() {
    return maintenanceFailureLog;
  }

  /**
   * Runs one pass of maintenance.
   *
   * @return false if the pass was skipped: another process has the task, or the site does not
   *     answer
   */
  boolean maintain(List<StoredDefinition> all) {
    List<StoredDefinition> siteCaches =
        all.stream().filter(cache -> cache.definition().isAtSite(name)).toList();
    retainNames(siteCaches);
    boolean isLeased = lease.isMine();
    if (isLeased && !wasLeased) {
      mayBeBehind = true;
      comparedStores.clear();
    }
    wasLeased = isLeased;
    if (!isLeased && siteCaches.stream().noneMatch(this::hasMissedKeys)) {
      return false;
    }
    Optional<Set<String>> stores = this.stores.findPresent(siteCaches);
    if (stores.isEmpty()) {
      handleSilence();
      return false;
    }
    List<HeldReplica> heldStores = siteCaches.stream().flatMap(this::heldStoresOf).toList();
    for (HeldReplica heldStore : heldStores) {
      attempt(heldStore, "recover", () -> recover(heldStore, stores.get()));
      attempt(heldStore, "repair", () -> repairMissed(heldStore));
    }
    if (lease.isMine()) {
      heldStores.stream()
          .filter(heldStore -> heldStore.store().filter(stores.get()::contains).isPresent())
          .forEach(heldStore -> attempt(heldStore, "compare", () -> compare(heldStore)));
      mayBeBehind =
          !heldStores.stream().map(HeldReplica::generationKey).allMatch(comparedStores::contains);
      nodes.refresh(entry, siteCaches);
      attempt(name, "drain", () -> drain(all));
      activity = draining.describeActivity(entry, all);
    }
    return true;
  }

  /** A replica of a cache that the site holds. */
  private record HeldReplica(StoredDefinition cache, String replica) {

    String name() {
      return cache.definition().name();
    }

    Optional<String> store() {
      return cache.store(replica);
    }

    /** The subject of a step: the cache, and the replica if the site holds several. */
    String step() {
      return ReplicaName.isReserved(replica) ? name() + " " + replica : name();
    }

    /** Identifies the replica in the cache's present configuration. */
    String generationKey() {
      return step() + "." + cache.birth() + "." + cache.configuration();
    }
  }

  private Stream<HeldReplica> heldStoresOf(StoredDefinition cache) {
    return ReplicaName.at(name, cache.definition().sites()).stream()
        .map(replica -> new HeldReplica(cache, replica));
  }

  /** Discards the state of steps for caches that are no longer here. */
  private void retainNames(List<StoredDefinition> siteCaches) {
    Set<String> names =
        siteCaches.stream()
            .flatMap(this::heldStoresOf)
            .map(HeldReplica::step)
            .collect(Collectors.toCollection(TreeSet::new));
    missingSince.keySet().retainAll(names);
    names.add(name);
    maintenanceRetry.keep(names);
  }

  /** Runs the drain. A drain that waits for the end of a change is not a success. */
  private boolean drain(List<StoredDefinition> all) {
    draining.drain(entry, all);
    return entry.state() != SiteEntry.State.DRAINING
        || all.stream()
            .allMatch(cache -> cache.change().filter(change -> !change.isEnding()).isEmpty());
  }

  private long nanos() {
    return means.federation().scheduler().nanos();
  }

  private Deadline deadlineIn(Duration longest) {
    return Deadline.after(longest, means.federation().scheduler());
  }

  private void handleSilence() {
    missingSince.clear(); // Whether the site still has the stores is unknown.
    if (site().map(Site::health).orElse(SuspicionLevel.UNASKED).state()
        == SuspicionLevel.State.DOWN) {
      mayBeBehind = true;
      comparedStores.clear();
    }
  }

  private void attempt(HeldReplica heldStore, String what, BooleanSupplier step) {
    attempt(heldStore.step(), what, step);
  }

  private void attempt(String subject, String what, BooleanSupplier step) {
    try {
      maintenanceRetry.attempt(new MaintenanceFailureLog.Step(subject, what), step);
    } finally {
      activity = "";
    }
  }

  /**
   * Recovers a lost store. An operator must bring back a site that an SWMR cache has left out by
   * command.
   */
  private boolean recover(HeldReplica heldStore, Set<String> stores) {
    String cacheName = heldStore.name();
    StoredDefinition cache = heldStore.cache();
    String replica = heldStore.replica();
    boolean isComplete =
        heldStore.store().filter(stores::contains).isPresent() || !cache.roll().counts(replica);
    if (isComplete || cache.isRefillRefused()) {
      missingSince.remove(heldStore.step());
      return isComplete;
    }
    Long missingSinceNanos = missingSince.putIfAbsent(heldStore.step(), nanos());
    Duration requiredWait =
        entry.storage() == SiteStorage.DISK
            ? MISSING_ON_DISK
            : means.beat().multipliedBy(MISSING_IN_MEMORY);
    if (missingSinceNanos == null
        || nanos() - missingSinceNanos < requiredWait.toNanos()
        || !lease.isMine()) {
      return false;
    }
    if (!SiteStoreProbe.canFill(means, cache, replica)) {
      return false; // A recovery would wait for other sites, and delay all other steps.
    }
    activity = "recovering " + cacheName;
    LOG.info("a site has lost a store; site={} cache={}", replica, cacheName);
    try {
      means
          .changes()
          .refill(means.caches().opened(cache), cache, replica, LONGEST_RECOVERY)
          .ifPresent(
              keys ->
                  LOG.info(
                      "a site was recovered; site={} cache={} keys={}", replica, cacheName, keys));
    } catch (StoreIntactException exception) {
      LOG.info(
          "the store of a site is intact, no recovery is needed; site={} cache={}",
          replica,
          cacheName);
    } catch (CatalogException exception) {
      if (exception.reason() != CatalogException.Reason.CHANGED) {
        throw exception;
      }
      LOG.info(
          "another process has changed the cache meanwhile; site={} cache={}", replica, cacheName);
    }
    missingSince.remove(heldStore.step());
    return true;
  }

  private Optional<SiteRepair> findRepair(StoredDefinition cache) {
    return means
        .caches()
        .get(cache.definition().name())
        .filter(open -> open.isOf(cache))
        .map(open -> open.faces().engine())
        .filter(RepairableEngine.class::isInstance)
        .map(engine -> ((RepairableEngine) engine).siteRepair())
        .filter(SiteRepair::canRepair);
  }

  private boolean hasMissedKeys(StoredDefinition cache) {
    return heldStoresOf(cache)
        .anyMatch(
            heldStore ->
                findRepair(cache)
                    .map(engine -> engine.missed(heldStore.replica()))
                    .filter(missed -> missed.keys() > 0 || missed.more())
                    .isPresent());
  }

  /** Copies the missed writes that this process knows of to the site. */
  private boolean repairMissed(HeldReplica heldStore) {
    SiteRepair repair = findRepair(heldStore.cache()).orElse(null);
    if (repair == null) {
      return false;
    }
    String replica = heldStore.replica();
    MissedKeyCount missed = repair.missed(replica);
    if (missed.more()) {
      compare(heldStore, repair);
    } else if (missed.keys() > 0) {
      activity = "repairing " + heldStore.name();
      long keys =
          means
              .caches()
              .waitFor(
                  () -> repair.repair(replica, deadlineIn(LONGEST_RECOVERY)), LONGEST_RECOVERY);
      LOG.info(
          "a site was repaired from hints; site={} cache={} keys={} of={}",
          replica,
          heldStore.name(),
          keys,
          missed.keys());
    }
    return true;
  }

  /**
   * Compares a cache once after each period in which the site may have missed writes that no
   * process has recorded.
   */
  private boolean compare(HeldReplica heldStore) {
    if (mayBeBehind && !comparedStores.contains(heldStore.generationKey())) {
      if (heldStore.cache().definition().mode() != Mode.WEAK
          && means.caches().opened(heldStore.cache()).faces().engine()
              instanceof RepairableEngine engine
          && engine.siteRepair().canRepair()) {
        compare(heldStore, engine.siteRepair());
      }
      comparedStores.add(heldStore.generationKey());
    }
    return true;
  }

  private void compare(HeldReplica heldStore, SiteRepair engine) {
    activity = "comparing " + heldStore.name();
    long keys =
        means
            .caches()
            .waitFor(
                () ->
                    engine.compare(
                        heldStore.replica(), KEYS_PER_SECOND, deadlineIn(LONGEST_COMPARISON)),
                LONGEST_COMPARISON);
    LOG.info(
        "anti-entropy of a site ended; site={} cache={} differed={}",
        heldStore.replica(),
        heldStore.name(),
        keys);
  }
}
