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
 * One process's part in who owns a task. The owner changes the task's record with every beat, by
 * compare-and-set; who has seen the same record for {@link #SILENT_BEATS} beats, by its own clock,
 * puts itself there. Where two looks are more than two beats apart it begins anew: the catalog may
 * have been away for the owner too. No clocks are compared, and nothing in the catalog is
 * ephemeral.
 *
 * <p>There is one owner in the record at any time. There may be two who hold themselves for it: one
 * that was asleep knows only by its next beat. It is over before that, by its own clock: {@link
 * #isMine} holds for two beats after one, and who takes over waits for three. So with clocks that
 * run alike within a third, two are at work at a time only if one sleeps between asking and doing;
 * what an owner does must do no harm then. Thread-safe.
 */
public final class TaskLease {

  /** How far an owner's beats are apart. */
  public static final Duration BEAT = Duration.ofSeconds(2);

  /** After how many beats that were not seen another takes over. */
  public static final int SILENT_BEATS = 3;

  private static final Logger LOG = LoggerFactory.getLogger(TaskLease.class);

  private final TaskEntries tasks;
  private final String task;
  private final String owner;
  private final Scheduler scheduler;
  private final long trustedNanos;
  private final long silentNanos;
  private final long blindNanos;

  // All below belongs to this object's lock.
  private @Nullable TaskEntry seen;
  private long seenAtNanos;
  private long lookedAtNanos;
  private @Nullable TaskEntry mine;
  private long mineUntilNanos;

  /**
   * @param owner this process's name, as {@link TaskEntry} wants it
   */
  public TaskLease(TaskEntries tasks, String task, String owner, Scheduler scheduler) {
    this(tasks, task, owner, scheduler, BEAT);
  }

  /**
   * As the other constructor, with beats of another length, which all processes must have.
   *
   * @param beat how far they are apart
   */
  public TaskLease(
      TaskEntries tasks, String task, String owner, Scheduler scheduler, Duration beat) {
    this.trustedNanos = beat.multipliedBy(2).toNanos();
    this.silentNanos = beat.multipliedBy(SILENT_BEATS).toNanos();
    this.blindNanos = beat.multipliedBy(2).toNanos();
    this.tasks = tasks;
    this.task = task;
    this.owner = owner;
    this.scheduler = scheduler;
  }

  /** Whether this process may do the task now. */
  public synchronized boolean isMine() {
    return mine != null && scheduler.nanos() - mineUntilNanos < 0;
  }

  /** How many owners there have been, this one included; 0 if it is not the owner. */
  public synchronized long fence() {
    return mine == null ? 0 : mine.fence();
  }

  /**
   * Beats, if this process is the owner, or becomes it, if nobody is or the owner is silent. To be
   * called every {@link #BEAT}. Two round trips to the catalog. Fails with {@link
   * CatalogException}: then the lease runs out by itself.
   *
   * @param notes what the owner wants others to see
   * @return whether it is the owner
   */
  public CompletionStage<Boolean> beat(Map<String, String> notes) {
    long asked = scheduler.nanos(); // Whoever takes over has seen the record later than this.
    return tasks
        .get(task)
        .thenCompose(
            found -> {
              Optional<TaskEntry> next = next(found, notes);
              if (next.isEmpty()) {
                return CompletableFuture.completedFuture(false);
              }
              CompletionStage<Boolean> put =
                  found.isEmpty() ? tasks.create(next.get()) : tasks.replace(next.get());
              return put.thenApply(done -> settled(next.get(), done, asked));
            });
  }

  private synchronized Optional<TaskEntry> next(
      Optional<TaskEntry> found, Map<String, String> notes) {
    if (found.isEmpty()) {
      return Optional.of(TaskEntry.first(task, owner, notes));
    }
    TaskEntry now = found.get();
    if (now.owner().equals(owner)) {
      return Optional.of(now.beating(notes));
    }
    lost(now);
    long looked = scheduler.nanos();
    boolean blind = looked - lookedAtNanos > blindNanos;
    lookedAtNanos = looked;
    if (!now.equals(seen) || blind) {
      seen = now;
      seenAtNanos = looked;
      return Optional.empty();
    }
    return looked - seenAtNanos < silentNanos
        ? Optional.empty()
        : Optional.of(now.takenBy(owner, notes));
  }

  /** Under this object's lock. */
  private void lost(TaskEntry now) {
    if (mine != null) {
      LOG.info("task is another's now; task={} owner={} fence={}", task, now.owner(), now.fence());
      mine = null;
    }
  }

  private synchronized boolean settled(TaskEntry put, boolean done, long asked) {
    if (!done) {
      mine = null; // Somebody was quicker; the next look tells who.
      return false;
    }
    if (mine == null) {
      LOG.info("task is mine; task={} owner={} fence={}", task, owner, put.fence());
    }
    mine = put;
    mineUntilNanos = asked + trustedNanos;
    return true;
  }

  /** Gives the task up, so that another may have it at once. One round trip, or none. */
  public CompletionStage<Boolean> release() {
    TaskEntry had;
    synchronized (this) {
      had = mine;
      mine = null;
    }
    return had == null ? CompletableFuture.completedFuture(false) : tasks.delete(had);
  }
}
