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
  private final long intervalNanos;
  private final Supplier<CompletionStage<?>> heartbeat;

  // Both are guarded by this object's lock.
  private @Nullable Timer timer;
  private boolean closed;

  /**
   * @param heartbeat writes the next heartbeat into the record, if the mover owns the change
   */
  HeartbeatSender(Scheduler scheduler, long intervalNanos, Supplier<CompletionStage<?>> heartbeat) {
    this.scheduler = scheduler;
    this.intervalNanos = intervalNanos;
    this.heartbeat = heartbeat;
  }

  /**
   * The heartbeat of a mover of a cache's configuration.
   *
   * @param changeListener receives each record that the mover owns
   */
  HeartbeatSender(
      ChangeOwnership ownership, CopyProgress copyProgress, Consumer<ConfigurationChange> changeListener) {
    this(
        ownership.moverContext().scheduler(),
        ownership.moverContext().rules().beatNanos(),
        () -> ownership.readCurrent().thenCompose(now -> sendHeartbeat(ownership, copyProgress, changeListener, now)));
  }

  synchronized void start() {
    if (closed) {
      return;
    }
    try {
      timer = scheduler.after(intervalNanos, this::beatAndReschedule);
    } catch (RejectedExecutionException rejection) {
      closed = true;
    }
  }

  private void beatAndReschedule() {
    CompletionStage<?> sending;
    try {
      sending = heartbeat.get();
    } catch (RuntimeException | Error exception) { // The next one may succeed.
      LOG.error("the heartbeat of a migration failed, retrying at the next interval", exception);
      start();
      return;
    }
    sending.whenComplete((done, failure) -> start());
  }

  private static CompletionStage<?> sendHeartbeat(
      ChangeOwnership ownership,
      CopyProgress copyProgress,
      Consumer<ConfigurationChange> changeListener,
      StoredDefinition now) {
    Optional<ConfigurationChange> ownChange = now.change().filter(ownership::isOwnerOf);
    if (ownChange.isEmpty()) {
      return CompletableFuture.completedFuture(now);
    }
    changeListener.accept(ownChange.get());
    ConfigurationChange beatenChange = ownChange.get().beaten(copyProgress.currentKeys(), copyProgress.maxKeysBefore());
    return ownership.moverContext().definitions().replace(now.with(Optional.of(beatenChange)));
  }

  @Override
  public synchronized void close() {
    closed = true;
    if (timer != null) {
      timer.cancel();
    }
  }
}
