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
import io.ensemble.schedule.Scheduler;
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
import org.jspecify.annotations.Nullable;
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
  private final Scheduler scheduler;
  private final String owner;
  private final Duration beat;
  private final ThreadPoolExecutor work;

  /** A separate thread for take-overs, so that a sealed cache does not wait for a comparison. */
  private final ThreadPoolExecutor takeOvers;

  private final AtomicBoolean changing = new AtomicBoolean();

  /** Used only by the take-over thread. */
  private final MaintenanceFailureLog changes = new MaintenanceFailureLog(LOG);

  // All fields below are guarded by this object's lock.
  private final Map<String, SiteMaintenance> sites = new HashMap<>();
  private final Map<String, AtomicBoolean> busy = new HashMap<>();
  private final UnreadableRecords damagedSites = new UnreadableRecords("site");
  private final UnreadableRecords damagedCaches = new UnreadableRecords("cache");
  private final Set<String> damagedTasks = new HashSet<>();
  private Scheduler.@Nullable Timer timer;
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
    this.scheduler = means.federation().scheduler();
    this.work = threads(THREADS, "ensemble-maintenance"); // At most one task of a site waits there.
    this.takeOvers = threads(1, "ensemble-take-over"); // A single task at a time; none waits.
  }

  private static ThreadPoolExecutor threads(int number, String name) {
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
    look();
  }

  private void look() {
    CompletionStage<ParsedRecords<SiteEntry>> known = entries.legible();
    known
        .thenCombine(
            means.federation().definitions().inventory(),
            (now, all) -> {
              tell(now, all);
              forget(now.entries());
              now.entries().forEach(entry -> see(entry, all.caches()));
              attend(takeOvers, changing, changes, CHANGES, () -> takeOver(all));
              return true;
            })
        .whenComplete(
            (done, failure) -> {
              if (failure != null) {
                LOG.debug(
                    "the catalog does not answer, no task is started", CompletionCause.of(failure));
              }
              lookLater();
            });
  }

  /** Reports unreadable records. They are skipped; all other records are processed. */
  private synchronized void tell(ParsedRecords<SiteEntry> now, Inventory all) {
    damagedSites.now(now.unreadable());
    damagedCaches.now(all.unreadable());
  }

  private synchronized void lookLater() {
    if (!closed) {
      try {
        timer = scheduler.after(beat.toNanos(), this::look);
      } catch (RejectedExecutionException ended) {
        closed = true;
      }
    }
  }

  private synchronized void forget(List<SiteEntry> now) {
    List<String> names = now.stream().map(SiteEntry::name).toList();
    sites.keySet().retainAll(names);
    busy.keySet().retainAll(names);
  }

  private void see(SiteEntry entry, List<StoredDefinition> all) {
    SiteMaintenance care;
    AtomicBoolean working;
    synchronized (this) {
      if (closed) {
        return; // Maintenance was closed during the read.
      }
      care =
          sites.computeIfAbsent(
              entry.name(),
              name ->
                  new SiteMaintenance(
                      means,
                      entry,
                      new TaskLease(tasks, TaskEntry.ofSite(name), owner, scheduler, beat)));
      working = busy.computeIfAbsent(entry.name(), name -> new AtomicBoolean());
    }
    care.now(entry);
    care.lease()
        .beat(care.notes())
        .whenComplete(
            (mine, failure) -> {
              if (isClosed()) {
                care.lease().release(); // The lease was acquired only after the close.
              } else if (failure == null) {
                attend(work, working, care.failing(), care.name(), () -> attend(care, all));
              } else {
                failed(entry.name(), CompletionCause.of(failure));
              }
            });
  }

  /**
   * Reports once that the task of a site cannot be read. Such a task has no owner, so no process
   * maintains its site.
   */
  private synchronized void failed(String site, Throwable why) {
    if (why instanceof CatalogException damaged
        && damaged.reason() == CatalogException.Reason.CORRUPT
        && damagedTasks.add(site)) {
      LOG.warn(
          "the task record of a site cannot be read, no process maintains the site; site={}",
          site,
          why);
    }
  }

  private synchronized boolean isClosed() {
    return closed;
  }

  private boolean attend(SiteMaintenance care, List<StoredDefinition> all) {
    means
        .caches()
        .waitFor(
            () -> means.federation().sites().learn(List.of(care.name())),
            OpenCaches.LONGEST_LOOKUP);
    return care.attend(all);
  }

  /**
   * Takes over changes whose movers are silent. The fastest of the maintaining processes takes
   * over.
   */
  private boolean takeOver(Inventory all) {
    changes.keep(changing(all));
    for (StoredDefinition cache : all.caches()) {
      takeOver(cache.definition().name(), () -> means.alterations().takeOverIfSilent(cache));
    }
    for (StoredDistribution cache : all.distributed()) {
      takeOver(cache.definition().name(), () -> means.parts().takeOverIfSilent(cache));
    }
    return true;
  }

  private static Set<String> changing(Inventory all) {
    Set<String> names = new HashSet<>(Set.of(CHANGES));
    all.caches().stream()
        .filter(cache -> cache.change().isPresent())
        .forEach(cache -> names.add(cache.definition().name()));
    all.distributed().stream()
        .filter(cache -> cache.growth().isPresent())
        .forEach(cache -> names.add(cache.definition().name()));
    return names;
  }

  /**
   * Takes over the change of one cache. If the mover is not silent, or another process has taken
   * over, the step is not a success.
   */
  private void takeOver(String cache, Supplier<Optional<?>> attempt) {
    changes.told( // A failure must not stop the others, which may be sealed.
        new MaintenanceFailureLog.Step(cache, "take over"),
        () -> {
          Optional<?> run = attempt.get();
          run.ifPresent(mine -> LOG.info("change taken over; cache={}", cache));
          return run.isPresent();
        });
  }

  /**
   * Runs {@code step} on a thread that may block, unless the step is running already.
   *
   * @param maintenanceFailureLog used only by the one thread that {@code working} admits
   * @param step returns whether it was done; false means that it was skipped
   */
  private static void attend(
      ThreadPoolExecutor threads,
      AtomicBoolean working,
      MaintenanceFailureLog maintenanceFailureLog,
      String of,
      BooleanSupplier step) {
    if (!working.compareAndSet(false, true)) {
      return;
    }
    try {
      threads.execute(
          () -> {
            try {
              maintenanceFailureLog.told(new MaintenanceFailureLog.Step(of, "attend"), step);
            } finally {
              working.set(false);
            }
          });
    } catch (RejectedExecutionException ended) {
      working.set(false);
    }
  }

  /** Releases the tasks, so that another process may acquire them immediately. Does not block. */
  @Override
  public void close() {
    List<SiteMaintenance> had;
    synchronized (this) {
      closed = true;
      if (timer != null) {
        timer.cancel();
      }
      had = List.copyOf(sites.values());
      sites.clear();
    }
    work.shutdownNow();
    takeOvers.shutdownNow();
    had.forEach(care -> care.lease().release());
  }
}
