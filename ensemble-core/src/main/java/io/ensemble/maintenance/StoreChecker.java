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
import io.ensemble.schedule.Scheduler;
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
   * @param there the stores that each site has, as {@link SiteStoreProbe#there} returns them
   */
  record Checked(Map<String, List<StoredDefinition>> bySite, Map<String, Set<String>> there) {}

  private final SiteMaintenance.Means means;
  private final RedundancyMonitor monitor;
  private final @Nullable StoreRefiller refiller;
  private final @Nullable AutomaticRebuild rebuild;
  private final ThreadPoolExecutor work;
  private final MaintenanceFailureLog maintenanceFailureLog = new MaintenanceFailureLog(LOG);
  private final MaintenanceRetry maintenanceRetry;

  // Used only by the worker thread.
  private final Map<String, SiteStoreProbe> sites = new HashMap<>();

  /** The voter sets whose sites are all filled, see {@link #roll}. */
  private final Set<String> filled = new HashSet<>();

  /** The last known records of open caches. */
  private final Map<String, StoredDefinition> records = new TreeMap<>();

  // Both are guarded by this object's lock.
  private Scheduler.@Nullable Timer timer;
  private boolean closed;

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
    this.work = thread("ensemble-store-checks");
  }

  /** A pool of one thread that rejects a task while it runs another. */
  static ThreadPoolExecutor thread(String name) {
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
    checkLater();
  }

  private synchronized void checkLater() {
    if (closed) {
      return;
    }
    try {
      timer = means.federation().scheduler().after(means.beat().toNanos(), this::check);
    } catch (RejectedExecutionException ended) {
      closed = true;
    }
  }

  private synchronized boolean isClosed() {
    return closed;
  }

  private void check() {
    try {
      work.execute(this::checkNow);
    } catch (RejectedExecutionException busy) {
      LOG.trace("the previous check has not ended");
    }
    checkLater();
  }

  private void checkNow() {
    if (isClosed()) {
      return;
    }
    Map<String, ManagedCache> open = means.caches().snapshot();
    Set<String> read = read(open);
    List<StoredDefinition> others = others(open);
    Map<String, List<StoredDefinition>> bySite = new TreeMap<>();
    Map<String, List<StoredDefinition>> refillable = new TreeMap<>();
    records.forEach(
        (name, record) -> {
          add(record.served(), bySite);
          if (read.contains(name) && !record.isRefillRefused()) {
            add(record, refillable);
          }
        });
    others.forEach(record -> add(record.served(), bySite));
    Map<String, Set<String>> there = look(bySite);
    fill(open);
    open.forEach(this::note);
    monitor.update(records.values(), others);
    if (refiller != null) {
      refiller.refill(open.keySet(), new Checked(refillable, there));
    }
    if (rebuild != null) {
      rebuild.checked(
          open.keySet(), records.values().stream().filter(record -> isRead(record, read)).toList());
    }
  }

  private static boolean isRead(StoredDefinition record, Set<String> read) {
    return read.contains(record.definition().name());
  }

  /**
   * Fills new stores of SWMR caches at two sites, including those that other processes created.
   * Until they are filled, they are reported as lost, because the other site has the only copy.
   */
  private void fill(Map<String, ManagedCache> open) {
    Set<String> rolls = new HashSet<>();
    Map<StoredDefinition, CompletableFuture<Boolean>> filling = new HashMap<>();
    records.forEach(
        (name, record) -> {
          rolls.add(roll(record));
          ManagedCache here = open.get(name);
          if (here != null
              && mayLack(record)
              && here.faces().engine() instanceof DynamicQuorumEngine engine) {
            Deadline soon = Deadline.after(LONGEST_FILLING, means.federation().scheduler());
            filling.put(
                record,
                engine.fill(soon).handle((done, failure) -> failure == null).toCompletableFuture());
          }
        });
    filled.retainAll(rolls);
    filling.forEach(
        (record, whole) -> {
          if (is(whole)) {
            filled.add(roll(record));
          } else {
            record.roll().sites().stream()
                .skip(1)
                .flatMap(site -> record.store(site).stream())
                .forEach(store -> monitor.found(store, ReplicaState.LOST));
          }
        });
  }

  private boolean is(CompletableFuture<Boolean> whole) {
    try {
      return means.caches().waitFor(() -> whole, LONGEST_FILLING.multipliedBy(2));
    } catch (EnsembleException late) {
      return false;
    }
  }

  /** Whether a site with a new store counts although the store may not be filled yet. */
  private boolean mayLack(StoredDefinition record) {
    return record.roll().number() > 1
        && record.roll().sites().size() > 1
        && record.change().isEmpty()
        && !filled.contains(roll(record));
  }

  private static String roll(StoredDefinition record) {
    return record.birth() + "." + record.configuration() + "." + record.roll().number();
  }

  /** Reads the records of open caches. If a record cannot be read, the former one stays. */
  private Set<String> read(Map<String, ManagedCache> open) {
    Set<String> read = new HashSet<>();
    records.keySet().retainAll(open.keySet());
    open.forEach(
        (name, cache) ->
            maintenanceRetry.attempt(
                new MaintenanceFailureLog.Step(name, "look up"),
                unlessStopped(
                    () -> {
                      Optional<StoredDefinition> present = present(cache);
                      if (present.isPresent()) {
                        records.put(name, present.get());
                        read.add(name);
                      } else {
                        records.remove(name);
                      }
                    })));
    return read;
  }

  private Optional<StoredDefinition> present(ManagedCache cache) {
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
  private List<StoredDefinition> others(Map<String, ManagedCache> open) {
    List<StoredDefinition> others = new ArrayList<>();
    for (StoredDefinition record : monitor.requested()) {
      String name = record.definition().name();
      if (!open.containsKey(name)) {
        maintenanceRetry.attempt(
            new MaintenanceFailureLog.Step(name, "find sites"),
            unlessStopped(
                () -> {
                  learn(record.served().definition().sites());
                  others.add(record);
                }));
      }
    }
    return others;
  }

  private void learn(List<String> replicas) {
    if (!means.federation().sites().knows(replicas)) {
      means
          .caches()
          .waitFor(() -> means.federation().sites().learn(replicas), OpenCaches.LONGEST_LOOKUP);
    }
  }

  /** Adds a cache that may lose a store together with a node. */
  private static void add(StoredDefinition cache, Map<String, List<StoredDefinition>> bySite) {
    if (SiteHandle.kindOf(cache.definition()) == StoreKind.REPLICA) {
      cache
          .incarnations()
          .keySet()
          .forEach(site -> bySite.computeIfAbsent(site, any -> new ArrayList<>()).add(cache));
    }
  }

  private Map<String, Set<String>> look(Map<String, List<StoredDefinition>> bySite) {
    Map<String, Set<String>> there = new TreeMap<>();
    sites.keySet().retainAll(bySite.keySet());
    bySite.forEach(
        (site, here) ->
            maintenanceFailureLog.told(
                new MaintenanceFailureLog.Step(site, "look"),
                unlessStopped(
                    () -> {
                      SiteStoreProbe stores =
                          sites.computeIfAbsent(site, name -> new SiteStoreProbe(means, name));
                      stores.there(here).ifPresent(found -> there.put(site, found));
                      stores.states().forEach(monitor::found);
                    })));
    Set<String> kept = new HashSet<>(records.keySet());
    kept.addAll(bySite.keySet());
    bySite.values().stream()
        .flatMap(Collection::stream)
        .forEach(c -> kept.add(c.definition().name()));
    maintenanceRetry.keep(kept);
    return there;
  }

  /**
   * Records the state of stores that are not probed. A store that was found lost is opened again.
   */
  private void note(String name, ManagedCache cache) {
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
  static BooleanSupplier unlessStopped(Runnable step) {
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
  public synchronized void close() {
    closed = true;
    if (timer != null) {
      timer.cancel();
    }
    work.shutdownNow();
  }
}
