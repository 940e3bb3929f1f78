package io.ensemble.migrate;

import io.ensemble.catalog.StoredDefinition;
import io.ensemble.change.Change;
import io.ensemble.schedule.Scheduler.Timer;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.RejectedExecutionException;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * A mover's sign of life in the record, each lease while the change is its own, with how far it has
 * come. One that fails is left out: whoever waits for it allows for more than one. Thread-safe.
 */
final class Heart implements AutoCloseable {

  private final Ownership own;
  private final Tally tally;
  private final Consumer<Change> told;

  // Both belong to this object's lock.
  private @Nullable Timer timer;
  private boolean closed;

  /**
   * @param told of each record of the mover's own that is met
   */
  Heart(Ownership own, Tally tally, Consumer<Change> told) {
    this.own = own;
    this.tally = tally;
    this.told = told;
  }

  synchronized void start() {
    if (closed) {
      return;
    }
    try {
      timer = own.means().scheduler().after(own.means().rules().beatNanos(), this::beat);
    } catch (RejectedExecutionException ended) {
      closed = true;
    }
  }

  private void beat() {
    own.present().thenCompose(this::beaten).whenComplete((done, failure) -> start());
  }

  private CompletionStage<?> beaten(StoredDefinition now) {
    Optional<Change> mine = now.change().filter(own::has);
    if (mine.isEmpty()) {
      return CompletableFuture.completedFuture(now);
    }
    told.accept(mine.get());
    Change next = mine.get().beaten(tally.now(), tally.before());
    return own.means().definitions().replace(now.with(Optional.of(next)));
  }

  @Override
  public synchronized void close() {
    closed = true;
    if (timer != null) {
      timer.cancel();
    }
  }
}
