package io.ensemble.maintenance;

import io.ensemble.EnsembleException;
import io.ensemble.cache.DynamicQuorumEngine;
import io.ensemble.catalog.SiteHandle;
import io.ensemble.catalog.definition.StoredDefinition;
import io.ensemble.manager.ManagedCache;
import io.ensemble.manager.OpenCaches;
import io.ensemble.redundancy.RedundancyMonitor;
import io.ensemble.redundancy.ReplicaState;
import io.ensemble.schedule.Deadline;
import io.ensemble.schedule.PeriodicTask;
import io.ensemble.site.StoreKind;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.concurrent.CancellationException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.SynchronousQueue;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.function.BooleanSupplier;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Checks the stores of the caches that are open here, and of caches that were {@linkplain
 * RedundancyMonitor#request requested}. Every two seconds it reads the records of the open caches,
 * and probes those of their stores that are on one node each. The results go to the {@link
 * RedundancyMonitor}, and to the {@link StoreRefiller} and the {@link AutomaticRebuild} if this
 * process has them. Other stores are not probed; their state follows from their use. Runs on a
 * single thread, which may block.
 */
public final class StoreChecker implements AutoCloseable {

  private static final Logger LOG = LoggerFactory.getLogger(StoreChecker.class);

  /** How long one check waits until new stores are filled; the next check continues. */
  private static final Duration LONGEST_FILLING = Duration.ofSeconds(2);

  /**
   * The result of a check.
   *
   * @param bySite the caches whose stores were probed, by site or replica; only records that were
   *     read in this check and can be refilled
   * @param presentStores the stores that each site has, as {@link SiteStoreProbe#findPresent}
   *     returns them
   */
  record StoreCheckResult(
      Map<String, List<StoredDefinition>> bySite, Map<String, Set<String>> presentStores) {}

  private final SiteMaintenance.Means means;
  private final RedundancyMonitor monitor;
  private final @Nullable StoreRefiller refiller;
  private final @Nullable AutomaticRebuild rebuild;
  private final ThreadPoolExecutor executor;
  private final MaintenanceFailureLog maintenanceFailureLog = new MaintenanceFailureLog(LOG);
  private final MaintenanceRetry maintenanceRetry;
  private final PeriodicTask checks;
  private volatile boolean closed;

  // Used only by the worker thread.
  private final Map<String, SiteStoreProbe> sites = new HashMap<>();

  /** The voter sets whose sites are all filled, see {@link #voterSetKey}. */
  private final Set<String> filledVoterSets = new HashSet<>();

  /** The last known records of open caches. */
  private final Map<String, StoredDefinition> records = new TreeMap<>();

  /**
   * @param refiller receives the result of every check; null if this process does not refill
   * @param rebuild receives every check; null if this process does not rebuild automatically
   */
  public StoreChecker(
      SiteMaintenance.Means means,
      RedundancyMonitor monitor,
      @Nullable StoreRefiller refiller,
      @Nullable AutomaticRebuild rebuild) {
    this.means = means;
    this.monitor = monitor;
    this.refiller = refiller;
    this.rebuild = rebuild;
    this.maintenanceRetry =
        new MaintenanceRetry(maintenanceFailureLog, () -> means.federation().scheduler().nanos());
    this.executor = newExecutor("ensemble-store-checks");
    this.checks =
        new PeriodicTask(
            "checks of stores", means.federation().scheduler(), means.beat(), this::submitCheck);
  }

  /** A pool of one thread that rejects a task while it runs another. */
  static ThreadPoolExecutor newExecutor(String name) {
    return new ThreadPoolExecutor(
        0,
        1,
        10,
        TimeUnit.SECONDS,
        new SynchronousQueue<>(),
        task -> {
          Thread thread = new Thread(task, name);
          thread.setDaemon(true);
          return thread;
        });
  }

  public void start() {
    checks.start();
  }

  private CompletionStage<?> submitCheck() {
    try {
      executor.execute(this::checkNow);
    } catch (RejectedExecutionException rejection) {
      LOG.trace("the previous check has not ended");
    }
    return CompletableFuture.completedFuture(null);
  }

  private void checkNow() {
    if (closed) {
      return;
    }
    Map<String, ManagedCache> open = means.caches().snapshot();
    Set<String> readNames = readRecords(open);
    List<StoredDefinition> requestedRecords = readRequested(open);
    Map<String, List<StoredDefinition>> bySite = new TreeMap<>();
    Map<String, List<StoredDefinition>> refillable = new TreeMap<>();
    records.forEach(
        (name, record) -> {
          addToSites(record.served(), bySite);
          if (readNames.contains(name) && !record.isRefillRefused()) {
            addToSites(record, refillable);
          }
        });
    requestedRecords.forEach(record -> addToSites(record.served(), bySite));
    Map<String, Set<String>> presentStores = checkStores(bySite);
    fillVoterSets(open);
    open.forEach(this::recordLostStores);
    monitor.update(records.values(), requestedRecords);
    if (refiller != null) {
      refiller.refill(open.keySet(), new StoreCheckResult(refillable, presentStores));
    }
    if (rebuild != null) {
      rebuild.update(
          open.keySet(),
          records.values().stream().filter(record -> isRead(record, readNames)).toList());
    }
  }

  private static boolean isRead(StoredDefinition record, Set<String> readNames) {
    return readNames.contains(record.definition().name());
  }

  /**
   * Fills new stores of SWMR caches at two sites, including those that other processes created.
   * Until they are filled, they are reported as lost, because the other site has the only copy.
   */
  private void fillVoterSets(Map<String, ManagedCache> open) {
    Set<String> voterSetKeys = new HashSet<>();
    Map<StoredDefinition, CompletableFuture<Boolean>> fillResults = new HashMap<>();
    records.forEach(
        (name, record) -> {
          voterSetKeys.add(voterSetKey(record));
          ManagedCache cache = open.get(name);
          if (cache != null
              && canLackData(record)
              && cache.faces().engine() instanceof DynamicQuorumEngine engine) {
            Deadline limit = Deadline.after(LONGEST_FILLING, means.federation().scheduler());
            fillResults.put(
                record,
                engine
                    .fill(limit)
                    .handle((done, failure) -> failure == null)
                    .toCompletableFuture());
          }
        });
    filledVoterSets.retainAll(voterSetKeys);
    fillResults.forEach(
        (record, fillResult) -> {
          if (awaitFill(fillResult)) {
            filledVoterSets.add(voterSetKey(record));
          } else {
            record.roll().sites().stream()
                .skip(1)
                .flatMap(site -> record.store(site).stream())
                .forEach(store -> monitor.found(store, ReplicaState.LOST));
          }
        });
  }

  private boolean awaitFill(CompletableFuture<Boolean> fillResult) {
    try {
      return means.caches().waitFor(() -> fillResult, LONGEST_FILLING.multipliedBy(2));
    } catch (EnsembleException exception) {
      return false;
    }
  }

  /** Whether a site with a new store counts although the store may not be filled yet. */
  private boolean canLackData(StoredDefinition record) {
    return record.roll().number() > 1
        && record.roll().sites().size() > 1
        && record.change().isEmpty()
        && !filledVoterSets.contains(voterSetKey(record));
  }

  private static String voterSetKey(StoredDefinition record) {
    return record.birth() + "." + record.configuration() + "." + record.roll().number();
  }

  /** Reads the records of open caches. If a record cannot be read, the former one stays. */
  private Set<String> readRecords(Map<String, ManagedCache> open) {
    Set<String> readNames = new HashSet<>();
    records.keySet().retainAll(open.keySet());
    open.forEach(
        (name, cache) ->
            maintenanceRetry.attempt(
                new MaintenanceFailureLog.Step(name, "look up"),
                ignoreCancellation(
                    () -> {
                      Optional<StoredDefinition> present = findRecord(cache);
                      if (present.isPresent()) {
                        records.put(name, present.get());
                        readNames.add(name);
                      } else {
                        records.remove(name);
                      }
                    })));
    return readNames;
  }

  private Optional<StoredDefinition> findRecord(ManagedCache cache) {
    StoredDefinition opened = cache.watch().opened();
    if (cache.watch().isDeleted()) {
      return Optional.empty();
    }
    return means
        .caches()
        .waitFor(
            () -> means.federation().definitions().get(opened.definition().name()),
            OpenCaches.LONGEST_LOOKUP)
        .filter(opened::isSameBirth);
  }

  /** Caches that were requested and are not open, whose sites are known here. */
  private List<StoredDefinition> readRequested(Map<String, ManagedCache> open) {
    List<StoredDefinition> requestedRecords = new ArrayList<>();
    for (StoredDefinition record : monitor.requested()) {
      String name = record.definition().name();
      if (!open.containsKey(name)) {
        maintenanceRetry.attempt(
            new MaintenanceFailureLog.Step(name, "find sites"),
            ignoreCancellation(
                () -> {
                  learnSites(record.served().definition().sites());
                  requestedRecords.add(record);
                }));
      }
    }
    return requestedRecords;
  }

  private void learnSites(List<String> replicas) {
    if (!means.federation().sites().knows(replicas)) {
      means
          .caches()
          .waitFor(() -> means.federation().sites().learn(replicas), OpenCaches.LONGEST_LOOKUP);
    }
  }

  /** Adds a cache that may lose a store together with a node. */
  private static void addToSites(
      StoredDefinition cache, Map<String, List<StoredDefinition>> bySite) {
    if (SiteHandle.kindOf(cache.definition()) == StoreKind.REPLICA) {
      cache
          .incarnations()
          .keySet()
          .forEach(site -> bySite.computeIfAbsent(site, any -> new ArrayList<>()).add(cache));
    }
  }

  private Map<String, Set<String>> checkStores(Map<String, List<StoredDefinition>> bySite) {
    Map<String, Set<String>> presentStores = new TreeMap<>();
    sites.keySet().retainAll(bySite.keySet());
    bySite.forEach(
        (site, siteCaches) ->
            maintenanceFailureLog.runLogged(
                new MaintenanceFailureLog.Step(site, "look"),
                ignoreCancellation(
                    () -> {
                      SiteStoreProbe stores =
                          sites.computeIfAbsent(site, name -> new SiteStoreProbe(means, name));
                      stores
                          .findPresent(siteCaches)
                          .ifPresent(found -> presentStores.put(site, found));
                      stores.states().forEach(monitor::found);
                    })));
    Set<String> names = new HashSet<>(records.keySet());
    names.addAll(bySite.keySet());
    bySite.values().stream()
        .flatMap(Collection::stream)
        .forEach(cache -> names.add(cache.definition().name()));
    maintenanceRetry.keep(names);
    return presentStores;
  }

  /**
   * Records the state of stores that are not probed. A store that was found lost is opened again.
   */
  private void recordLostStores(String name, ManagedCache cache) {
    StoredDefinition record = records.get(name);
    if (record == null || SiteHandle.kindOf(record.served().definition()) == StoreKind.REPLICA) {
      return;
    }
    for (SiteHandle handle : cache.handles().get()) {
      boolean isLost = handle.isLost();
      record
          .served()
          .store(handle.site())
          .ifPresent(
              store -> monitor.found(store, isLost ? ReplicaState.LOST : ReplicaState.WHOLE));
      if (isLost) {
        handle.store(
            Deadline.after(SiteMaintenance.LONGEST_QUESTION, means.federation().scheduler()));
      }
    }
  }

  /** Wraps a step so that its interruption by {@link #close} is not a failure. */
  static BooleanSupplier ignoreCancellation(Runnable step) {
    return () -> {
      try {
        step.run();
      } catch (CancellationException stopped) {
        LOG.trace("stopped", stopped);
      }
      return true;
    };
  }

  /** Begins no further check, and interrupts the present one. Does not block. */
  @Override
  public void close() {
    closed = true;
    checks.close();
    executor.shutdownNow();
  }
}
