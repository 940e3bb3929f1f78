package io.ensemble.maintenance;

import io.ensemble.Mode;
import io.ensemble.StoreIntactException;
import io.ensemble.cache.RepairableEngine;
import io.ensemble.cache.SiteRepair;
import io.ensemble.cache.SiteRepair.Missed;
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
 * moves end with a compare-and-set, and any process may settle a key. {@link #attend} blocks, and
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
  private volatile String doing = "";
  private volatile boolean mayBeBehind = true; // The state before the start is unknown.

  // All fields below are used only by the thread that runs {@link #attend}.
  private final Map<String, Long> missingSince = new HashMap<>();
  private final MaintenanceFailureLog maintenanceFailureLog;
  private final MaintenanceRetry maintenanceRetry;
  private final Set<String> compared = new TreeSet<>();
  private boolean wasMine;
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

  void now(SiteEntry present) {
    entry = present;
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
    if (!doing.isEmpty()) {
      notes.put("doing", doing);
    }
    return notes;
  }

  private Optional<Site> site() {
    return means.federation().sites().find(name);
  }

  /** For the thread that runs {@link #attend}, and for its other steps for this site. */
  MaintenanceFailureLog failing() {
    return maintenanceFailureLog;
  }

  /**
   * Runs one pass of maintenance.
   *
   * @return false if the pass was skipped: another process has the task, or the site does not
   *     answer
   */
  boolean attend(List<StoredDefinition> all) {
    List<StoredDefinition> here =
        all.stream().filter(cache -> cache.definition().isAtSite(name)).toList();
    keep(here);
    boolean mine = lease.isMine();
    if (mine && !wasMine) {
      mayBeBehind = true;
      compared.clear();
    }
    wasMine = mine;
    if (!mine && here.stream().noneMatch(this::knowsOfMissed)) {
      return false;
    }
    Optional<Set<String>> stores = this.stores.there(here);
    if (stores.isEmpty()) {
      silent();
      return false;
    }
    List<Held> held = here.stream().flatMap(this::held).toList();
    for (Held one : held) {
      attempt(one, "recover", () -> recover(one, stores.get()));
      attempt(one, "repair", () -> repair(one));
    }
    if (lease.isMine()) {
      held.stream()
          .filter(one -> one.store().filter(stores.get()::contains).isPresent())
          .forEach(one -> attempt(one, "compare", () -> compare(one)));
      mayBeBehind = !held.stream().map(Held::life).allMatch(compared::contains);
      nodes.refresh(entry, here);
      attempt(name, "drain", () -> drain(all));
      doing = draining.doing(entry, all);
    }
    return true;
  }

  /** A replica of a cache that the site holds. */
  private record Held(StoredDefinition cache, String replica) {

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
    String life() {
      return step() + "." + cache.birth() + "." + cache.configuration();
    }
  }

  private Stream<Held> held(StoredDefinition cache) {
    return ReplicaName.at(name, cache.definition().sites()).stream()
        .map(replica -> new Held(cache, replica));
  }

  /** Discards the state of steps for caches that are no longer here. */
  private void keep(List<StoredDefinition> here) {
    Set<String> names =
        here.stream()
            .flatMap(this::held)
            .map(Held::step)
            .collect(Collectors.toCollection(TreeSet::new));
    missingSince.keySet().retainAll(names);
    names.add(name);
    maintenanceRetry.keep(names);
  }

  /** Runs the drain. A drain that waits for the end of a change is not a success. */
  private boolean drain(List<StoredDefinition> all) {
    draining.attend(entry, all);
    return entry.state() != SiteEntry.State.DRAINING
        || all.stream().allMatch(cache -> cache.change().filter(x -> !x.isEnding()).isEmpty());
  }

  private long nanos() {
    return means.federation().scheduler().nanos();
  }

  private Deadline in(Duration longest) {
    return Deadline.after(longest, means.federation().scheduler());
  }

  private void silent() {
    missingSince.clear(); // Whether the site still has the stores is unknown.
    if (site().map(Site::health).orElse(SuspicionLevel.UNASKED).state()
        == SuspicionLevel.State.DOWN) {
      mayBeBehind = true;
      compared.clear();
    }
  }

  private void attempt(Held of, String what, BooleanSupplier step) {
    attempt(of.step(), what, step);
  }

  private void attempt(String of, String what, BooleanSupplier step) {
    try {
      maintenanceRetry.attempt(new MaintenanceFailureLog.Step(of, what), step);
    } finally {
      doing = "";
    }
  }

  /**
   * Recovers a lost store. An operator must bring back a site that an SWMR cache has left out by
   * command.
   */
  private boolean recover(Held held, Set<String> stores) {
    String of = held.name();
    StoredDefinition cache = held.cache();
    String replica = held.replica();
    boolean whole =
        held.store().filter(stores::contains).isPresent() || !cache.roll().counts(replica);
    if (whole || cache.isRefillRefused()) {
      missingSince.remove(held.step());
      return whole;
    }
    Long since = missingSince.putIfAbsent(held.step(), nanos());
    Duration enough =
        entry.storage() == SiteStorage.DISK
            ? MISSING_ON_DISK
            : means.beat().multipliedBy(MISSING_IN_MEMORY);
    if (since == null || nanos() - since < enough.toNanos() || !lease.isMine()) {
      return false;
    }
    if (!SiteStoreProbe.canFill(means, cache, replica)) {
      return false; // A recovery would wait for other sites, and delay all other steps.
    }
    doing = "recovering " + of;
    LOG.info("a site has lost a store; site={} cache={}", replica, of);
    try {
      means
          .changes()
          .refill(means.caches().opened(cache), cache, replica, LONGEST_RECOVERY)
          .ifPresent(
              keys ->
                  LOG.info("a site was recovered; site={} cache={} keys={}", replica, of, keys));
    } catch (StoreIntactException unharmed) {
      LOG.info(
          "the store of a site is intact, no recovery is needed; site={} cache={}", replica, of);
    } catch (CatalogException other) {
      if (other.reason() != CatalogException.Reason.CHANGED) {
        throw other;
      }
      LOG.info("another process has changed the cache meanwhile; site={} cache={}", replica, of);
    }
    missingSince.remove(held.step());
    return true;
  }

  private Optional<SiteRepair> siteRepair(StoredDefinition cache) {
    return means
        .caches()
        .get(cache.definition().name())
        .filter(open -> open.isOf(cache))
        .map(open -> open.faces().engine())
        .filter(RepairableEngine.class::isInstance)
        .map(engine -> ((RepairableEngine) engine).siteRepair())
        .filter(SiteRepair::canRepair);
  }

  private boolean knowsOfMissed(StoredDefinition cache) {
    return held(cache)
        .anyMatch(
            one ->
                siteRepair(cache)
                    .map(engine -> engine.missed(one.replica()))
                    .filter(missed -> missed.keys() > 0 || missed.more())
                    .isPresent());
  }

  /** Copies the missed writes that this process knows of to the site. */
  private boolean repair(Held held) {
    SiteRepair engine = siteRepair(held.cache()).orElse(null);
    if (engine == null) {
      return false;
    }
    String replica = held.replica();
    Missed missed = engine.missed(replica);
    if (missed.more()) {
      compare(held, engine);
    } else if (missed.keys() > 0) {
      doing = "repairing " + held.name();
      long keys =
          means
              .caches()
              .waitFor(() -> engine.repair(replica, in(LONGEST_RECOVERY)), LONGEST_RECOVERY);
      LOG.info(
          "a site was repaired from hints; site={} cache={} keys={} of={}",
          replica,
          held.name(),
          keys,
          missed.keys());
    }
    return true;
  }

  /**
   * Compares a cache once after each period in which the site may have missed writes that no
   * process has recorded.
   */
  private boolean compare(Held held) {
    if (mayBeBehind && !compared.contains(held.life())) {
      if (held.cache().definition().mode() != Mode.WEAK
          && means.caches().opened(held.cache()).faces().engine() instanceof RepairableEngine engine
          && engine.siteRepair().canRepair()) {
        compare(held, engine.siteRepair());
      }
      compared.add(held.life());
    }
    return true;
  }

  private void compare(Held held, SiteRepair engine) {
    doing = "comparing " + held.name();
    long keys =
        means
            .caches()
            .waitFor(
                () -> engine.compare(held.replica(), KEYS_PER_SECOND, in(LONGEST_COMPARISON)),
                LONGEST_COMPARISON);
    LOG.info(
        "anti-entropy of a site ended; site={} cache={} differed={}",
        held.replica(),
        held.name(),
        keys);
  }
}
