package io.ensemble.distribution;

import io.ensemble.catalog.DefinitionWatch;
import io.ensemble.catalog.definition.DistributedDefinitions;
import io.ensemble.catalog.definition.StoredDistribution;
import io.ensemble.schedule.PeriodicTask;
import io.ensemble.schedule.Scheduler;
import io.ensemble.schedule.ThrottledTask;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.CompletionStage;
import java.util.function.Consumer;

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
  private final PeriodicTask periodicChecks;
  private final ThrottledTask requestedChecks;

  // All fields below are guarded by this object's lock.
  private Runnable deleted = () -> {};
  private Consumer<StoredDistribution> changed = present -> {};
  private long revision;
  private boolean closed;

  DistributionWatch(
      StoredDistribution opened,
      DistributedDefinitions distributedDefinitions,
      Scheduler scheduler) {
    this.opened = opened;
    this.distributedDefinitions = distributedDefinitions;
    this.scheduler = scheduler;
    this.revision = opened.revision();
    String task = "record of " + opened.definition().name();
    this.periodicChecks = new PeriodicTask(task, scheduler, DefinitionWatch.INTERVAL, this::check);
    this.requestedChecks = new ThrottledTask(task, scheduler, PAUSE, this::check);
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
    periodicChecks.start();
  }

  /** Checks soon, unless a check is in progress or scheduled. */
  void look() {
    requestedChecks.request();
  }

  private CompletionStage<?> check() {
    return distributedDefinitions
        .get(opened.definition().name())
        .whenCompleteAsync(
            (present, failure) -> {
              if (failure == null) {
                saw(present);
              }
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
        close();
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
    periodicChecks.close();
  }
}
