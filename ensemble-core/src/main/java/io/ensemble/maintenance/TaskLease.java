package io.ensemble.maintenance;

import io.ensemble.catalog.record.CatalogException;
import io.ensemble.catalog.task.TaskEntries;
import io.ensemble.catalog.task.TaskEntry;
import io.ensemble.schedule.Scheduler;
import java.time.Duration;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * One process's part in the ownership of a task. The owner changes the task's record with every
 * beat, by compare-and-set. A process that has seen the same record for {@link #SILENT_BEATS}
 * beats, by its own clock, makes itself the owner. If two of its observations are more than two
 * beats apart, the count begins again: the catalog may have been unavailable to the owner too. No
 * clocks are compared, and nothing in the catalog is ephemeral.
 *
 * <p>The record has one owner at any time. Two processes may consider themselves the owner: one
 * that was asleep learns of its loss only at its next beat. Its own clock ends the ownership before
 * that. {@link #isMine} holds for two beats after a beat, and another process waits for three
 * before it takes over. Provided that the rates of the clocks differ by less than a third, two
 * processes work at the same time only in one case: one of them sleeps between the check and the
 * work. The work of an owner must be harmless then. Thread-safe.
 */
public final class TaskLease {

  /** The time between an owner's beats. */
  public static final Duration BEAT = Duration.ofSeconds(2);

  /** The number of missed beats after which another process takes over. */
  public static final int SILENT_BEATS = 3;

  private static final Logger LOG = LoggerFactory.getLogger(TaskLease.class);

  private final TaskEntries tasks;
  private final String task;
  private final String owner;
  private final Scheduler scheduler;
  private final long leaseNanos;
  private final long silentNanos;
  private final long blindNanos;

  // All fields below are guarded by this object's lock.
  private @Nullable TaskEntry otherEntry;
  private long otherSeenAtNanos;
  private long lookedAtNanos;
  private @Nullable TaskEntry ownEntry;
  private long leaseUntilNanos;

  /**
   * @param owner this process's name, in the format of {@link TaskEntry}
   */
  public TaskLease(TaskEntries tasks, String task, String owner, Scheduler scheduler) {
    this(tasks, task, owner, scheduler, BEAT);
  }

  /**
   * As the other constructor, with another beat, which must be the same in all processes.
   *
   * @param beat the time between beats
   */
  public TaskLease(
      TaskEntries tasks, String task, String owner, Scheduler scheduler, Duration beat) {
    this.leaseNanos = beat.multipliedBy(2).toNanos();
    this.silentNanos = beat.multipliedBy(SILENT_BEATS).toNanos();
    this.blindNanos = beat.multipliedBy(2).toNanos();
    this.tasks = tasks;
    this.task = task;
    this.owner = owner;
    this.scheduler = scheduler;
  }

  /** Whether this process may work on the task now. */
  public synchronized boolean isMine() {
    return ownEntry != null && scheduler.nanos() - leaseUntilNanos < 0;
  }

  /** The number of owners so far, including this process; 0 if this process is not the owner. */
  public synchronized long fence() {
    return ownEntry == null ? 0 : ownEntry.fence();
  }

  /**
   * Renews the lease if this process is the owner. If there is no owner, or the owner is silent,
   * this process becomes the owner. Call this every {@link #BEAT}. Two round trips to the catalog.
   * Fails with {@link CatalogException}; the lease then expires by itself.
   *
   * @param notes the owner's notes for other processes
   * @return whether this process is the owner
   */
  public CompletionStage<Boolean> beat(Map<String, String> notes) {
    // A process that takes over has seen the record later than this.
    long requestNanos = scheduler.nanos();
    return tasks
        .get(task)
        .thenCompose(
            storedEntry -> {
              Optional<TaskEntry> next = nextEntry(storedEntry, notes);
              if (next.isEmpty()) {
                return CompletableFuture.completedFuture(false);
              }
              CompletionStage<Boolean> writing =
                  storedEntry.isEmpty() ? tasks.create(next.get()) : tasks.replace(next.get());
              return writing.thenApply(
                  isWritten -> recordResult(next.get(), isWritten, requestNanos));
            });
  }

  private synchronized Optional<TaskEntry> nextEntry(
      Optional<TaskEntry> storedEntry, Map<String, String> notes) {
    if (storedEntry.isEmpty()) {
      return Optional.of(TaskEntry.first(task, owner, notes));
    }
    TaskEntry currentEntry = storedEntry.get();
    if (currentEntry.owner().equals(owner)) {
      return Optional.of(currentEntry.beating(notes));
    }
    recordLoss(currentEntry);
    long nowNanos = scheduler.nanos();
    boolean isBlind = nowNanos - lookedAtNanos > blindNanos;
    lookedAtNanos = nowNanos;
    if (!currentEntry.equals(otherEntry) || isBlind) {
      otherEntry = currentEntry;
      otherSeenAtNanos = nowNanos;
      return Optional.empty();
    }
    return nowNanos - otherSeenAtNanos < silentNanos
        ? Optional.empty()
        : Optional.of(currentEntry.takenBy(owner, notes));
  }

  /** Requires this object's lock. */
  private void recordLoss(TaskEntry currentEntry) {
    if (ownEntry != null) {
      LOG.info(
          "lost the lease of a task; task={} owner={} fence={}",
          task,
          currentEntry.owner(),
          currentEntry.fence());
      ownEntry = null;
    }
  }

  private synchronized boolean recordResult(
      TaskEntry writtenEntry, boolean isWritten, long requestNanos) {
    if (!isWritten) {
      ownEntry = null; // Another process was faster; the next observation says which.
      return false;
    }
    if (ownEntry == null) {
      LOG.info(
          "acquired the lease of a task; task={} owner={} fence={}",
          task,
          owner,
          writtenEntry.fence());
    }
    ownEntry = writtenEntry;
    leaseUntilNanos = requestNanos + leaseNanos;
    return true;
  }

  /**
   * Releases the task, so that another process may acquire it immediately. At most one round trip.
   */
  public CompletionStage<Boolean> release() {
    TaskEntry releasedEntry;
    synchronized (this) {
      releasedEntry = ownEntry;
      ownEntry = null;
    }
    return releasedEntry == null
        ? CompletableFuture.completedFuture(false)
        : tasks.delete(releasedEntry);
  }
}
