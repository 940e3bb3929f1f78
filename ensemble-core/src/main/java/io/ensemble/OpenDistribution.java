package io.ensemble;

import io.ensemble.cache.distributed.DistributedEngine;
import io.ensemble.cache.face.CacheFaces;
import io.ensemble.catalog.DefinitionWatch;
import io.ensemble.catalog.Distributions;
import io.ensemble.catalog.StoredDistribution;
import io.ensemble.schedule.Scheduler;
import java.util.Optional;
import java.util.concurrent.RejectedExecutionException;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * A distributed cache that a manager has open. Looks every {@link DefinitionWatch#INTERVAL} whether
 * it is still there; a catalog that cannot be had says nothing. Thread-safe.
 */
final class OpenDistribution {

  private final StoredDistribution stored;
  private final DistributedEngine engine;
  private final CacheFaces faces;
  private final Distributions distributions;
  private final Scheduler scheduler;
  private final Consumer<OpenDistribution> whenDeleted;

  // Both belong to this object's lock.
  private Scheduler.@Nullable Timer timer;
  private boolean closed;

  OpenDistribution(
      StoredDistribution stored,
      DistributedEngine engine,
      CacheFaces faces,
      Distributions distributions,
      Scheduler scheduler,
      Consumer<OpenDistribution> whenDeleted) {
    this.stored = stored;
    this.engine = engine;
    this.faces = faces;
    this.distributions = distributions;
    this.scheduler = scheduler;
    this.whenDeleted = whenDeleted;
  }

  StoredDistribution stored() {
    return stored;
  }

  CacheFaces faces() {
    return faces;
  }

  /** Whether all parts are open. */
  boolean isWhole() {
    return engine.isWhole();
  }

  /** Begins to look. */
  synchronized void watch() {
    if (!closed) {
      try {
        timer = scheduler.after(DefinitionWatch.INTERVAL.toNanos(), this::look);
      } catch (RejectedExecutionException ended) {
        closed = true;
      }
    }
  }

  private void look() {
    distributions
        .get(stored.definition().name())
        .whenCompleteAsync(
            (present, failure) -> {
              if (failure == null && !present.equals(Optional.of(stored))) {
                whenDeleted.accept(this);
              } else {
                watch();
              }
            },
            scheduler);
  }

  /** Closes it, because it is deleted. */
  void delete() {
    end();
    faces.closeAsDeleted();
  }

  void close() {
    end();
    faces.close();
  }

  private synchronized void end() {
    closed = true;
    if (timer != null) {
      timer.cancel();
    }
  }
}
