package io.ensemble.distribution;

import io.ensemble.catalog.DefinitionWatch;
import io.ensemble.catalog.definition.DistributedDefinitions;
import io.ensemble.catalog.definition.StoredDistribution;
import io.ensemble.schedule.Scheduler;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * Checks whether a distributed cache still exists, and whether its record has changed. Checks every
 * {@link DefinitionWatch#INTERVAL}, and soon after a request. If the catalog cannot be read,
 * nothing changes. Thread-safe.
 */
final class DistributionWatch {

  /** The time between checks that were requested. */
  private static final Duration PAUSE = Duration.ofMillis(250);

  private final StoredDistribution opened;
  private final DistributedDefinitions distributedDefinitions;
  private final Scheduler scheduler;
  private final AtomicBoolean looking = new AtomicBoolean();

  // All fields below are guarded by this object's lock.
  private Runnable deleted = () -> {};
  private Consumer<StoredDistribution> changed = present -> {};
  private long revision;
  private boolean hasLooked;
  private long lookedAtNanos;
  private Scheduler.@Nullable Timer timer;
  private boolean closed;

  DistributionWatch(
      StoredDistribution opened,
      DistributedDefinitions distributedDefinitions,
      Scheduler scheduler) {
    this.opened = opened;
    this.distributedDefinitions = distributedDefinitions;
    this.scheduler = scheduler;
    this.revision = opened.revision();
  }

  /**
   * Starts the checks.
   *
   * @param whenDeleted called once, when there is no record of this birth any more
   * @param whenChanged called for every later record that is found, perhaps more than once for the
   *     same one
   */
  void start(Runnable whenDeleted, Consumer<StoredDistribution> whenChanged) {
    synchronized (this) {
      deleted = whenDeleted;
      changed = whenChanged;
    }
    again();
  }

  private synchronized void again() {
    if (closed) {
      return;
    }
    try {
      timer = scheduler.after(DefinitionWatch.INTERVAL.toNanos(), this::lookAndAgain);
    } catch (RejectedExecutionException ended) {
      closed = true;
    }
  }

  private void lookAndAgain() {
    lookNow(this::again);
  }

  /** Checks soon, unless a check is in progress or scheduled. */
  void look() {
    if (!looking.compareAndSet(false, true)) {
      return;
    }
    long pause;
    synchronized (this) {
      long now = scheduler.nanos();
      pause = hasLooked ? Math.max(0, lookedAtNanos + PAUSE.toNanos() - now) : 0;
      lookedAtNanos = now + pause;
      hasLooked = true;
    }
    Runnable done = () -> looking.set(false);
    try {
      scheduler.after(pause, () -> lookNow(done));
    } catch (RejectedExecutionException ended) {
      done.run();
    }
  }

  private void lookNow(Runnable then) {
    distributedDefinitions
        .get(opened.definition().name())
        .whenCompleteAsync(
            (present, failure) -> {
              if (failure == null) {
                saw(present);
              }
              then.run();
            },
            scheduler);
  }

  private void saw(Optional<StoredDistribution> present) {
    Runnable gone = null;
    Consumer<StoredDistribution> other = null;
    boolean same = present.filter(opened::isSameBirth).isPresent();
    synchronized (this) {
      if (closed) {
        return;
      }
      if (!same) {
        closed = true;
        gone = deleted;
      } else if (present.orElseThrow().revision() > revision) {
        other = changed;
      }
    }
    if (gone != null) {
      gone.run();
    }
    if (other != null) {
      other.accept(present.orElseThrow());
    }
  }

  /** Records that the record of that revision is followed; it is not reported again. */
  synchronized void followed(long followed) {
    revision = Math.max(revision, followed);
  }

  synchronized void close() {
    closed = true;
    if (timer != null) {
      timer.cancel();
    }
  }
}
