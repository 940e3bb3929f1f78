package io.ensemble.migrate;

import io.ensemble.catalog.definition.StoredDefinition;
import io.ensemble.change.ConfigurationChange;
import io.ensemble.schedule.Scheduler;
import io.ensemble.schedule.Scheduler.Timer;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.RejectedExecutionException;
import java.util.function.Consumer;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Writes a mover's heartbeat, with its progress, into the record once a lease while the mover owns
 * the change. A failed heartbeat is skipped: the failure detector allows for more than one.
 * Thread-safe.
 */
final class HeartbeatSender implements AutoCloseable {

  private static final Logger LOG = LoggerFactory.getLogger(HeartbeatSender.class);

  private final Scheduler scheduler;
  private final long beatNanos;
  private final Supplier<CompletionStage<?>> beat;

  // Both are guarded by this object's lock.
  private @Nullable Timer timer;
  private boolean closed;

  /**
   * @param beat writes the next heartbeat into the record, if the mover owns the change
   */
  HeartbeatSender(Scheduler scheduler, long beatNanos, Supplier<CompletionStage<?>> beat) {
    this.scheduler = scheduler;
    this.beatNanos = beatNanos;
    this.beat = beat;
  }

  /**
   * The heartbeat of a mover of a cache's configuration.
   *
   * @param told receives each record that the mover owns
   */
  HeartbeatSender(
      ChangeOwnership own, CopyProgress copyProgress, Consumer<ConfigurationChange> told) {
    this(
        own.means().scheduler(),
        own.means().rules().beatNanos(),
        () -> own.present().thenCompose(now -> beaten(own, copyProgress, told, now)));
  }

  synchronized void start() {
    if (closed) {
      return;
    }
    try {
      timer = scheduler.after(beatNanos, this::beat);
    } catch (RejectedExecutionException ended) {
      closed = true;
    }
  }

  private void beat() {
    CompletionStage<?> put;
    try {
      put = beat.get();
    } catch (RuntimeException | Error broken) { // The next one may succeed.
      LOG.error("the heartbeat of a migration failed, retrying at the next interval", broken);
      start();
      return;
    }
    put.whenComplete((done, failure) -> start());
  }

  private static CompletionStage<?> beaten(
      ChangeOwnership own,
      CopyProgress copyProgress,
      Consumer<ConfigurationChange> told,
      StoredDefinition now) {
    Optional<ConfigurationChange> mine = now.change().filter(own::has);
    if (mine.isEmpty()) {
      return CompletableFuture.completedFuture(now);
    }
    told.accept(mine.get());
    ConfigurationChange next = mine.get().beaten(copyProgress.now(), copyProgress.before());
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
