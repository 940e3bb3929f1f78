package io.ensemble.maintenance;

import io.ensemble.catalog.task.TaskEntries;
import io.ensemble.manager.ManagerContext;
import io.ensemble.manager.OpenCaches;
import io.ensemble.schedule.PeriodicTask;
import io.ensemble.schedule.Scheduler;
import java.time.Duration;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Decides which of many processes refills a store: the one that holds the task's lease in the
 * catalog. The holder renews the lease while it copies. Another process takes over once the lease
 * has not been renewed for 24 beats. Two processes that copy at the same time do no harm, because
 * the record takes only one of the stores; the lease saves the second copy. If the catalog keeps no
 * tasks, every process copies. For one thread, which may block.
 */
final class RefillLeases implements AutoCloseable {

  /**
   * The patience of a lease, in beats. If stores do not answer, other processes check less often
   * than each beat.
   */
  private static final int BEATS_BETWEEN_LOOKS = 8;

  private final Optional<TaskEntries> tasks;
  private final OpenCaches caches;
  private final Scheduler scheduler;
  private final String owner;
  private final Duration beat;
  private final Duration leaseBeat;
  private final Map<String, TaskLease> leases = new HashMap<>();

  /** Of the lease that is held; guarded by this object's lock. */
  private @Nullable PeriodicTask renewals;

  /**
   * @param owner this process, as a {@link io.ensemble.catalog.task.TaskEntry} names it
   * @param beat the time between renewals of a lease, the same in all processes
   */
  RefillLeases(ManagerContext federation, OpenCaches caches, String owner, Duration beat) {
    this.tasks = federation.tasks();
    this.caches = caches;
    this.scheduler = federation.scheduler();
    this.owner = owner;
    this.beat = beat;
    this.leaseBeat = beat.multipliedBy(BEATS_BETWEEN_LOOKS);
  }

  /** Whether leases exist: then one process copies, otherwise every one. */
  boolean areLeased() {
    return tasks.isPresent();
  }

  /**
   * Whether this process may refill now. If true, the lease is renewed until {@link #release}. If
   * false, call again at each beat: these calls detect that the other process has died.
   *
   * @throws io.ensemble.catalog.record.CatalogException if the catalog does not answer
   */
  boolean acquire(String store) {
    if (tasks.isEmpty()) {
      return true;
    }
    TaskLease lease =
        leases.computeIfAbsent(
            store,
            name -> new TaskLease(tasks.get(), "refill " + name, owner, scheduler, leaseBeat));
    boolean isAcquired = caches.waitFor(() -> lease.beat(Map.of()), OpenCaches.LONGEST_LOOKUP);
    if (isAcquired) {
      holdLease(store, lease);
    }
    return isAcquired;
  }

  /** Renews the lease. After a failure the lease expires, unless the next renewal succeeds. */
  private synchronized void holdLease(String store, TaskLease lease) {
    close();
    renewals =
        new PeriodicTask(
            "lease of the refill of " + store, scheduler, beat, () -> lease.beat(Map.of()));
    renewals.start();
  }

  /** Ends the renewals that {@link #acquire} began, and releases the lease. Does not block. */
  void release(String store) {
    close();
    TaskLease lease = leases.remove(store);
    if (lease != null) {
      lease.release().exceptionally(failure -> false); // Then the lease expires.
    }
  }

  /** Discards stores that need no refilling any more. */
  void retain(Set<String> stores) {
    leases.keySet().retainAll(stores);
  }

  /** Stops renewing. */
  @Override
  public synchronized void close() {
    if (renewals != null) {
      renewals.close();
      renewals = null;
    }
  }
}
