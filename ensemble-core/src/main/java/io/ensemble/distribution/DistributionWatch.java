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
 * Looks whether a distributed cache is still there and what it is now: every {@link
 * DefinitionWatch#INTERVAL}, and soon when somebody asks for it. A catalog that cannot be had says
 * nothing. Thread-safe.
 */
final class DistributionWatch {

  /** How long looks that were asked for are apart. */
  private static final Duration PAUSE = Duration.ofMillis(250);

  private final StoredDistribution opened;
  private final DistributedDefinitions distributedDefinitions;
  private final Scheduler scheduler;
  private final AtomicBoolean looking = new AtomicBoolean();

  // All below belongs to this object's lock.
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
   * Begins to look.
   *
   * @param whenDeleted told once, when there is no record of this birth any more
   * @param whenChanged told of every later record that is met, perhaps of one more than once
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

  /** Looks soon, if nobody does just now or will. */
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

  /** The record of that revision is followed; it needs not be told again. */
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
