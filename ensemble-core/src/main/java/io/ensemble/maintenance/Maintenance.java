package io.ensemble.maintenance;

import io.ensemble.cache.CompletionCause;
import io.ensemble.catalog.definition.Inventory;
import io.ensemble.catalog.definition.StoredDefinition;
import io.ensemble.catalog.definition.StoredDistribution;
import io.ensemble.catalog.record.CatalogException;
import io.ensemble.catalog.record.ParsedRecords;
import io.ensemble.catalog.site.SiteEntries;
import io.ensemble.catalog.site.SiteEntry;
import io.ensemble.catalog.task.TaskEntries;
import io.ensemble.catalog.task.TaskEntry;
import io.ensemble.manager.OpenCaches;
import io.ensemble.schedule.PeriodicTask;
import java.time.Duration;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.BooleanSupplier;
import java.util.function.Supplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The automatic maintenance that a manager performs for a federation. Each {@link TaskLease#BEAT}
 * it reads the catalog and renews the leases of the site tasks that it holds. Worker threads, which
 * may block, then run {@link SiteMaintenance} for these sites. While the catalog is unavailable
 * nothing is begun.
 */
public final class Maintenance implements AutoCloseable {

  private static final Logger LOG = LoggerFactory.getLogger(Maintenance.class);
  private static final int THREADS = 8;
  private static final String CHANGES = "changes";

  private final SiteMaintenance.Means means;
  private final SiteEntries entries;
  private final TaskEntries tasks;
  private final PeriodicTask catalogReads;
  private final String owner;
  private final Duration beat;
  private final ThreadPoolExecutor executor;

  /** A separate thread for take-overs, so that a sealed cache does not wait for a comparison. */
  private final ThreadPoolExecutor takeOvers;

  private final AtomicBoolean isTakingOver = new AtomicBoolean();

  /** Used only by the take-over thread. */
  private final MaintenanceFailureLog takeOverLog = new MaintenanceFailureLog(LOG);

  // All fields below are guarded by this object's lock.
  private final Map<String, SiteMaintenance> sites = new HashMap<>();
  private final Map<String, AtomicBoolean> busySites = new HashMap<>();
  private final UnreadableRecords damagedSites = new UnreadableRecords("site");
  private final UnreadableRecords damagedCaches = new UnreadableRecords("cache");
  private final Set<String> damagedTasks = new HashSet<>();
  private boolean closed;

  /**
   * @param beat the time between beats: {@link TaskLease#BEAT}, or less in tests
   */
  public Maintenance(
      SiteMaintenance.Means means,
      SiteEntries entries,
      TaskEntries tasks,
      String owner,
      Duration beat) {
    this.beat = beat;
    this.means = means;
    this.entries = entries;
    this.tasks = tasks;
    this.owner = owner;
    this.catalogReads =
        new PeriodicTask("maintenance", means.federation().scheduler(), beat, this::readCatalog);
    this.executor =
        newExecutor(THREADS, "ensemble-maintenance"); // At most one task of a site waits there.
    this.takeOvers = newExecutor(1, "ensemble-take-over"); // A single task at a time; none waits.
  }

  private static ThreadPoolExecutor newExecutor(int number, String name) {
    ThreadPoolExecutor threads =
        new ThreadPoolExecutor(
            number,
            number,
            10,
            TimeUnit.SECONDS,
            new LinkedBlockingQueue<>(),
            task -> {
              Thread thread = new Thread(task, name);
              thread.setDaemon(true);
              return thread;
            });
    threads.allowCoreThreadTimeOut(true);
    return threads;
  }

  /** Starts maintenance. */
  public void start() {
    catalogReads.startNow();
  }

  private CompletionStage<?> readCatalog() {
    CompletionStage<ParsedRecords<SiteEntry>> readRecords = entries.legible();
    return readRecords
        .thenCombine(
            means.federation().definitions().inventory(),
            (siteRecords, inventory) -> {
              recordUnreadable(siteRecords, inventory);
              retainSites(siteRecords.entries());
              siteRecords.entries().forEach(entry -> maintainSite(entry, inventory.caches()));
              execute(takeOvers, isTakingOver, takeOverLog, CHANGES, () -> takeOver(inventory));
              return true;
            })
        .whenComplete(
            (done, failure) -> {
              if (failure != null) {
                LOG.debug(
                    "the catalog does not answer, no task is started", CompletionCause.of(failure));
              }
            });
  }

  /** Reports unreadable records. They are skipped; all other records are processed. */
  private synchronized void recordUnreadable(
      ParsedRecords<SiteEntry> siteRecords, Inventory inventory) {
    damagedSites.now(siteRecords.unreadable());
    damagedCaches.now(inventory.unreadable());
  }

  private synchronized void retainSites(List<SiteEntry> currentSites) {
    List<String> names = currentSites.stream().map(SiteEntry::name).toList();
    sites.keySet().retainAll(names);
    busySites.keySet().retainAll(names);
  }

  private void maintainSite(SiteEntry entry, List<StoredDefinition> caches) {
    SiteMaintenance siteMaintenance;
    AtomicBoolean isWorking;
    synchronized (this) {
      if (closed) {
        return; // Maintenance was closed during the read.
      }
      siteMaintenance =
          sites.computeIfAbsent(
              entry.name(),
              name ->
                  new SiteMaintenance(
                      means,
                      entry,
                      new TaskLease(
                          tasks,
                          TaskEntry.ofSite(name),
                          owner,
                          means.federation().scheduler(),
                          beat)));
      isWorking = busySites.computeIfAbsent(entry.name(), name -> new AtomicBoolean());
    }
    siteMaintenance.update(entry);
    siteMaintenance
        .lease()
        .beat(siteMaintenance.notes())
        .whenComplete(
            (isLeased, failure) -> {
              if (isClosed()) {
                siteMaintenance.lease().release(); // The lease was acquired only after the close.
              } else if (failure == null) {
                execute(
                    executor,
                    isWorking,
                    siteMaintenance.failureLog(),
                    siteMaintenance.name(),
                    () -> maintain(siteMaintenance, caches));
              } else {
                recordFailure(entry.name(), CompletionCause.of(failure));
              }
            });
  }

  /**
   * Reports once that the task of a site cannot be read. Such a task has no owner, so no process
   * maintains its site.
   */
  private synchronized void recordFailure(String site, Throwable cause) {
    if (cause instanceof CatalogException catalogException
        && catalogException.reason() == CatalogException.Reason.CORRUPT
        && damagedTasks.add(site)) {
      LOG.warn(
          "the task record of a site cannot be read, no process maintains the site; site={}",
          site,
          cause);
    }
  }

  private synchronized boolean isClosed() {
    return closed;
  }

  private boolean maintain(SiteMaintenance siteMaintenance, List<StoredDefinition> caches) {
    means
        .caches()
        .waitFor(
            () -> means.federation().sites().learn(List.of(siteMaintenance.name())),
            OpenCaches.LONGEST_LOOKUP);
    return siteMaintenance.maintain(caches);
  }

  /**
   * Takes over changes whose movers are silent. The fastest of the maintaining processes takes
   * over.
   */
  private boolean takeOver(Inventory inventory) {
    takeOverLog.keep(changingNames(inventory));
    for (StoredDefinition cache : inventory.caches()) {
      takeOver(cache.definition().name(), () -> means.alterations().takeOverIfSilent(cache));
    }
    for (StoredDistribution cache : inventory.distributed()) {
      takeOver(cache.definition().name(), () -> means.parts().takeOverIfSilent(cache));
    }
    return true;
  }

  private static Set<String> changingNames(Inventory inventory) {
    Set<String> names = new HashSet<>(Set.of(CHANGES));
    inventory.caches().stream()
        .filter(cache -> cache.change().isPresent())
        .forEach(cache -> names.add(cache.definition().name()));
    inventory.distributed().stream()
        .filter(cache -> cache.growth().isPresent())
        .forEach(cache -> names.add(cache.definition().name()));
    return names;
  }

  /**
   * Takes over the change of one cache. If the mover is not silent, or another process has taken
   * over, the step is not a success.
   */
  private void takeOver(String cache, Supplier<Optional<?>> attempt) {
    takeOverLog.runLogged( // A failure must not stop the others, which may be sealed.
        new MaintenanceFailureLog.Step(cache, "take over"),
        () -> {
          Optional<?> run = attempt.get();
          run.ifPresent(started -> LOG.info("change taken over; cache={}", cache));
          return run.isPresent();
        });
  }

  /**
   * Runs {@code step} on a thread that may block, unless the step is running already.
   *
   * @param maintenanceFailureLog used only by the one thread that {@code isWorking} admits
   * @param step returns whether it was done; false means that it was skipped
   */
  private static void execute(
      ThreadPoolExecutor threads,
      AtomicBoolean isWorking,
      MaintenanceFailureLog maintenanceFailureLog,
      String subject,
      BooleanSupplier step) {
    if (!isWorking.compareAndSet(false, true)) {
      return;
    }
    try {
      threads.execute(
          () -> {
            try {
              maintenanceFailureLog.runLogged(
                  new MaintenanceFailureLog.Step(subject, "attend"), step);
            } finally {
              isWorking.set(false);
            }
          });
    } catch (RejectedExecutionException rejection) {
      isWorking.set(false);
    }
  }

  /** Releases the tasks, so that another process may acquire them immediately. Does not block. */
  @Override
  public void close() {
    catalogReads.close();
    List<SiteMaintenance> openSites;
    synchronized (this) {
      closed = true;
      openSites = List.copyOf(sites.values());
      sites.clear();
    }
    executor.shutdownNow();
    takeOvers.shutdownNow();
    openSites.forEach(siteMaintenance -> siteMaintenance.lease().release());
  }
}
